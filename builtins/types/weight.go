package types

import (
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// A weight is how much there is in a value when it is written out. Scripts can
// share one list a million times or put a list into itself; what walks such a
// value (printing, comparing, copying, freezing) would not end, or overflow the
// stack. So values are weighed before they become part of anything.
type weight struct {
	parts  int // values in it, shared ones each time
	bytes  int // of text in it, likewise
	depth  int
	cyclic bool
	opaque bool // there are values in it that are not data: functions, and what other packages make
}

const (
	// maxParts bounds the values in one value, and the values looked at in one check.
	maxParts = 4_000_000
	// maxText bounds the text in one value.
	maxText = 128 << 20
	// maxDepth bounds the nesting of a value, as exactjson does.
	maxDepth = 200
)

// with is w with one more part in it.
func (w weight) with(part weight) weight {
	w.parts = min(w.parts+part.parts, maxParts+1)
	w.bytes = min(w.bytes+part.bytes, maxText+1)
	w.depth = max(w.depth, part.depth+1)
	w.cyclic = w.cyclic || part.cyclic
	w.opaque = w.opaque || part.opaque
	return w
}

// tooHeavy says what such a value would have to be instead, or "".
func (w weight) tooHeavy() string {
	switch {
	case w.cyclic:
		return "a value that does not contain itself"
	case w.depth > maxDepth:
		return "a value nested at most 200 deep"
	case w.parts > maxParts:
		return "at most 4,000,000 values in all"
	case w.bytes > maxText:
		return "at most 128 MiB of text in all"
	}
	return ""
}

// weigh is the weight of v.
func weigh(v starlark.Value) weight {
	if w, ok := weighPlain(v); ok {
		return w
	}
	s := scale{few: 256}
	if w := s.weigh(v, 0); s.few > 0 && w.depth <= maxDepth {
		return w
	}
	s = scale{seen: make(map[any]weight)}
	return s.weigh(v, 0)
}

// weighPlain is the weight of a value that has no parts, or has been weighed.
func weighPlain(v starlark.Value) (weight, bool) {
	switch v := v.(type) {
	case starlark.String:
		return weight{parts: 1, bytes: len(v)}, true
	case *starlark.List, *starlark.Dict, *starlark.Set, starlark.Tuple:
		return weight{}, false
	case *Instance:
		return v.weight, true
	case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType, starlark.Bytes:
		return weight{parts: 1}, true
	}
	return weight{parts: 1, opaque: true}, true
}

// A scale weighs one value. The first few parts are simply walked; beyond them it
// remembers what it has seen, and so finds cycles and walks shared parts once.
type scale struct {
	few  int
	seen map[any]weight // nil: only a few parts
}

// entered stands for a value whose parts are still being weighed.
var entered = weight{cyclic: true}

func (s *scale) weigh(v starlark.Value, level int) weight {
	if w, ok := weighPlain(v); ok {
		s.few--
		return w
	}
	if level > maxDepth || (s.seen == nil && s.few <= 0) {
		return weight{parts: 1, depth: maxDepth + 1}
	}
	key := identity(v)
	if s.seen != nil && key != nil {
		if known, ok := s.seen[key]; ok {
			return known
		}
		s.seen[key] = entered
	}
	s.few--
	total := weight{parts: 1, depth: 1}
	eachPart(v, func(part starlark.Value) bool {
		total = total.with(s.weigh(part, level+1))
		return total.tooHeavy() == ""
	})
	if s.seen != nil && key != nil {
		s.seen[key] = total
	}
	return total
}

// identity is what tells a container from others with the same parts, or nil.
func identity(v starlark.Value) any {
	t, ok := v.(starlark.Tuple)
	switch {
	case !ok:
		return v // a pointer
	case len(t) == 0:
		return nil
	}
	return tupleKey{&t[0], len(t)}
}

type tupleKey struct {
	first *starlark.Value
	len   int
}

// eachPart calls visit with every part of a container until it returns false.
func eachPart(v starlark.Value, visit func(starlark.Value) bool) {
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

// loose accepts a value of which nothing is known but that it is not hostile.
func loose(c *checker, v starlark.Value) (starlark.Value, bool) {
	w := weigh(v)
	if want := w.tooHeavy(); want != "" {
		c.wrong(want, v)
		return nil, false
	}
	c.opaque = c.opaque || w.opaque
	return v, c.spend(w, v)
}

// anything is the type any.
type anything struct{ common }

var anyType = newAnything()

func newAnything() *anything {
	a := &anything{}
	a.self = a
	return a
}

// TypeName is "any".
func (a *anything) TypeName() string { return "any" }

func (a *anything) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	c.lower(strict)
	return loose(c, v)
}

func (a *anything) same(other engine.Type) bool {
	_, ok := unwrap(other).(*anything)
	return ok
}

func (a *anything) has(*checker, starlark.Value) bool { return true }
func (a *anything) measure() measure                  { return leaf }

func (a *anything) render(side) exactjson.Object { return exactjson.Object{} }
