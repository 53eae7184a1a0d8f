package types

import (
	"errors"
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// rawSchema is schema({...}): JSON Schema as the author wrote it, but for local
// references, which are written out because many clients don't follow them.
type rawSchema struct {
	common
	object exactjson.Object
	root   *rawNode
	size   measure
}

func makeSchema(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, errors.New(`schema takes one dict, the JSON Schema: schema({"type": "string"})`)
	}
	d, ok := args[0].(*starlark.Dict)
	if !ok {
		if isA[starlark.String](args[0]) {
			return nil, errors.New("schema takes a dict, not text; write schema(json.decode(text))")
		}
		return nil, fmt.Errorf(`schema takes a dict, the JSON Schema: schema({"type": "string"}); got %s`, engine.Describe(args[0]))
	}
	r := &rawSchema{}
	r.self = r
	var err error
	if r.object, r.size, err = readSchema(d); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if r.root, err = newRawNode(r.object, r.object.Get("$schema")); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return r, nil
}

func (r *rawSchema) TypeName() string {
	if title, ok := r.object.Get("title").(starlark.String); ok {
		return "schema(" + clip(string(title)) + ")"
	}
	return "schema({...})"
}

func (r *rawSchema) render(side) exactjson.Object { return r.object }
func (r *rawSchema) measure() measure             { return r.size }

func (r *rawSchema) same(other engine.Type) bool {
	o, ok := unwrap(other).(*rawSchema)
	if !ok || o == r {
		return ok
	}
	return string(exactjson.MustMarshal(r.object)) == string(exactjson.MustMarshal(o.object))
}

func (r *rawSchema) has(_ *checker, v starlark.Value) bool {
	c := checker{quiet: true}
	_, ok := r.check(&c, v)
	return ok
}

func (r *rawSchema) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	c.lower(strict)
	if _, ok := loose(c, v); !ok {
		return nil, false
	}
	v, _ = r.root.fill(v)
	copied, err := copyOf(v)
	if err != nil {
		c.wrong("a JSON value: "+err.Error(), v)
		return nil, false
	}
	return v, r.root.check(c, v, copied)
}
