package load

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// functions describes functions to the graph, each once.
type functions struct {
	loader *loader
	known  map[starlark.Callable]*graph.Func
}

// lookup is graph.Compiler.Lookup.
func (f *functions) lookup(c starlark.Callable) *graph.Func {
	if fn, ok := f.known[c]; ok {
		return fn
	}
	var fn *graph.Func
	if scripted, ok := c.(*starlark.Function); ok {
		fn = f.describe(scripted)
	} else {
		fn = f.goResolver(c)
	}
	f.known[c] = fn
	return fn
}

func (f *functions) goResolver(c starlark.Callable) *graph.Func {
	for _, fn := range f.loader.options.Resolvers {
		if fn.Call == c {
			return fn
		}
	}
	f.loader.report(&engine.Problem{
		Code:    "bad-resolver",
		Message: fmt.Sprintf("%s() is built in and can't be a resolver", c.Name()),
		At:      engine.Label{Span: startOf(f.loader.order[0].path)},
		Help:    fmt.Sprintf("wrap it: def my_%s(...): return %s(...)", c.Name(), c.Name()),
	})
	return nil
}

// describe is the graph's view of a Starlark function.
func (f *functions) describe(fn *starlark.Function) *graph.Func {
	pos := fn.Position()
	g := &graph.Func{Name: fn.Name(), Call: fn, Span: engine.At(pos, "def")}
	if fn.Name() != "lambda" {
		name := pos
		name.Col += int32(len("def "))
		g.Span = engine.At(name, fn.Name())
	}
	sig := &signature{}
	if m := f.loader.modules[pos.Filename()]; m != nil {
		if s := m.signatures[fn]; s != nil {
			sig = s
		}
		if v, ok := m.globals[fn.Name()]; ok && v == starlark.Value(fn) {
			g.Key = moduleKey(m.path) + ":" + fn.Name()
		}
	}
	g.Returns = sig.returns
	rest := 0
	if fn.HasVarargs() {
		rest++
	}
	if fn.HasKwargs() {
		rest++
	}
	named := fn.NumParams() - rest
	for i := range fn.NumParams() {
		name, pos := fn.Param(i)
		p := graph.Param{
			Name:        name,
			Span:        engine.At(pos, name),
			Rest:        i >= named,
			KeywordOnly: i >= named-fn.NumKwonlyParams() && i < named,
		}
		p.TypeSpan = p.Span
		if says, ok := sig.params[name]; ok {
			p.TypeSpan = says.span
			p.Resolve = says.marker
			if says.field != nil {
				p.Type = says.field.Type
			}
		}
		if p.Resolve != nil && fn.ParamDefault(i) != nil {
			f.loader.report(&engine.Problem{
				Code:    "unused-default",
				Message: fmt.Sprintf("parameter %q of %s() is resolved, so its default would never be used", name, fn.Name()),
				At:      engine.Label{Span: p.Span, Text: "drop the default"},
				Help:    fmt.Sprintf("write `%s: %s`, and let the resolver return the default", name, "resolve("+p.Resolve.Target.Name()+")"),
			})
		}
		g.Params = append(g.Params, p)
	}
	return g
}

// moduleKey is the first half of a wire key: the path from the root without .star.
func moduleKey(path string) string {
	return path[:len(path)-len(".star")]
}
