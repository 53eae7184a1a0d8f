package starhost

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// A Resolver is a resolver written in Go. A script uses it like its own, with a
// key, because nothing about a Go function survives a restart by itself:
//
//	def whoami(user: resolve(current_user, key = "app:user")) -> str: ...
type Resolver struct {
	// Name is the word by which scripts know it.
	Name string
	// Params are the names of what it takes: arguments of the tool, by name, or
	// "ctx". A tool that lacks one of them is refused at load.
	Params []string
	// Func computes the value. args are in the order of Params and frozen, and so
	// is the result afterwards. The context ends with the call. Like any
	// resolver it runs once in each round, so it should not change anything that
	// must change once only. An error ends the call and its text is shown to the
	// model. It must be safe for concurrent use.
	Func func(ctx context.Context, args []starlark.Value) (starlark.Value, error)
}

func (r Resolver) add(l *load.Options) error {
	if r.Name == "" || r.Func == nil {
		return fmt.Errorf("starhost: a Resolver wants a Name and a Func")
	}
	if l.Words.Has(r.Name) {
		return fmt.Errorf("starhost: two words are named %q", r.Name)
	}
	builtin := starlark.NewBuiltin(r.Name, r.call)
	fn := &graph.Func{Name: r.Name, Call: builtin}
	for _, p := range r.Params {
		fn.Params = append(fn.Params, graph.Param{Name: p})
	}
	l.Words[r.Name] = builtin
	l.Resolvers = append(l.Resolvers, fn)
	return nil
}

func (r Resolver) call(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != len(r.Params) || len(kwargs) > 0 {
		return nil, fmt.Errorf("%s() takes %d arguments in order, got %d", r.Name, len(r.Params), len(args)+len(kwargs))
	}
	v, err := r.Func(engine.ScopeOf(thread).Context, args)
	if err != nil {
		return nil, err
	}
	if v == nil {
		v = starlark.None
	}
	return v, nil
}
