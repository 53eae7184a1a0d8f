package types

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A Field is a parameter of a tool or a field of a model: its type, and what is
// said about it. Fields are immutable once made and safe for concurrent use; an
// author's field(...) is one.
type Field struct {
	Type    engine.Type
	Default starlark.Value    // nil: none. Frozen, and of the type
	Factory starlark.Callable // nil: none. Makes a default anew each time

	Title, Description string
	Limits

	shown   int // bytes of the default as JSON
	untyped bool
}

// AsField is what an annotation's value says about a parameter or model field: a
// type, or a field(...). The error says what to write instead, for the author.
func AsField(v starlark.Value) (*Field, error) {
	if v, ok := v.(*fieldValue); ok {
		return v.field, nil
	}
	t, err := AsType(v)
	if err != nil {
		return nil, err
	}
	return &Field{Type: t}, nil
}

// Untyped is a tool's parameter with neither type nor default: it takes any value
// and is shown as the reference shows it.
func Untyped() *Field { return &Field{Type: anyType, untyped: true} }

// Required reports whether there is nothing to take when no value comes.
func (f *Field) Required() bool { return f.Default == nil && f.Factory == nil }

// WithDefault is f with the default v, as `x: f = v` says. v has to fit.
func (f *Field) WithDefault(v starlark.Value) (*Field, error) {
	switch {
	case f.Default != nil:
		return nil, errors.New("the default is given twice, as field(default =) and after the type; keep one")
	case f.Factory != nil:
		return nil, errors.New("there is a field(factory =) and a default after the type; keep one")
	}
	out := *f
	if err := out.setDefault(v); err != nil {
		return nil, err
	}
	return &out, nil
}

func (f *Field) setDefault(v starlark.Value) error {
	if _, none := v.(starlark.NoneType); none && !acceptsNone(f.Type) {
		return fmt.Errorf("the default None does not fit %s; write %s | None", f.Type.TypeName(), f.Type.TypeName())
	}
	c := newChecker("")
	c.exactly = true
	out, ok := f.check(&c, v)
	out, wrong := c.result(out, ok)
	if wrong != nil {
		return fmt.Errorf("the default does not fit %s: %s", f.Type.TypeName(), wrong[0])
	}
	data, err := exactjson.Marshal(out)
	if err != nil {
		return fmt.Errorf("the default can't be shown to a client: %w", err)
	}
	f.Default, f.shown = out, len(data)
	return f.measure().tooLarge()
}

// measure is that of the type, and of what is said beside it.
func (f *Field) measure() measure {
	m := shapeOf(f.Type).measure()
	m.bytes = min(m.bytes+len(f.Title)+len(f.Description)+len(f.Pattern)+f.shown, maxTypeBytes+1)
	return m
}

func acceptsNone(t engine.Type) bool {
	c := checker{quiet: true}
	_, ok := shapeOf(t).check(&c, starlark.None)
	return ok
}

// Accept checks v against the type and the limits, as [engine.Type] does.
func (f *Field) Accept(v starlark.Value, path string) (starlark.Value, []engine.Mismatch) {
	c := newChecker(path)
	out, ok := f.check(&c, v)
	return c.result(out, ok)
}

func (f *Field) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	out, ok := shapeOf(f.Type).check(c, v)
	if !ok {
		return nil, false
	}
	return out, f.Limits.none() || f.Limits.check(c, out)
}

// absent is the value of f when none came for the parameter or field called name.
func (f *Field) absent(c *checker, name string) (starlark.Value, bool) {
	if f.Default != nil {
		return f.Default, c.one(f.Default)
	}
	thread := c.thread
	if thread == nil {
		thread = &starlark.Thread{Name: "factory"} // nobody bounds it but we
		defer engine.Limits{}.Apply(thread)()
	}
	v, err := starlark.Call(thread, f.Factory, nil, nil)
	if err != nil {
		c.err = err
		return nil, false
	}
	made := newChecker("")
	made.thread = thread
	out, ok := f.check(&made, v)
	out, wrong := made.result(out, ok)
	if wrong != nil {
		c.err = fmt.Errorf("the factory of %s made a value that does not fit %s: %s", name, f.Type.TypeName(), engine.MismatchText(wrong))
		return nil, false
	}
	return out, c.one(out)
}

// property is f as a property of an object schema, under the title of its name.
func (f *Field) property(name string, s side) exactjson.Object {
	if f.untyped {
		return exactjson.Object{{Name: "title", Value: name}, {Name: "type", Value: "string"}}
	}
	t := shapeOf(f.Type)
	_, null := f.Default.(starlark.NoneType)
	hideNull := s == input && null
	o := f.Limits.apply(t, s, hideNull)
	if !named(t) {
		o = set(o, "title", Titled(name))
	}
	if f.Default != nil && !hideNull {
		o = set(o, "default", f.Default)
	}
	if f.Title != "" {
		o = set(o, "title", f.Title)
	}
	if f.Description != "" {
		o = set(o, "description", f.Description)
	}
	return sorted(o)
}

// named reports whether t brings its own title, or wants none: models, and raw
// schemas, which stay as they were written. None beside them changes nothing.
func named(t shape) bool {
	switch t := unwrap(t).(type) {
	case *union:
		return len(t.rest) == 1 && named(t.rest[0])
	case *Model, *rawSchema:
		return true
	}
	return false
}

func (f *Field) String() string {
	parts := []string{f.Type.TypeName()}
	if f.Default != nil {
		parts = append(parts, "default = "+f.Default.String())
	}
	return "field(" + strings.Join(append(parts, f.Limits.list()...), ", ") + ")"
}

// fieldValue is what field(...) gives to a script.
type fieldValue struct{ field *Field }

var (
	_ starlark.HasAttrs  = (*fieldValue)(nil)
	_ starlark.HasBinary = (*fieldValue)(nil)
)

func (v *fieldValue) String() string        { return v.field.String() }
func (v *fieldValue) Type() string          { return "field" }
func (v *fieldValue) Freeze()               {}
func (v *fieldValue) Truth() starlark.Bool  { return starlark.True }
func (v *fieldValue) Hash() (uint32, error) { return 0, errors.New("unhashable: field") }
func (v *fieldValue) AttrNames() []string   { return nil }

// Attr has nothing to give, and says what was probably meant.
func (v *fieldValue) Attr(name string) (starlark.Value, error) {
	return nil, fmt.Errorf("field(...) declares a value and has no .%s; the value itself may: was the function called without this argument?", name)
}

// Binary refuses field(...) | T.
func (v *fieldValue) Binary(op syntax.Token, _ starlark.Value, _ starlark.Side) (starlark.Value, error) {
	if op != syntax.PIPE {
		return nil, nil
	}
	return nil, fmt.Errorf("field(...) can't be part of a type; write the whole type inside: field(%s | ..., ...)", v.field.Type.TypeName())
}
