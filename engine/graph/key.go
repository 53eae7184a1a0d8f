package graph

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// key is the wire key of fn as parameter p names it. A key is what survives a
// restart and what two instances agree on, so one that isn't stable, isn't
// unique or changes from one use to the next is refused.
func (c *Compiler) key(fn *Func, p *Param) string {
	key := p.Resolve.Key
	if key == "" {
		key = fn.Key
	}
	seen, known := c.keyOf[fn.Call]
	if key == "" && known {
		return seen.key // named once by its author: that holds for all uses
	}
	if key == "" {
		c.unstable(fn, p)
		return ""
	}
	if known && seen.key != key {
		c.once("two-keys "+p.Resolve.Span.Start.String(), &engine.Problem{
			Code:    "two-keys",
			Message: fmt.Sprintf("resolver %s() has two keys, %q and %q", fn.Name, seen.key, key),
			At:      engine.Label{Span: p.Resolve.Span, Text: fmt.Sprintf("%q here", key)},
			Also:    []engine.Label{{Span: seen.span, Text: fmt.Sprintf("%q here", seen.key)}},
			Help:    "a resolver asks under one key: write the same `key =` wherever it is used, or none",
		})
		return seen.key
	}
	if other, taken := c.funcOf[key]; taken && other.fn.Call != fn.Call {
		c.once("key-clash "+p.Resolve.Span.Start.String(), &engine.Problem{
			Code:    "key-clash",
			Message: fmt.Sprintf("two resolvers share the key %q", key),
			At:      engine.Label{Span: p.Resolve.Span, Text: fn.Name + " here"},
			Also:    []engine.Label{{Span: other.span, Text: other.fn.Name + " here"}},
			Help:    `give one of them another: resolve(fn, key = "...")`,
		})
		return key
	}
	if c.keyOf == nil {
		c.keyOf, c.funcOf = map[starlark.Callable]keyed{}, map[string]keyed{}
	}
	entry := keyed{key: key, fn: fn, span: p.Resolve.Span}
	c.keyOf[fn.Call], c.funcOf[key] = entry, entry
	return key
}

func (c *Compiler) unstable(fn *Func, p *Param) {
	what := "made inside another function"
	if fn.Name == "lambda" {
		what = "a lambda"
	} else if _, scripted := fn.Call.(*starlark.Function); !scripted {
		what = "written in Go"
	}
	problem := &engine.Problem{
		Code:    "no-key",
		Message: fmt.Sprintf("the resolver of parameter %q is %s, so its questions have no name that survives a restart", p.Name, what),
		At:      engine.Label{Span: p.Resolve.Span, Text: "used here"},
		Help:    `name it: resolve(fn, key = "..."), or make it a def at the top of a file`,
	}
	if fn.Span.Start.IsValid() && fn.Span.Start.Line > 0 {
		problem.Also = []engine.Label{{Span: fn.Span, Text: "defined here"}}
	}
	c.once("no-key "+p.Resolve.Span.Start.String(), problem)
}
