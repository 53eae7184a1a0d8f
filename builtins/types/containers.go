package types

import (
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
	if pair, ok := k.(starlark.Tuple); ok {
		return nil, false, fmt.Errorf("list[...] takes one type, the one of its elements; for elements of several types write list[A | B] (got %d)", len(pair))
	}
	elem, err := AsType(k)
	if err != nil {
		return nil, false, fmt.Errorf("list[...]: %w", err)
	}
	t := newList(shapeOf(elem))
	return t, true, t.measure().tooLarge()
}

func (l *listOf) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	seq, ok := v.(starlark.Sequence)
	switch v.(type) {
	case *starlark.List:
	case starlark.Tuple, *starlark.Set:
		c.lower(lax)
	default:
		if ok && v.Type() == "range" {
			c.lower(lax)
			break
		}
		ok = false
	}
	if !ok || !c.count(v) {
		if !ok {
			c.wrong("a list", v)
		}
		return nil, false
	}
	if list, ok := v.(*starlark.List); ok && l.elem == nil {
		return loose(c, list)
	}
	return l.elements(c, seq)
}

func (l *listOf) elements(c *checker, seq starlark.Sequence) (starlark.Value, bool) {
	n := seq.Len()
	if n > maxParts {
		c.parts = maxParts
		c.count(seq)
		return nil, false
	}
	elem, fits := l.elem, true
	if elem == nil {
		elem = anyType
	}
	out := make([]starlark.Value, 0, n)
	c.enter(step{kind: intoIndex})
	defer c.leave()
	iter := seq.Iterate()
	defer iter.Done()
	var v starlark.Value
	for i := 0; iter.Next(&v); i++ {
		c.path[len(c.path)-1].index = i
		e, ok := elem.check(c, v)
		if !ok {
			fits = false
			if c.quiet || c.tooMany {
				break
			}
		}
		out = append(out, e)
	}
	return starlark.NewList(out), fits
}

func (l *listOf) render(s side) exactjson.Object {
	items := exactjson.Object{}
	if l.elem != nil {
		items = l.elem.render(s)
	}
	return exactjson.Object{{Name: "items", Value: items}, {Name: "type", Value: "array"}}
}

func (l *listOf) measure() measure {
	if l.elem == nil {
		return measure{nodes: 1, depth: 1}
	}
	return around(l.elem)
}

func (l *listOf) same(other engine.Type) bool {
	o, ok := unwrap(other).(*listOf)
	return ok && sameOrNil(l.elem, o.elem)
}

func (l *listOf) has(v starlark.Value) bool {
	list, ok := v.(*starlark.List)
	if !ok || l.elem == nil {
		return ok
	}
	for i := range list.Len() {
		if !l.elem.has(list.Index(i)) {
			return false
		}
	}
	return true
}

func sameOrNil(a, b shape) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.same(b)
}

// dictOf is dict[str, T], or dict when elem is nil.
type dictOf struct {
	common
	elem shape
}

func newDict(elem shape) *dictOf {
	d := &dictOf{elem: elem}
	d.self = d
	return d
}

var bareDict = newDict(nil)

func (d *dictOf) TypeName() string {
	if d.elem == nil {
		return "dict"
	}
	return "dict[str, " + d.elem.TypeName() + "]"
}

// Get is dict[str, T].
func (d *dictOf) Get(k starlark.Value) (starlark.Value, bool, error) {
	if d.elem != nil {
		return nil, false, noIndex(d)
	}
	pair, ok := k.(starlark.Tuple)
	if !ok || len(pair) != 2 {
		return nil, false, fmt.Errorf("dict[...] takes two types, the ones of its keys and its values: dict[str, T]")
	}
	key, err := AsType(pair[0])
	if err != nil {
		return nil, false, fmt.Errorf("dict[...]: %w", err)
	}
	elem, err := AsType(pair[1])
	if err != nil {
		return nil, false, fmt.Errorf("dict[...]: %w", err)
	}
	if !strType.same(key) {
		return nil, false, fmt.Errorf("dict[%s, ...]: JSON has only text keys; write dict[str, %s]", key.TypeName(), elem.TypeName())
	}
	t := newDict(shapeOf(elem))
	return t, true, t.measure().tooLarge()
}

func (d *dictOf) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	dict, ok := v.(*starlark.Dict)
	if !ok {
		c.wrong("an object", v)
		return nil, false
	}
	if d.elem == nil {
		return loose(c, dict)
	}
	if !c.count(v) {
		return nil, false
	}
	fits := true
	out := starlark.NewDict(dict.Len())
	c.enter(step{})
	defer c.leave()
	for k, v := range dict.Entries() {
		key, ok := k.(starlark.String)
		if !ok {
			c.path[len(c.path)-1].name = "key"
			c.wrong("text as a key: str(key)", k)
			fits = false
			continue
		}
		c.path[len(c.path)-1].name = string(key)
		e, ok := d.elem.check(c, v)
		if !ok {
			fits = false
			if c.quiet || c.tooMany {
				break
			}
			continue
		}
		if err := out.SetKey(key, e); err != nil {
			return nil, false
		}
	}
	return out, fits
}

func (d *dictOf) render(s side) exactjson.Object {
	var values any = true
	if d.elem != nil {
		values = d.elem.render(s)
		if d.elem.same(anyType) {
			values = true
		}
	}
	return exactjson.Object{{Name: "additionalProperties", Value: values}, {Name: "type", Value: "object"}}
}

func (d *dictOf) measure() measure {
	if d.elem == nil {
		return measure{nodes: 1, depth: 1}
	}
	return around(d.elem)
}

func (d *dictOf) same(other engine.Type) bool {
	o, ok := unwrap(other).(*dictOf)
	return ok && sameOrNil(d.elem, o.elem)
}

func (d *dictOf) has(v starlark.Value) bool {
	dict, ok := v.(*starlark.Dict)
	if !ok || d.elem == nil {
		return ok
	}
	for k, v := range dict.Entries() {
		if _, ok := k.(starlark.String); !ok || !d.elem.has(v) {
			return false
		}
	}
	return true
}
