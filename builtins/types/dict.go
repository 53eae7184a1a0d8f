package types

import (
	"errors"
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

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
		return nil, false, errors.New("dict[...] takes two types, of its keys and of its values: dict[str, T]")
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
		return nil, false, fmt.Errorf("dict[%s, ...] is not a type, because JSON has only text keys; write dict[str, %s]", key.TypeName(), elem.TypeName())
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
		c.lower(strict)
		return loose(c, dict)
	}
	fits := c.one(v)
	out := starlark.NewDict(min(dict.Len(), maxParts))
	c.enter(step{kind: toMember})
	for k, v := range dict.Entries() {
		if !d.member(c, out, k, v) {
			fits = false
			if c.over() {
				break
			}
		}
	}
	c.leave()
	return out, fits
}

func (d *dictOf) member(c *checker, out *starlark.Dict, k, v starlark.Value) bool {
	key, ok := k.(starlark.String)
	if !ok {
		c.here().name = "key"
		c.wrong("text as a key, as JSON has: str(key)", k)
		return false
	}
	c.here().name = string(key)
	e, ok := d.elem.check(c, v)
	return ok && c.text(key) && out.SetKey(key, e) == nil
}

func (d *dictOf) render(s side) exactjson.Object {
	var values any = true
	if d.elem != nil && !d.elem.same(anyType) {
		values = d.elem.render(s)
	}
	return exactjson.Object{{Name: "additionalProperties", Value: values}, {Name: "type", Value: "object"}}
}

func (d *dictOf) measure() measure { return around(partsOf(d.elem)...) }

func (d *dictOf) same(other engine.Type) bool {
	o, ok := unwrap(other).(*dictOf)
	return ok && sameOrNil(d.elem, o.elem)
}

func (d *dictOf) has(c *checker, v starlark.Value) bool {
	dict, ok := v.(*starlark.Dict)
	if !ok || d.elem == nil {
		return ok
	}
	for k, v := range dict.Entries() {
		if _, ok := k.(starlark.String); !ok || !c.one(v) || !d.elem.has(c, v) {
			return false
		}
	}
	return true
}
