package load

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/annotate"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// Failure is the report of an error that a function of the snapshot ended with
// while it served: what the interpreter said, or which limit stopped it, the place,
// the calls that led there, and what to write instead. A value that does not fit -> T
// is reported there. It is nil for an error that no line of a script made.
//
// The text may quote what the call was about, so it is for authors and operators;
// the model is told [engine.FailureText] alone.
func (s *Snapshot) Failure(err error) *report.Error {
	p := s.failure(err)
	if p == nil {
		return nil
	}
	return &report.Error{Problems: []*engine.Problem{p}, Sources: s.Sources}
}

func (s *Snapshot) failure(err error) *engine.Problem {
	var wrong *engine.WrongResult
	if errors.As(err, &wrong) {
		return s.wrongResult(wrong)
	}
	p := &engine.Problem{Code: "runtime"}
	var eval *starlark.EvalError
	errors.As(err, &eval)
	var limit *engine.Interrupt
	if errors.As(err, &limit) {
		p.Code, p.Message = "limit", limit.Text
		if limit.Stack != nil {
			eval = &starlark.EvalError{Msg: limit.Text, CallStack: limit.Stack}
		}
	} else {
		p.Message, p.Help = splitError(err)
	}
	if eval == nil || !s.led(p, eval) {
		return nil
	}
	return p
}

// led puts the places of the calls that led to an error into p, if there are any.
func (s *Snapshot) led(p *engine.Problem, eval *starlark.EvalError) bool {
	// A snapshot in use is read by many, so nothing is kept in its modules.
	l := &loader{modules: map[string]*module{}}
	for _, frame := range eval.CallStack {
		path := frame.Pos.Filename()
		if m := s.modules[path]; m != nil && l.modules[path] == nil {
			l.modules[path] = &module{path: path, file: m.file}
		}
	}
	at, calls := l.frames(eval)
	if len(at) == 0 {
		return false
	}
	p.At, p.Also = at[0], at[1:]
	if p.Code == "limit" {
		if loop, ok := s.endless(eval.CallStack.At(0)); ok {
			p.At.Span = loop
		}
	}
	if calls > len(at) {
		p.Notes = []string{fmt.Sprintf("%d more calls led there", calls-len(at))}
	}
	return true
}

// wrongResult is the problem of a value that does not fit the -> T of its function,
// or nil for a function that no file has.
func (s *Snapshot) wrongResult(wrong *engine.WrongResult) *engine.Problem {
	name := wrong.At.Start
	if !name.IsValid() {
		return nil
	}
	p := &engine.Problem{Code: "result-type", Message: wrong.Text, At: engine.Label{Span: wrong.At}}
	m := s.modules[name.Filename()]
	if m == nil {
		return p
	}
	for _, def := range m.defs {
		if placeOf(def.Name.NamePos) == placeOf(name) {
			if t, ok := m.places[annotate.KeyOf(def.Def, annotate.Return)]; ok {
				p.At.Span = t.Span
			}
			break
		}
	}
	return p
}

// endless is the `while True` that a frame stands at which tells the place before it:
// the interpreter has none for what can't fail.
func (s *Snapshot) endless(frame starlark.CallFrame) (span engine.Span, ok bool) {
	m := s.modules[frame.Pos.Filename()]
	if m == nil || m.file == nil || frame.Name == "lambda" {
		return span, false
	}
	for _, stmt := range behind(m.file.Stmts, frame) {
		switch x := stmt.(type) {
		case *syntax.WhileStmt:
			_, end := x.Cond.Span()
			return engine.Span{Start: x.While, End: end}, constant(x.Cond)
		case *syntax.AssignStmt:
			if _, name := x.LHS.(*syntax.Ident); !name || x.Op != syntax.EQ || !constant(x.RHS) {
				return span, false
			}
		case *syntax.ExprStmt:
			if !constant(x.X) {
				return span, false
			}
		case *syntax.BranchStmt:
			if x.Token != syntax.PASS {
				return span, false
			}
		default:
			return span, false
		}
	}
	return span, false
}

// behind are the statements that follow the place of a frame in its block, or that
// begin the block which the place is the head of.
func behind(block []syntax.Stmt, frame starlark.CallFrame) []syntax.Stmt {
	for i, stmt := range block {
		if !within(engine.Span{Start: frame.Pos}, engine.SpanOf(stmt)) {
			continue
		}
		var inner []syntax.Stmt
		head := true
		switch x := stmt.(type) {
		case *syntax.DefStmt:
			// A def that is run, not called, tells the same place.
			inner, head = x.Body, placeOf(frame.Pos) == placeOf(x.Def) && frame.Name == x.Name.Name
		case *syntax.IfStmt:
			inner = x.True
			if len(x.False) > 0 && !before(frame.Pos, engine.SpanOf(x.False[0]).Start) {
				inner = x.False
			}
		case *syntax.ForStmt:
			inner = x.Body
		case *syntax.WhileStmt:
			inner = x.Body
		default:
			head = false
		}
		switch {
		case len(inner) > 0 && !before(frame.Pos, engine.SpanOf(inner[0]).Start):
			return behind(inner, frame)
		case head:
			return inner
		}
		return block[i+1:]
	}
	return nil
}

// constant reports whether an expression is nothing that has to be computed.
func constant(e syntax.Expr) bool {
	switch x := e.(type) {
	case *syntax.Literal:
		return true
	case *syntax.Ident:
		return x.Name == "True" || x.Name == "False" || x.Name == "None"
	}
	return false
}
