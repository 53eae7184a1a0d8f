package load

import (
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// functions describes functions to the graph, each once.
type functions struct {
	loader *loader
	known  map[starlark.Callable]*graph.Func
}

// lookup is graph.Compiler.Lookup. It gives nil for a function that was refused
// where it is named.
func (f *functions) lookup(c starlark.Callable) *graph.Func {
	if fn, ok := f.known[c]; ok {
		return fn
	}
	var fn *graph.Func
	if scripted, ok := c.(*starlark.Function); ok {
		fn = f.loader.describe(scripted)
	} else {
		fn = f.loader.goResolver(c)
	}
	f.known[c] = fn
	return fn
}

// goResolver is the description of a resolver written in Go, or nil.
func (l *loader) goResolver(c starlark.Callable) *graph.Func {
	for _, fn := range l.options.Resolvers {
		if fn.Call == c {
			return fn
		}
	}
	return nil
}

// describe is the graph's view of a Starlark function.
func (l *loader) describe(fn *starlark.Function) *graph.Func {
	pos := fn.Position()
	g := &graph.Func{Name: fn.Name(), Call: fn, Span: engine.At(pos, "def")}
	if fn.Name() == "lambda" {
		g.Span = engine.At(pos, "lambda")
	}
	sig := &signature{}
	if m := l.modules[pos.Filename()]; m != nil {
		if def := m.defs[placeOf(pos)]; def != nil {
			g.Span = engine.At(def.Name.NamePos, def.Name.Name)
		}
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
			Named:       fn.HasKwargs() && i == fn.NumParams()-1,
			KeywordOnly: i >= named-fn.NumKwonlyParams() && i < named,
		}
		p.TypeSpan = p.Span
		if says, ok := sig.params[name]; ok {
			p.TypeSpan = says.span
			p.Resolve = says.marker
			if says.field != nil && !says.wrong {
				p.Type = says.field.Type
			}
		}
		g.Params = append(g.Params, p)
	}
	return g
}

// moduleKey is the first half of a wire key: the path from the root without .star.
func moduleKey(path string) string {
	return path[:len(path)-len(".star")]
}
