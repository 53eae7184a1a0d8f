package types

import (
	"errors"
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// listOf is list[T], or list when elem is nil.
type listOf struct {
	common
	elem shape
}

func newList(elem shape) *listOf {
	l := &listOf{elem: elem}
	l.self = l
	return l
}

var bareList = newList(nil)

func (l *listOf) TypeName() string {
	if l.elem == nil {
		return "list"
	}
	return "list[" + l.elem.TypeName() + "]"
}

// Get is list[T].
func (l *listOf) Get(k starlark.Value) (starlark.Value, bool, error) {
	if l.elem != nil {
		return nil, false, noIndex(l)
	}
	if _, ok := k.(starlark.Tuple); ok {
		return nil, false, errors.New("list[...] takes one type, the one of its elements; for elements of several types write list[A | B]")
	}
	elem, err := AsType(k)
	if err != nil {
		return nil, false, fmt.Errorf("list[...]: %w", err)
	}
	t := newList(shapeOf(elem))
	return t, true, t.measure().tooLarge()
}

func (l *listOf) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	list, ok := v.(*starlark.List)
	if ok && l.elem == nil {
		c.lower(strict)
		return loose(c, list)
	}
	if !ok {
		seq, ok := sequence(v)
		if !ok || c.exactly {
			c.wrong("a list", v)
			return nil, false
		}
		c.lower(lax)
		return l.elements(c, seq)
	}
	return l.elements(c, list)
}

// sequence is v if Python would make a list of it where one is wanted.
func sequence(v starlark.Value) (starlark.Sequence, bool) {
	switch v := v.(type) {
	case starlark.Tuple:
		return v, true
	case *starlark.Set:
		return v, true
	case starlark.Sequence:
		return v, v.Type() == "range"
	}
	return nil, false
}

func (l *listOf) elements(c *checker, seq starlark.Sequence) (starlark.Value, bool) {
	n := seq.Len()
	if n > maxParts {
		return nil, c.spend(weight{parts: n}, seq)
	}
	var elem shape = anyType
	if l.elem != nil {
		elem = l.elem
	}
	fits := c.one(seq)
	out := make([]starlark.Value, 0, n)
	c.enter(step{kind: toElement})
	iter := seq.Iterate()
	defer iter.Done()
	var v starlark.Value
	for i := 0; iter.Next(&v); i++ {
		c.here().index = i
		e, ok := elem.check(c, v)
		out = append(out, e)
		if !ok {
			fits = false
			if c.over() {
				break
			}
		}
	}
	c.leave()
	return starlark.NewList(out), fits
}

func (l *listOf) render(s side) exactjson.Object {
	items := exactjson.Object{}
	if l.elem != nil {
		items = l.elem.render(s)
	}
	return exactjson.Object{{Name: "items", Value: items}, {Name: "type", Value: "array"}}
}

func (l *listOf) measure() measure { return around(partsOf(l.elem)...) }

func (l *listOf) same(other engine.Type) bool {
	o, ok := unwrap(other).(*listOf)
	return ok && sameOrNil(l.elem, o.elem)
}

func (l *listOf) has(c *checker, v starlark.Value) bool {
	list, ok := v.(*starlark.List)
	if !ok || l.elem == nil {
		return ok
	}
	for i := range list.Len() {
		if !c.one(v) || !l.elem.has(c, list.Index(i)) {
			return false
		}
	}
	return true
}

func partsOf(elem shape) []shape {
	if elem == nil {
		return nil
	}
	return []shape{elem}
}

func sameOrNil(a, b shape) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.same(b)
}
