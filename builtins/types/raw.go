package types

import (
	"errors"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// rawSchema is schema({...}): JSON Schema as the author wrote it.
type rawSchema struct {
	common
	object exactjson.Object
}

func makeSchema(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, errors.New("schema takes one dict: schema({\"type\": \"string\"})")
	}
	d, ok := args[0].(*starlark.Dict)
	if !ok {
		return nil, errors.New("schema takes one dict")
	}
	r := &rawSchema{}
	r.self = r
	for k, v := range d.Entries() {
		name, _ := starlark.AsString(k)
		r.object = r.object.With(name, v)
	}
	return r, nil
}

// FormSchema is the schema as a question's requestedSchema.
func (r *rawSchema) FormSchema() (exactjson.Object, error) { return r.object, nil }

func (r *rawSchema) TypeName() string             { return "schema" }
func (r *rawSchema) render(side) exactjson.Object { return r.object }
func (r *rawSchema) measure() measure             { return measure{nodes: 1, depth: 1} }
func (r *rawSchema) same(o engine.Type) bool      { return unwrap(o) == shape(r) }
func (r *rawSchema) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	return loose(c, v)
}
func (r *rawSchema) has(v starlark.Value) bool { return true }
