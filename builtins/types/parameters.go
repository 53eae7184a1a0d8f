package types

import (
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// A Parameter is a named [Field].
type Parameter struct {
	Name        string
	Field       *Field
	Description string // from the docstring; the field's own wins
}

// Parameters are those of a tool that the model sends, in order.
type Parameters []Parameter

// Schema is the tool's inputSchema.
func (ps Parameters) Schema(title string) exactjson.Object {
	return ps.object(input).With("title", title)
}

// object is an object schema without a title.
func (ps Parameters) object(s side) exactjson.Object {
	properties := make(exactjson.Object, len(ps))
	var required []string
	for i, p := range ps {
		o := p.Field.property(p.Name, s)
		if p.Description != "" && p.Field.Description == "" {
			o = sorted(set(o, "description", p.Description))
		}
		properties[i] = exactjson.Member{Name: p.Name, Value: o}
		if p.Field.Required() {
			required = append(required, p.Name)
		}
	}
	o := exactjson.Object{{Name: "properties", Value: properties}}
	if required != nil {
		o = o.With("required", required)
	}
	return o.With("type", "object")
}

// Bind checks what a client sent: the value of every parameter in order, with
// conversions and defaults applied, all frozen. Arguments without a parameter are
// ignored. args may be nil and is not kept, but what it holds is frozen.
//
// values is only meaningful when there are no problems. err is the failure of a
// factory, which runs on thread.
func (ps Parameters) Bind(thread *starlark.Thread, args *starlark.Dict) (values []starlark.Value, problems []engine.Mismatch, err error) {
	var known map[string]int
	var steps [4]step
	c := newChecker("")
	c.thread = thread
	c.path = steps[:1]
	values = make([]starlark.Value, len(ps))
	for i, p := range ps {
		c.path[0].name = p.Name
		v := sent(args, p.Name)
		var ok bool
		switch {
		case v != nil:
			v, ok = p.Field.check(&c, p.Field.unquote(v))
		case p.Field.Required():
			if known == nil {
				known = ps.index()
			}
			c.missing(p.Name, wanted(p.Field.Type), known, args)
		default:
			v, ok = p.Field.absent(&c, p.Name)
		}
		if c.err != nil {
			return nil, nil, c.err
		}
		if ok && c.freeze(v) {
			values[i] = v
		}
	}
	return values, c.mismatches(), nil
}

// sent is the member of that name, or nil.
func sent(args *starlark.Dict, name string) starlark.Value {
	if args == nil {
		return nil
	}
	if v, found, _ := args.Get(starlark.String(name)); found {
		return v
	}
	return nil
}

func (ps Parameters) index() map[string]int {
	out := make(map[string]int, len(ps))
	for i, p := range ps {
		out[p.Name] = i
	}
	return out
}

// missing notes that nothing came under the name, and which unknown member of from
// may have been meant for it.
func (c *checker) missing(name, want string, known map[string]int, from *starlark.Dict) {
	if !c.listing() {
		return
	}
	got := "nothing"
	if near := engine.Nearest(name, unknownIn(from, known)); near != "" {
		got = fmt.Sprintf("nothing (did you mean to send it as %s? you sent %s)", name, near)
	}
	c.found = append(c.found, engine.Mismatch{Path: c.at(), Want: want, Got: got})
}

// unknownIn are the first members of a dict that are not known.
func unknownIn(from *starlark.Dict, known map[string]int) []string {
	const most = 100 // each is compared with the name that is missing
	if from == nil {
		return nil
	}
	var out []string
	for k := range from.Entries() {
		name, ok := starlark.AsString(k)
		if _, taken := known[name]; !ok || taken {
			continue
		}
		if out = append(out, name); len(out) == most {
			break
		}
	}
	return out
}

// wanted is a type in words.
func wanted(t engine.Type) string {
	switch t := unwrap(t).(type) {
	case *scalar:
		return t.want
	case *anything:
		return "a value"
	case *listOf:
		return "a list"
	case *dictOf:
		return "an object"
	case *enum:
		return t.want(starlark.None)
	case *Model:
		return t.want()
	case *rawSchema:
		return "a value that fits its schema"
	}
	return t.TypeName()
}

// unquote is v, or what it says as JSON: clients like to send lists and objects as
// text. Text for a type that takes text stays text.
func (f *Field) unquote(v starlark.Value) starlark.Value {
	text, ok := v.(starlark.String)
	if !ok || f.untyped || takesText(shapeOf(f.Type), text) {
		return v
	}
	read, err := exactjson.Decode([]byte(text), exactjson.Limits{})
	if err != nil {
		return v
	}
	switch read.(type) {
	case *starlark.List, *starlark.Dict, starlark.NoneType:
		return read
	}
	return v
}

func takesText(t shape, v starlark.String) bool {
	switch t := unwrap(t).(type) {
	case *scalar:
		return t == strType
	case *anything:
		return true
	case *enum:
		return !t.integers()
	case *union:
		for _, m := range t.members {
			if takesText(m, v) {
				return true
			}
		}
		return false
	case *listOf, *dictOf, *Model:
		return false
	}
	_, ok := t.check(&checker{quiet: true}, v)
	return ok
}
