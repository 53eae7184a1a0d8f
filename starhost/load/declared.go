package load

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// A Cache says how long clients may keep what they got, and for whom.
type Cache struct {
	TTL time.Duration
	// Public says that what one user got may be shown to another.
	Public bool
}

func cacheOf(hint declare.Hint) Cache { return Cache{}.with(hint) }

// with is c with what a hint says.
func (c Cache) with(hint declare.Hint) Cache {
	if hint.TTL != nil {
		c.TTL = *hint.TTL
	}
	if hint.Scope != "" {
		c.Public = hint.Scope == "public"
	}
	return c
}

// declared puts together what all files declare, but for the server itself.
func (l *loader) declared(s *Snapshot) {
	fns := &functions{loader: l, known: map[starlark.Callable]*graph.Func{}}
	compiler := &graph.Compiler{Lookup: fns.lookup}
	s.tools, s.prompts, s.resources = map[string]*Tool{}, map[string]*Prompt{}, map[string]*Resource{}
	s.Tools = l.tools(fns, compiler)
	for _, t := range s.Tools {
		s.tools[t.Name] = t
	}
	l.prompts(s, fns, compiler)
	l.resources(s, fns, compiler)
	l.report(compiler.Problems()...)
	l.completions(s, fns)
	l.timers(s, fns)
}

// plan compiles a body's graph. One that may ask by itself has no resolvers beside.
func (l *loader) plan(compiler *graph.Compiler, kind, name string, fn *graph.Func) *graph.Plan {
	plan := compiler.Compile(kind, name, fn)
	if _, manual := withoutManual(fn.Returns); !manual {
		return plan
	}
	for _, p := range fn.Params {
		if p.Resolve != nil {
			l.report(&engine.Problem{
				Code:    "two-channels",
				Message: fmt.Sprintf("%s %s combines resolve(...) parameters with -> input_required", kind, name),
				At:      engine.Label{Span: p.Resolve.Span, Text: "resolved here"},
				Also:    []engine.Label{{Span: fn.Span, Text: "declared -> " + fn.Returns.TypeName()}},
				Help:    "a call has one input_required channel: ask in resolvers, or in the body, not in both",
			})
			return nil
		}
	}
	return plan
}

// withoutManual is a result's type without input_required, and whether it was there.
func withoutManual(t engine.Type) (engine.Type, bool) {
	if t == nil {
		return nil, false
	}
	return types.Without(t, questions.IsInputRequired)
}

// freezeDeclared makes the functions immutable that a file has declared.
func (l *loader) freezeDeclared(m *module) {
	freeze := func(fn *starlark.Function, span engine.Span, word string) {
		if fn != nil {
			l.freeze(fn, span, "what "+word+"() is given")
		}
	}
	for _, d := range m.declared.Prompts {
		freeze(d.Func, d.Span, "prompt")
	}
	for _, d := range m.declared.Resources {
		freeze(d.Func, d.Span, "resource")
	}
	for _, d := range m.declared.Completions {
		freeze(d.Func, d.Span, "completion")
	}
	for _, d := range m.declared.Timers {
		freeze(d.Func, d.Span, "every")
	}
}

// textParameter refuses what no text can be converted to, where text is all that
// comes.
func (l *loader) textParameter(kind string, fn *starlark.Function, p *types.Parameter, g *graph.Func) {
	if types.TakesText(p.Field.Type) {
		return
	}
	at := engine.Label{}
	for _, param := range g.Params {
		if param.Name == p.Name {
			at.Span = param.TypeSpan
		}
	}
	what := "the arguments of a prompt are"
	if kind != "prompt" {
		what = "what comes from a URI is"
	}
	l.report(&engine.Problem{
		Code:    "not-text",
		Message: fmt.Sprintf("parameter %q of %s %s is %s, but %s text", p.Name, kind, fn.Name(), p.Field.Type.TypeName(), what),
		At:      at,
		Help:    fmt.Sprintf("write `%s: str` and take it apart, for instance with json.decode(%s)", p.Name, p.Name),
	})
}

// named is the name of what a function makes, and whether it has one.
func (l *loader) named(kind string, given *string, fn *starlark.Function, span engine.Span) (string, bool) {
	switch {
	case given != nil:
		return *given, true
	case fn.Name() != "lambda":
		return fn.Name(), true
	}
	l.report(&engine.Problem{
		Code: "no-name", Message: fmt.Sprintf("a lambda has no name that a %s could take", kind),
		At: engine.Label{Span: span}, Help: "write name = \"...\", or make it a def",
	})
	return "", false
}

// duplicate reports the second of two.
func (l *loader) duplicate(kind, what string, again, first engine.Span, help string) {
	l.report(&engine.Problem{
		Code:    "duplicate-" + kind,
		Message: fmt.Sprintf("two %ss %s", kind, what),
		At:      engine.Label{Span: again, Text: "declared again here"},
		Also:    []engine.Label{{Span: first, Text: "first declared here"}},
		Help:    help,
	})
}
