package load

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/starhost/load/annotate"
)

// A signature is what the annotations of a function mean.
type signature struct {
	params  map[string]meaning
	returns engine.Type
}

// A meaning is what one parameter's annotation says: a field (a type, perhaps
// with limits) or a marker.
type meaning struct {
	field  *types.Field
	marker *graph.Marker
	span   engine.Span
	wrong  bool // it makes no sense, which has been reported
}

// An annotation is one that is being evaluated.
type annotation struct {
	fn    *starlark.Function
	name  string // of the parameter, or annotate.Return
	place annotate.Place
}

// evaluate finds out what the annotations of a file mean, now that it has run
// and every name in them is known.
func (l *loader) evaluate(m *module, thread *starlark.Thread) {
	for _, f := range m.declared.Functions {
		s := &signature{params: map[string]meaning{}}
		for i, name := range f.Names {
			a := &annotation{fn: f.Func, name: name, place: m.places[annotate.KeyOf(f.Pos, name)]}
			if p := orMistake(a); p != nil {
				l.report(p)
				s.params[name] = a.nothing()
				continue
			}
			v, err := starlark.Call(thread, f.Thunks[i], nil, nil)
			if err == nil {
				l.take(s, a, v)
				continue
			}
			reason := engine.Interrupted(thread, err)
			l.report(l.annotationProblem(m, a, err, reason))
			s.params[name] = a.nothing()
			if reason != err {
				return // nothing runs on this thread any more
			}
		}
		m.signatures[f.Func] = s
	}
}

// nothing is what an annotation means that makes no sense: any value, or a resolver
// that is not there, so that nothing more is said about the parameter.
func (a *annotation) nothing() meaning {
	m := meaning{field: types.Untyped(), span: a.place.Span, wrong: true}
	if a.place.Expr == nil {
		return m
	}
	syntax.Walk(a.place.Expr, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id.Name == "resolve" {
			m.marker = &graph.Marker{Target: starlark.NewBuiltin("nothing", nil), Span: a.place.Span}
		}
		return true
	})
	return m
}

// orMistake refuses `str or None`, which Starlark evaluates to str.
func orMistake(a *annotation) *engine.Problem {
	b, ok := unparen(a.place.Expr).(*syntax.BinaryExpr)
	if !ok || b.Op != syntax.OR && b.Op != syntax.AND {
		return nil
	}
	return a.problem(fmt.Sprintf("`%s` between types is not a type", b.Op), "write `A | B`, or `T | None`")
}

// take takes in what one annotation evaluated to.
func (l *loader) take(s *signature, a *annotation, v starlark.Value) {
	marker, isMarker := v.(*declare.Marker)
	switch {
	case isMarker && a.name == annotate.Return:
		l.report(a.problem("`resolve(...)` fills a parameter", "behind `->` write the type of the result"))
	case isMarker:
		s.params[a.name] = meaning{marker: l.marker(a, marker), span: a.place.Span}
	case a.name == annotate.Return:
		var err error
		if s.returns, err = types.AsType(v); err != nil {
			l.report(a.wrong(err))
			return
		}
		if p := l.noReturn(a, s.returns); p != nil {
			l.report(p)
		}
	default:
		field, err := types.AsField(v)
		if err != nil {
			l.report(a.wrong(err))
			s.params[a.name] = a.nothing()
			return
		}
		if field.Factory != nil {
			l.freeze(field.Factory, a.place.Span, "the factory")
		}
		s.params[a.name] = meaning{field: field, span: a.place.Span}
	}
}

// marker checks resolve(fn) where it is written.
func (l *loader) marker(a *annotation, v *declare.Marker) *graph.Marker {
	m := v.Marker
	m.Span = a.place.Span
	name := m.Target.Name() // which functions.lookup does not know if it is refused here
	if _, scripted := m.Target.(*starlark.Function); !scripted && l.goResolver(m.Target) == nil {
		l.report(a.problem(fmt.Sprintf("%s() is built in and can't be a resolver", name),
			fmt.Sprintf("wrap it: `def my_%s(...): return %s(...)`", plainName(name), name)))
	}
	if i := parameter(a.fn, a.name); i >= 0 && a.fn.ParamDefault(i) != nil {
		l.report(&engine.Problem{
			Code:    "unused-default",
			Message: fmt.Sprintf("parameter %q of %s() is resolved, so its default would never be used", a.name, a.fn.Name()),
			At:      engine.Label{Span: a.place.Span},
			Help:    fmt.Sprintf("drop the default, and let %s() return it", name),
		})
	}
	l.freeze(m.Target, a.place.Span, "what resolve() is given")
	return &m
}

// parameter is the place of a parameter in a function, or -1.
func parameter(fn *starlark.Function, name string) int {
	for i := range fn.NumParams() {
		if n, _ := fn.Param(i); n == name {
			return i
		}
	}
	return -1
}

// plainName makes a name for a def out of one like time.now.
func plainName(name string) string {
	out := []rune(name)
	for i, r := range out {
		if r == '.' {
			out[i] = '_'
		}
	}
	return string(out)
}

// annotationProblem is the error of evaluating an annotation. It points at the
// very expression where the error is known to lie inside it.
func (l *loader) annotationProblem(m *module, a *annotation, err, reason error) *engine.Problem {
	p := l.runtimeProblem(m, err, reason)
	if p.Code == "limit" {
		return p
	}
	p.Code = "bad-type"
	p.Message = fmt.Sprintf("%s of %s(): %s", a.whose(), a.fn.Name(), p.Message)
	if p.Help == "" {
		p.Help = calledType(a.place.Expr)
	}
	if !within(p.At.Span, a.place.Span) || p.At.Span.Start == p.At.Span.End {
		p.At.Span = a.place.Span
	}
	p.Also = nil
	return p
}

// calledType is what to write instead of a call of a type.
func calledType(e syntax.Expr) string {
	call, ok := unparen(e).(*syntax.CallExpr)
	if !ok {
		return ""
	}
	word, ok := call.Fn.(*syntax.Ident)
	if !ok {
		return ""
	}
	switch word.Name {
	case "list":
		return "write the type in brackets: `list[T]`"
	case "dict":
		return "write the types in brackets: `dict[str, T]`"
	case "str", "int", "float", "bool", "any":
		return "write the type without calling it: `" + word.Name + "`"
	}
	return ""
}

// within reports whether a lies within b, or begins there.
func within(a, b engine.Span) bool {
	return a.Start.Filename() == b.Start.Filename() && !before(a.Start, b.Start) && before(a.Start, b.End)
}

func before(a, b syntax.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
}

func (a *annotation) whose() string {
	if a.name == annotate.Return {
		return "the result"
	}
	return fmt.Sprintf("parameter %q", a.name)
}

// wrong is the problem of an annotation that is no type.
func (a *annotation) wrong(err error) *engine.Problem {
	message, help := splitRemedy(err.Error())
	if a.name != annotate.Return {
		help = called(a.name, help)
	}
	return a.problem(message, help)
}

// called puts a parameter's own name into a remedy that says how to write one.
func called(name, help string) string { return strings.ReplaceAll(help, "`x: ", "`"+name+": ") }

func (a *annotation) problem(message, help string) *engine.Problem {
	return &engine.Problem{
		Code:    "bad-type",
		Message: fmt.Sprintf("%s of %s(): %s", a.whose(), a.fn.Name(), message),
		At:      engine.Label{Span: a.place.Span},
		Help:    help,
	}
}
