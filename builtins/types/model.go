package types

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A Model is a type with named fields: Stock = model(title = str, copies = int).
// Calling it makes an [Instance]. Models are immutable, equal only to themselves,
// and can't contain themselves.
type Model struct {
	common
	name   string // "" if it was not assigned to one
	title  string // "" for the name
	doc    string
	fields []Parameter
	index  map[string]int
	size   measure
	pos    syntax.Position
}

var (
	_ Schemed             = (*Model)(nil)
	_ starlark.Callable   = (*Model)(nil)
	_ starlark.HasBinary  = (*Model)(nil)
	_ starlark.HasAttrs   = (*Model)(nil)
	_ starlark.Comparable = (*Model)(nil)
)

// taken are the names of types that scripts meet. Starlark compares two values
// whose types have one name without looking further, and its own types then fail
// on a value that is not theirs.
var taken = [...]string{
	"str", "int", "float", "bool", "list", "dict", "any", "None", "enum", "schema", "field", "model", "type",
	"string", "bytes", "tuple", "set", "range", "function", "builtin_function_or_method", "NoneType", "struct", "module",
}

func makeModel(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, modelMistake(args[0])
	}
	m := &Model{index: make(map[string]int, len(kwargs)), pos: engine.CallerPos(thread)}
	m.self = m
	if err := m.rename(assignedName(thread)); err != nil {
		return nil, err
	}
	m.size = measure{nodes: 1, depth: 1}
	for i, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		f, err := AsField(kv[1])
		if err != nil {
			if err := mistaken(thread, name, fmt.Errorf("model: field %s: %w", name, err)); err != nil {
				return nil, err
			}
			f = &Field{Type: anyType}
		}
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("model: the field name %s is not valid UTF-8", kv[0])
		}
		m.size = m.size.with(f.measure()).with(measure{nodes: 1, bytes: 2 * len(name)})
		m.index[name] = i
		m.fields = append(m.fields, Parameter{Name: name, Field: f})
	}
	if err := m.size.tooLarge(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}

func modelMistake(v starlark.Value) error {
	switch v.(type) {
	case starlark.String:
		return errors.New("model takes only fields, model(title = str, copies = int); its name is the one that it is assigned to")
	case *starlark.Dict:
		return errors.New("model takes its fields as keywords, model(title = str, copies = int); for a dict of them write model(**fields)")
	}
	return errors.New("model takes its fields as keywords: model(title = str, copies = int)")
}

func (m *Model) rename(name string) error {
	if slices.Contains(taken[:], name) {
		return fmt.Errorf("a model can't be named %s, which is the name of a built-in type; take another name, with a capital: %s", name, capital(name))
	}
	m.name = name
	return nil
}

func capital(name string) string {
	suggestion := strings.ToUpper(name[:1]) + name[1:]
	if slices.Contains(taken[:], suggestion) {
		return "My" + suggestion
	}
	return suggestion
}

