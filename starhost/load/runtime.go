package load

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// maxCalls is how many of the calls that led to an error are shown.
const maxCalls = 6

// runtimeProblem is the first error of running a file, with the calls that led
// there. reason is why the thread was stopped, if it was; else err itself.
func (l *loader) runtimeProblem(m *module, err, reason error) *engine.Problem {
	p := &engine.Problem{Code: "runtime", At: engine.Label{Span: startOf(m.path)}}
	p.Message, p.Help = splitError(reason)
	var interrupt *engine.Interrupt
	if errors.As(reason, &interrupt) {
		l.limited = true
		p.Code = "limit"
		p.Message = "loading " + m.path + ": " + p.Message
	}
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return p
	}
	at, calls := l.frames(eval)
	if len(at) == 0 {
		return p
	}
	p.At, p.Also = at[0], at[1:]
	if p.Code == "runtime" && l.makesType(eval) {
		p.Code = "bad-type"
	}
	l.bracketed(p, eval)
	if calls > len(at) {
		p.Notes = []string{fmt.Sprintf("%d more calls led there", calls-len(at))}
	}
	return p
}

// frames are the places of the calls that led to an error, innermost first, as far
// as they are shown, and how many there are.
func (l *loader) frames(eval *starlark.EvalError) (at []engine.Label, calls int) {
	stack := slices.Clone(eval.CallStack)
	slices.Reverse(stack)
	var callee []engine.Label
	if len(stack) > 1 && strings.HasPrefix(eval.Msg, "function "+stack[0].Name+" ") {
		// The arguments don't fit: the mistake is where they are given.
		callee = []engine.Label{{Span: engine.At(stack[0].Pos, "def"), Text: stack[0].Name + " is defined here"}}
		stack = stack[1:]
	}
	shown := map[engine.Span]bool{}
	for _, frame := range stack {
		if !frame.Pos.IsValid() || frame.Pos.Line == 0 {
			continue // built in
		}
		if calls++; len(at) >= maxCalls {
			continue
		}
		label := engine.Label{Span: l.widen(frame.Pos)}
		if shown[label.Span] {
			continue // a recursion is the same few lines again
		}
		shown[label.Span] = true
		if len(at) > 0 {
			label.Text = "called from here"
		}
		at = append(at, label)
	}
	return append(at, callee...), calls + len(callee)
}

// makesType reports whether what failed is an expression that makes a type.
func (l *loader) makesType(eval *starlark.EvalError) bool {
	frame := eval.CallStack.At(0)
	if frame.Pos.Filename() == "<builtin>" {
		return slices.Contains([]string{"model", "field", "enum", "schema", "describe"}, frame.Name)
	}
	m := l.modules[frame.Pos.Filename()]
	if m == nil || m.file == nil {
		return false
	}
	index, _ := m.nodes()[placeOf(frame.Pos)].(*syntax.IndexExpr)
	if index == nil {
		return false
	}
	name, ok := index.X.(*syntax.Ident)
	return ok && (name.Name == "list" || name.Name == "dict")
}

// bracketed rewords the problem of tuple[int], which is one of an annotation even
// where a file says it while it runs.
func (l *loader) bracketed(p *engine.Problem, eval *starlark.EvalError) {
	pos := eval.CallStack.At(0).Pos
	m := l.modules[pos.Filename()]
	if m == nil || m.file == nil || !strings.HasPrefix(eval.Msg, "unhandled index operation builtin_function") {
		return
	}
	index, _ := m.nodes()[placeOf(pos)].(*syntax.IndexExpr)
	if index == nil {
		return
	}
	name, _ := index.X.(*syntax.Ident)
	if name == nil {
		return
	}
	p.Code = "bad-type"
	switch name.Name {
	case "tuple", "set", "frozenset":
		p.Message, p.Help = "JSON has no "+name.Name+"s", "write `list[T]`"
	case "enum":
		p.Message, p.Help = "enum takes its choices in parentheses", "write `enum(\"a\", \"b\")`"
	default:
		p.Message, p.Help = name.Name+" is a function and takes nothing in brackets", "call it: `"+name.Name+"(...)`"
	}
}

// splitError is what an error says, and what to do about it.
func splitError(err error) (message, help string) {
	text := engine.FailureText(err)
	var failure *engine.Failure
	if errors.As(err, &failure) {
		return text, "" // the author's own words
	}
	if message, help := splitRemedy(text); help != "" {
		return plainWords(message), help
	}
	for _, r := range runtimeRemedies {
		if strings.HasPrefix(text, r.begins) && strings.Contains(text, r.says) {
			return plainWords(text), r.help
		}
	}
	return plainWords(text), ""
}

