package types

import (
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// anything is the type any: every value but a hostile one, which contains itself
// or is nested or shared so that printing or comparing it would not end.
type anything struct{ common }

var anyType = newAnything()

func newAnything() *anything {
	a := &anything{}
	a.self = a
	return a
}

func (a *anything) TypeName() string             { return "any" }
func (a *anything) render(side) exactjson.Object { return exactjson.Object{} }
func (a *anything) measure() measure             { return measure{nodes: 1, depth: 1} }
func (a *anything) has(starlark.Value) bool      { return true }

func (a *anything) same(other engine.Type) bool {
	_, ok := unwrap(other).(*anything)
	return ok
}

func (a *anything) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	c.lower(strict)
	return loose(c, v)
}

// loose accepts a value of which nothing is known.
func loose(c *checker, v starlark.Value) (starlark.Value, bool) {
	if !c.count(v) {
		return nil, false
	}
	switch v.(type) {
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return v, true
	}
	w := weigher{seen: make(map[any]weight)}
	total := w.weigh(v, 0)
	c.parts += total.parts - 1
	switch {
	case total.cyclic:
		c.wrong("a value that does not contain itself", v)
	case total.depth > maxDepth:
		c.wrong("a value nested at most 200 deep", v)
	case c.parts > maxParts:
		c.count(v)
	default:
		return v, true
	}
	return nil, false
}

// A weight is how much there is in a value when it is written out.
type weight struct {
	parts  int // how many values, shared ones each time
	depth  int
	cyclic bool
}

// A weigher walks a value once, however often its parts are shared.
type weigher struct {
	seen map[any]weight
}

var entered = weight{cyclic: true} // until its parts are known

func (w *weigher) weigh(v starlark.Value, level int) weight {
	if level > maxDepth {
		return weight{parts: 1, depth: maxDepth + 1}
	}
	var key any
	switch v := v.(type) {
	case *starlark.List:
		key = v
	case *starlark.Dict:
		key = v
	case *starlark.Set:
		key = v
	case starlark.Tuple:
		if len(v) == 0 {
			return weight{parts: 1, depth: 1}
		}
		key = tupleKey{&v[0], len(v)}
	case *Instance:
		return v.weight
	default:
		return weight{parts: 1}
	}
	if known, ok := w.seen[key]; ok {
		return known
	}
	w.seen[key] = entered
	total := weight{parts: 1, depth: 1}
	add := func(part starlark.Value) bool {
		p := w.weigh(part, level+1)
		total.parts = min(total.parts+p.parts, maxParts+1)
		total.depth = max(total.depth, p.depth+1)
		total.cyclic = total.cyclic || p.cyclic
		return !total.cyclic && total.depth <= maxDepth
	}
	walk(v, add)
	w.seen[key] = total
	return total
}

type tupleKey struct {
	first *starlark.Value
	len   int
}

// walk calls visit with every part of a container until it returns false.
func walk(v starlark.Value, visit func(starlark.Value) bool) {
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			if !visit(v.Index(i)) {
				return
			}
		}
	case starlark.Tuple:
		for _, part := range v {
			if !visit(part) {
				return
			}
		}
	case *starlark.Dict:
		for k, part := range v.Entries() {
			if !visit(k) || !visit(part) {
				return
			}
		}
	case *starlark.Set:
		for part := range v.Elements() {
			if !visit(part) {
				return
			}
		}
	}
}
