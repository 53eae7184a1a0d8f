package engine

import (
	"encoding/json"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// Unfold calls visit for v and for every value inside it, as often as printing,
// comparing or freezing would meet it. A list that holds one list a thousand
// times counts a thousand times: forty lines of a script can build a value that
// would take years to print, so whoever prints, compares or freezes what a
// script made unfolds it first.
//
// More than most values, or more than 200 levels (so: a value that contains
// itself), are an error, and so is the first error of visit. Functions, ranges
// and values of unknown types count as one. Of an [exactjson.Encodable], visit also
// sees the values and the text that its JSON form is made of.
func Unfold(v starlark.Value, most int, visit func(starlark.Value) error) error {
	u := unfolding{most: most, visit: visit}
	return u.walk(v, 0)
}

const unfoldDepth = 200

type unfolding struct {
	most, seen int
	visit      func(starlark.Value) error
}

func (u *unfolding) walk(v any, depth int) error {
	if u.seen++; u.seen > u.most {
		return fmt.Errorf("a value that holds more than %d values", u.most)
	}
	if depth > unfoldDepth {
		return fmt.Errorf("a value nested deeper than %d (does it contain itself?)", unfoldDepth)
	}
	if v := asValue(v); v != nil {
		if err := u.visit(v); err != nil {
			return err
		}
	}
	return u.inside(v, depth+1)
}

// asValue shows visit what an [exactjson.Encodable] is made of; nil has no size.
func asValue(v any) starlark.Value {
	switch v := v.(type) {
	case starlark.Value:
		return v
	case string:
		return starlark.String(v)
	case json.RawMessage:
		return starlark.String(v)
	}
	return nil
}

func (u *unfolding) inside(v any, depth int) error {
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			if err := u.walk(v.Index(i), depth); err != nil {
				return err
			}
		}
	case starlark.Tuple:
		return each(v, func(elem starlark.Value) error { return u.walk(elem, depth) })
	case *starlark.Dict:
		return each(v.Items(), func(item starlark.Tuple) error {
			if err := u.walk(item[0], depth); err != nil {
				return err
			}
			return u.walk(item[1], depth)
		})
	case *starlark.Set:
		iter := v.Iterate()
		defer iter.Done()
		var elem starlark.Value
		for iter.Next(&elem) {
			if err := u.walk(elem, depth); err != nil {
				return err
			}
		}
	case *starlarkstruct.Struct:
		return each(v.AttrNames(), func(name string) error {
			field, err := v.Attr(name)
			if err != nil {
				return err
			}
			return u.walk(field, depth)
		})
	case exactjson.Encodable:
		return u.walk(v.JSON(), depth)
	case exactjson.Object:
		return each(v, func(m exactjson.Member) error { return u.walk(m.Value, depth) })
	case []any:
		return each(v, func(elem any) error { return u.walk(elem, depth) })
	}
	return nil
}

func each[T any](elems []T, do func(T) error) error {
	for _, elem := range elems {
		if err := do(elem); err != nil {
			return err
		}
	}
	return nil
}