// describe is describe(model, text, title =): the same model with a description.
func describe(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var of starlark.Value
	var text, title string
	if err := starlark.UnpackArgs("describe", args, kwargs, "model", &of, "text?", &text, "title?", &title); err != nil {
		return nil, err
	}
	m, ok := of.(*Model)
	if !ok {
		return nil, fmt.Errorf("describe documents a model, got %s; a field is documented by field(T, description = ...)", engine.Describe(of))
	}
	for name, s := range map[string]string{"text": text, "title": title} {
		if _, err := textOf(name, starlark.String(s)); err != nil {
			return nil, fmt.Errorf("describe: %w", err)
		}
	}
	out := *m
	out.self = &out
	out.doc, out.title = text, title
	out.size.bytes += len(text) + len(title)
	if err := out.size.tooLarge(); err != nil {
		return nil, fmt.Errorf("describe: %w", err)
	}
	if name := assignedName(thread); name != "" {
		if err := out.rename(name); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// Name is the name that the model was assigned to, or "model" if it was not.
func (m *Model) Name() string {
	if m.name == "" {
		return "model"
	}
	return m.name
}

// TypeName is [Model.Name].
func (m *Model) TypeName() string { return m.Name() }

// Named reports whether the model was assigned to a name.
func (m *Model) Named() bool { return m.name != "" }

// Pos is where the script made the model.
func (m *Model) Pos() syntax.Position { return m.pos }

// Fields are the model's fields in order. The caller does not change them.
func (m *Model) Fields() []Parameter { return m.fields }

// Field is the field of that name, or nil.
func (m *Model) Field(name string) *Field {
	i, ok := m.index[name]
	if !ok {
		return nil
	}
	return m.fields[i].Field
}

// Description is what describe() said of the model, or "".
func (m *Model) Description() string { return m.doc }

// Type is "model".
func (m *Model) Type() string { return "model" }

// Attr has nothing to give: a model's instances have its fields.
func (m *Model) Attr(name string) (starlark.Value, error) {
	if _, ok := m.index[name]; ok {
		return nil, fmt.Errorf("%s is a model, and .%s belongs to its instances: %s(%s = ...).%s", m.Name(), name, m.Name(), name, name)
	}
	if hint := engine.DidYouMean(name, m.names()); hint != "" {
		return nil, fmt.Errorf("%s is a model and has no .%s, nor have its instances (%s)", m.Name(), name, hint)
	}
	return nil, fmt.Errorf("%s is a model and has no .%s; its instances have %s", m.Name(), name, strings.Join(m.names(), ", "))
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
		if _, ok := args[0].(*starlark.Dict); ok {
			return nil, fmt.Errorf("%s takes its fields by name; for a dict of them write %s(**fields)", m.Name(), m.Name())
		}
		return nil, fmt.Errorf("%s takes its fields by name: %s(%s)", m.Name(), m.Name(), m.signature())
	}
	values := make([]starlark.Value, len(m.fields))
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		i, ok := m.index[name]
		if !ok {
			return nil, fmt.Errorf("%s: %w", m.Name(), unknownName("field", name, m.names()))
		}
		values[i] = kv[1]
	}
	c := newChecker("")
	c.thread = thread
	in, ok := m.build(&c, source{values: values})
	switch {
	case c.err != nil:
		return nil, c.err
	case !ok:
		return nil, fmt.Errorf("%s: %s", m.Name(), engine.MismatchText(c.mismatches()))
	}
	return in, nil
}

// signature is how a call of the model is written: "title = ..., copies = ...".
func (m *Model) signature() string {
	var b strings.Builder
	for i, name := range m.names() {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name + " = ...")
	}
	return b.String()
}

func (m *Model) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	switch v := v.(type) {
	case *Instance:
		if v.model == m {
			return v, c.spend(v.weight, v)
		}
	case *starlark.Dict:
		c.lower(strict)
		in, ok := m.build(c, source{dict: v})
		if !ok {
			return nil, false
		}
		return in, true
	}
	c.wrong(m.want(), v)
	return nil, false
}

func (m *Model) want() string {
	if m.name == "" {
		return "an object with " + clip(strings.Join(m.names(), ", "))
	}
	return "an object (" + m.name + ")"
}

// A source is where the fields of a new instance come from.
type source struct {
	values []starlark.Value // one a field, nil for none
	dict   *starlark.Dict
}

func (s source) get(i int, name string) starlark.Value {
	if s.dict == nil {
		return s.values[i]
	}
	return sent(s.dict, name)
}

func (m *Model) build(c *checker, from source) (*Instance, bool) {
	in := &Instance{model: m, values: make([]starlark.Value, len(m.fields)), weight: weight{parts: 1, depth: 1}}
	fits, given := c.one(in), 0
	c.enter(step{kind: toMember})
	for i, p := range m.fields {
		c.here().name = p.Name
		v := from.get(i, p.Name)
		var ok bool
		switch {
		case v != nil:
			given++
			v, ok = p.Field.check(c, v)
		case p.Field.Required():
			c.missing(p.Name, wanted(p.Field.Type), m.index, from.dict)
		default:
			v, ok = p.Field.absent(c, p.Name)
		}
		if !ok || !c.freeze(v) {
			fits = false
			if c.over() {
				break
			}
			continue
		}
		in.put(i, v)
	}
	c.leave()
	c.sets(given)
	if want := in.weight.tooHeavy(); fits && want != "" {
		c.wrong(want, in)
		fits = false
	}
	return in, fits
}

func (m *Model) render(s side) exactjson.Object {
	o := Parameters(m.fields).object(s)
	if m.doc != "" {
		o = set(o, "description", m.doc)
	}
	switch {
	case m.title != "":
		o = set(o, "title", m.title)
	case m.name != "":
		o = set(o, "title", m.name)
	}
	return sorted(o)
}

func (m *Model) measure() measure { return m.size }

func (m *Model) same(other engine.Type) bool {
	o, ok := unwrap(other).(*Model)
	return ok && o == m
}

func (m *Model) has(_ *checker, v starlark.Value) bool {
	in, ok := v.(*Instance)
	return ok && in.model == m
}
