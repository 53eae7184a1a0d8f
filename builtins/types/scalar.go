package types

import (
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// A scalar is a type without parts: str, int, float, bool and None.
type scalar struct {
	common
	name    string
	json    string // JSON Schema's name
	want    string
	convert func(c *checker, v starlark.Value) (starlark.Value, bool)
	is      func(v starlark.Value) bool
}

func newScalar(name, json, want string, is func(starlark.Value) bool, convert func(*checker, starlark.Value) (starlark.Value, bool)) *scalar {
	s := &scalar{name: name, json: json, want: want, convert: convert, is: is}
	s.self = s
	return s
}

// The types without parts. They are values like 5 is: nothing changes them.
var (
	strType   = newScalar("str", "string", "a string", isA[starlark.String], toStr)
	intType   = newScalar("int", "integer", "an integer", isA[starlark.Int], toInt)
	floatType = newScalar("float", "number", "a number", isA[starlark.Float], toFloat)
	boolType  = newScalar("bool", "boolean", "a boolean", isA[starlark.Bool], toBool)
	noneType  = newScalar("None", "null", "None", isA[starlark.NoneType], toNone)
)

func isA[T starlark.Value](v starlark.Value) bool { _, ok := v.(T); return ok }

func (s *scalar) TypeName() string { return s.name }

func (s *scalar) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	out, ok := s.convert(c, v)
	if !ok {
		c.wrong(s.want, v)
		return nil, false
	}
	if text, isText := out.(starlark.String); isText {
		return out, c.text(text)
	}
	return out, c.one(v)
}

func (s *scalar) render(side) exactjson.Object {
	return exactjson.Object{{Name: "type", Value: s.json}}
}

func (s *scalar) measure() measure { return leaf }

func (s *scalar) same(other engine.Type) bool {
	o, ok := unwrap(other).(*scalar)
	return ok && o.name == s.name
}

func (s *scalar) has(_ *checker, v starlark.Value) bool { return s.is(v) }
