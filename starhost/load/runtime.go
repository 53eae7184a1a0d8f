package load

import (
	"errors"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// runtimeProblem is the first error of running a file, with the calls that led
// there.
func (l *loader) runtimeProblem(m *module, err error) *engine.Problem {
	p := &engine.Problem{Code: "error", Message: engine.FailureText(err)}
	var interrupt *engine.Interrupt
	if errors.As(err, &interrupt) {
		p.Code = "limit"
		p.Message = "loading " + m.path + ": " + interrupt.Text
	}
	var broken *brokenLoad
	if errors.As(err, &broken) {
		p.Code, p.Message, p.Help = "load", broken.Error(), broken.help
	}
	p.At.Span = startOf(m.path)

	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return p
	}
	frames := 0
	for i := len(eval.CallStack) - 1; i >= 0; i-- {
		pos := eval.CallStack[i].Pos
		if !pos.IsValid() || pos.Line == 0 {
			continue
		}
		span := l.widen(pos)
		switch frames {
		case 0:
			p.At.Span = span
		default:
			p.Also = append(p.Also, engine.Label{Span: span, Text: "called from here"})
		}
		if frames++; frames == 6 {
			break // a deep recursion is the same few lines again
		}
	}
	return p
}

func startOf(file string) engine.Span {
	pos := syntax.MakePosition(&file, 1, 1)
	return engine.Span{Start: pos, End: pos}
}

// widen turns the position at which the interpreter stood (a parenthesis, a dot,
// an operator) into the whole expression there.
func (l *loader) widen(p syntax.Position) engine.Span {
	best := engine.Span{Start: p, End: p}
	m := l.modules[p.Filename()]
	if m == nil || m.file == nil {
		return best
	}
	if span, ok := m.spans()[placeOf(p)]; ok {
		return span
	}
	return best
}

// whole widens the point that a declaration remembers. One of a module that was
// taken over is wide already.
func (l *loader) whole(span engine.Span) engine.Span {
	if span.Start != span.End {
		return span
	}
	return l.widen(span.Start)
}

// spans maps each place at which the interpreter may stand to its expression. It
// is made when the first error needs it.
func (m *module) spans() map[place]engine.Span {
	if m.spanIndex != nil {
		return m.spanIndex
	}
	m.spanIndex = map[place]engine.Span{}
	note := func(p syntax.Position, n syntax.Node) { m.spanIndex[placeOf(p)] = engine.SpanOf(n) }
	syntax.Walk(m.file, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.CallExpr:
			note(x.Lparen, x)
		case *syntax.BinaryExpr:
			note(x.OpPos, x)
		case *syntax.DotExpr:
			note(x.Dot, x)
		case *syntax.IndexExpr:
			note(x.Lbrack, x)
		case *syntax.UnaryExpr:
			note(x.OpPos, x)
		case *syntax.LoadStmt:
			note(x.Load, x.Module)
		}
		return n != nil
	})
	return m.spanIndex
}

// A brokenLoad is why load() gave nothing.
type brokenLoad struct{ message, help string }

func (b *brokenLoad) Error() string { return b.message }

func loadRing(path []string) error {
	return &brokenLoad{
		message: "files load each other: " + strings.Join(path, " -> "),
		help:    "move what they share into a third file",
	}
}