// plainWords puts the words of scripts in the place of the interpreter's, in its
// errors that name types.
func plainWords(text string) string {
	for _, begins := range []string{"unknown binary op: ", "unhandled index operation ", "string has no ."} {
		if strings.HasPrefix(text, begins) {
			return interpreterTypes.Replace(text)
		}
	}
	return text
}

var interpreterTypes = strings.NewReplacer("string has no .", "str has no .", " string", " str", "builtin_function_or_method", "function", "string[", "str[", "[string]", "[str]")

// runtimeRemedies are what to do about the interpreter's own errors.
var runtimeRemedies = []struct{ begins, says, help string }{
	{begins: "unknown binary op: string + ", help: "convert the other one: `\"...\" + str(x)`, or write `\"... %s\" % x`"},
	{begins: "unknown binary op: ", says: " + string", help: "convert the other one: `str(x) + \"...\"`"},
	{begins: "key ", says: " not in dict", help: "where a key may be missing, write `d.get(key, default)`"},
	{begins: "list: for parameter 1: got type", help: "write the type in brackets: `list[T]`"},
	{begins: "dict: for parameter 1: got type", help: "write the types in brackets: `dict[str, T]`"},
	{begins: "unhashable type", help: "a key is text, a number or a tuple of them"},
	{says: "referenced before assignment", help: "assign to it above this line"},
	{begins: "invalid call of non-function", help: "only functions can be called: drop the parentheses, or is the name taken twice?"},
}

// splitRemedy splits the text of one of our errors, "MESSAGE; REMEDY", or takes
// the interpreter's suggestion off its end. Mismatches are joined the same way and
// stay together, as does what stands in quotes or in parentheses.
func splitRemedy(text string) (message, help string) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], "; ") && !strings.Contains(text[i:], ": expected "):
			return text[:i], text[i+2:]
		}
	}
	for _, begins := range []string{" (did you mean ", " (raise the limit ", " (what functions share "} {
		if at := strings.LastIndex(text, begins); at > 0 && closesAtEnd(text[at+1:]) {
			return text[:at], strings.TrimSuffix(text[at+2:], ")")
		}
	}
	return text, ""
}

// closesAtEnd reports whether a text is what stands in one pair of parentheses.
func closesAtEnd(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i == len(text)-1
		}
	}
	return false
}

func startOf(file string) engine.Span {
	pos := syntax.MakePosition(&file, 1, 1)
	return engine.Span{Start: pos, End: pos}
}

// widen turns the position at which the interpreter stood (a parenthesis, a dot,
// an operator) into the whole expression there.
func (l *loader) widen(p syntax.Position) engine.Span {
	if m := l.modules[p.Filename()]; m != nil && m.file != nil {
		if n, ok := m.nodes()[placeOf(p)]; ok {
			return engine.SpanOf(n)
		}
	}
	return engine.Span{Start: p, End: p}
}

// whole widens the point that a declaration remembers. One of a module that was
// taken over is wide already.
func (l *loader) whole(span engine.Span) engine.Span {
	if span.Start != span.End {
		return span
	}
	return l.widen(span.Start)
}

// argument is the place of a named argument of the call that is at p, or of the
// whole call.
func (l *loader) argument(p syntax.Position, name string) engine.Span {
	if m := l.modules[p.Filename()]; m != nil && m.file != nil && name != "" {
		call, _ := m.nodes()[placeOf(p)].(*syntax.CallExpr)
		for i := 0; call != nil && i < len(call.Args); i++ {
			arg, ok := call.Args[i].(*syntax.BinaryExpr)
			if !ok || arg.Op != syntax.EQ {
				continue
			}
			if id, ok := arg.X.(*syntax.Ident); ok && id.Name == name {
				return engine.SpanOf(arg)
			}
		}
	}
	return l.widen(p)
}

// nodes maps each place at which the interpreter may stand to its expression. It
// is made when the first error needs it.
func (m *module) nodes() map[place]syntax.Node {
	if m.nodeIndex != nil {
		return m.nodeIndex
	}
	m.nodeIndex = map[place]syntax.Node{}
	note := func(p syntax.Position, n syntax.Node) { m.nodeIndex[placeOf(p)] = n }
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
		case *syntax.SliceExpr:
			note(x.Lbrack, x)
		case *syntax.UnaryExpr:
			note(x.OpPos, x)
		case *syntax.AssignStmt:
			note(x.OpPos, x)
		case *syntax.DictEntry:
			note(x.Colon, x)
		case *syntax.ForStmt:
			note(x.For, x.X)
		case *syntax.ForClause:
			note(x.For, x.X)
		case *syntax.Ident:
			note(x.NamePos, x)
		}
		return true
	})
	return m.nodeIndex
}
