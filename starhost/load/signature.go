package load

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

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
}

// evaluate finds out what the annotations of a file mean, now that it has run
// and every name in them is known. It reports whether all of them make sense.
func (l *loader) evaluate(m *module, thread *starlark.Thread) bool {
	before := len(l.problems)
	for _, a := range m.declared.Functions {
		s := &signature{params: map[string]meaning{}}
		for i, name := range a.Names {
			span := m.places[annotate.KeyOf(a.Pos, name)].Span
			v, err := starlark.Call(thread, a.Thunks[i], nil, nil)
			if err != nil {
				l.report(l.annotationProblem(m, a, name, span, engine.Interrupted(thread, err)))
				continue
			}
			if p := s.add(a, name, v, span); p != nil {
				l.report(p)
			}
		}
		m.signatures[a.Func] = s
	}
	return len(l.problems) == before
}

// annotationProblem is the error of evaluating an annotation. It points at the
// very expression where the error is known to lie inside it.
func (l *loader) annotationProblem(m *module, a *declare.Annotated, name string, span engine.Span, err error) *engine.Problem {
	p := l.runtimeProblem(m, err)
	p.Code = "bad-type"
	p.Message = fmt.Sprintf("%s of %s(): %s", whose(name), a.Func.Name(), p.Message)
	at := p.At.Span.Start
	if at.Filename() == span.Start.Filename() && (at.Line < span.Start.Line || at.Line > span.End.Line || p.At.Span.Start == p.At.Span.End) {
		p.At.Span = span
	}
	p.Also = nil
	return p
}

func whose(name string) string {
	if name == annotate.Return {
		return "the result"
	}
	return fmt.Sprintf("parameter %q", name)
}

// add takes in what one annotation evaluated to.
func (s *signature) add(a *declare.Annotated, name string, v starlark.Value, span engine.Span) *engine.Problem {
	if name == annotate.Return {
		return s.addReturn(a, v, span)
	}
	if marker, ok := v.(*declare.Marker); ok {
		own := marker.Marker
		own.Span = span
		s.params[name] = meaning{marker: &own, span: span}
		return nil
	}
	field, err := types.AsField(v)
	if err != nil {
		s.params[name] = meaning{field: types.Untyped(), span: span} // so that it is reported once
		return badType(a, name, span, err)
	}
	s.params[name] = meaning{field: field, span: span}
	return nil
}

func (s *signature) addReturn(a *declare.Annotated, v starlark.Value, span engine.Span) *engine.Problem {
	if _, ok := v.(*declare.Marker); ok {
		return badType(a, annotate.Return, span, fmt.Errorf("resolve(...) fills a parameter; after -> stands the type of the result"))
	}
	t, err := types.AsType(v)
	if err != nil {
		return badType(a, annotate.Return, span, err)
	}
	s.returns = t
	return nil
}

func badType(a *declare.Annotated, name string, span engine.Span, err error) *engine.Problem {
	message, help, _ := strings.Cut(err.Error(), "; ")
	return &engine.Problem{
		Code:    "bad-type",
		Message: fmt.Sprintf("%s of %s(): %s", whose(name), a.Func.Name(), message),
		At:      engine.Label{Span: span},
		Help:    help,
	}
}
