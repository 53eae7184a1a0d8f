package types

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A Model is a type with named fields: Stock = model(title = str, copies = int).
// Calling it makes an [Instance]. Models are immutable and equal only to
// themselves.
type Model struct {
	common
	name   string // "" when it was not assigned to one
	title  string
	doc    string
	fields []Parameter
	index  map[string]int
	size   measure
	pos    syntax.Position
}

var (
	_ engine.Type         = (*Model)(nil)
	_ starlark.Callable   = (*Model)(nil)
	_ starlark.HasBinary  = (*Model)(nil)
	_ starlark.HasAttrs   = (*Model)(nil)
	_ starlark.Comparable = (*Model)(nil)
)

// reserved are names that a model can't have, because Starlark compares values
// whose types have one name as if they were of one Go type.
var reserved = [...]string{
	"str", "int", "float", "bool", "list", "dict", "any", "None", "enum", "schema", "field", "model", "type",
	"string", "bytes", "tuple", "set", "range", "function", "builtin_function_or_method", "NoneType", "struct", "module",
}

func makeModel(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, errors.New("model takes only fields, model(title = str, copies = int); its name is the one it is assigned to")
	}
	m := &Model{name: assignedName(thread), index: make(map[string]int, len(kwargs)), pos: engine.CallerPos(thread)}
	m.self = m
	if slices.Contains(reserved[:], m.name) {
		return nil, fmt.Errorf("a model can't be named %s, which is the name of a built-in type; choose another, for instance %s", m.name, Titled(m.name)+"Data")
	}
	parts := make([]shape, len(kwargs))
	for i, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		f, err := AsField(kv[1])
		if err != nil {
			return nil, fmt.Errorf("model: field %s: %w", name, err)
		}
		parts[i] = shapeOf(f.Type)
		m.index[name] = i
		m.fields = append(m.fields, Parameter{Name: name, Field: f, Description: f.Description})
	}
	m.size = around(parts...)
	m.size.nodes += len(parts)
	if err := m.size.tooLarge(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}

// describe is describe(model, text, title =): the model with a description.
func describe(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of starlark.Value
	var text, title string
	if err := starlark.UnpackArgs("describe", args, kwargs, "model", &of, "text", &text, "title?", &title); err != nil {
		return nil, err
	}
	m, ok := of.(*Model)
	if !ok {
		return nil, fmt.Errorf("describe documents a model, got %s; for a field write field(T, description = ...)", engine.Describe(of))
	}
	out := *m
	out.self = &out
	out.doc, out.title = text, title
	if name := assignedName(thread); name != "" {
		out.name = name
	}
	if slices.Contains(reserved[:], out.name) {
		return nil, fmt.Errorf("a model can't be named %s, which is the name of a built-in type", out.name)
	}
	return &out, nil
}

// Name is the name that the model was assigned to, or "model".
func (m *Model) Name() string { return m.TypeName() }

// Named reports whether the model has a name, as all have that were assigned to one.
func (m *Model) Named() bool { return m.name != "" }

// Pos is where the model was made.
func (m *Model) Pos() syntax.Position { return m.pos }

// Fields are the model's fields in order. The caller does not change them.
func (m *Model) Fields() []Parameter { return m.fields }

// Description is what describe said of the model, or "".
func (m *Model) Description() string { return m.doc }

func (m *Model) TypeName() string {
	if m.name == "" {
		return "model"
	}
	return m.name
}

func (m *Model) String() string { return m.TypeName() }
func (m *Model) Type() string   { return "model" }

// Attr has nothing to give: what was meant is the field of an instance.
func (m *Model) Attr(name string) (starlark.Value, error) {
	if _, ok := m.index[name]; ok {
		return nil, fmt.Errorf("%s is a model; its instances have .%s: make one, %s(%s = ...)", m.TypeName(), name, m.TypeName(), name)
	}
	return nil, fmt.Errorf("%s is a model and has no .%s; its instances have %s", m.TypeName(), name, strings.Join(m.names(), ", "))
}

func (m *Model) names() []string {
	out := make([]string, len(m.fields))
	for i, f := range m.fields {
		out[i] = f.Name
	}
	return out
}

// CallInternal makes an instance of keyword arguments.
func (m *Model) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("%s takes its fields by name: %s(%s)", m.TypeName(), m.TypeName(), strings.Join(m.names(), " = ..., ")+" = ...")
	}
	values := make([]starlark.Value, len(m.fields))
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		i, ok := m.index[name]
		if !ok {
			return nil, fmt.Errorf("%s: %w", m.TypeName(), unknownWord("field", name, m.names()))
		}
		values[i] = kv[1]
	}
	c := checker{thread: thread, fit: exact, fields: -1}
	in, ok := m.build(&c, func(i int) starlark.Value { return values[i] }, nil)
	if c.err != nil {
		return nil, c.err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %s", m.TypeName(), engine.MismatchText(c.mismatches()))
	}
	return in, nil
}

func (m *Model) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	if !c.count(v) {
		return nil, false
	}
	switch v := v.(type) {
	case *Instance:
		if v.model == m {
			c.parts += v.weight.parts
			return v, true
		}
	case *starlark.Dict:
		c.lower(strict)
		return m.build(c, func(i int) starlark.Value {
			got, _, _ := v.Get(starlark.String(m.fields[i].Name))
			return got
		}, v)
	}
	c.wrong(m.want(), v)
	return nil, false
}

func (m *Model) want() string {
	if m.name == "" {
		return "an object with " + strings.Join(m.names(), ", ")
	}
	return "an object of " + m.name
}

// build makes an instance of the values that get gives, nil for an absent one.
// from is the dict they come from, if any.
func (m *Model) build(c *checker, get func(i int) starlark.Value, from *starlark.Dict) (starlark.Value, bool) {
	in := &Instance{model: m, values: make([]starlark.Value, len(m.fields)), weight: weight{parts: 1, depth: 1}}
	fits, given, before := true, 0, c.parts
	c.enter(step{})
	defer c.leave()
	for i, p := range m.fields {
		c.path[len(c.path)-1].name = p.Name
		v := get(i)
		var ok bool
		switch {
		case v != nil:
			given++
			v, ok = p.Field.check(c, v)
		case p.Field.Required():
			c.missing(p, m.index, from)
		default:
			v, ok = p.Field.absent(c)
		}
		if !ok {
			fits = false
			if c.quiet || c.tooMany || c.err != nil {
				break
			}
			continue
		}
		in.set(i, v)
	}
	if !fits {
		return nil, false
	}
	c.setFields(given)
	in.weight.parts += c.parts - before
	return in, true
}

func (m *Model) render(s side) exactjson.Object {
	o := Parameters(m.fields).object(s)
	if m.doc != "" {
		o = set(o, "description", m.doc)
	}
	title := m.title
	if title == "" {
		title = m.TypeName()
	}
	return sorted(set(o, "title", title))
}

func (m *Model) measure() measure { return m.size }

func (m *Model) same(other engine.Type) bool { return unwrap(other) == shape(m) }

func (m *Model) has(v starlark.Value) bool {
	in, ok := v.(*Instance)
	return ok && in.model == m
}
