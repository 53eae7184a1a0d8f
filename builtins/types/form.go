package types

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// formHolds is what to write instead of a field that a form can't hold.
const formHolds = `a form holds str, int, float, bool, enum("a", "b"), list[enum("a", "b")], and one of them | None`

// FormSchema is the requestedSchema of a question that a person answers by filling
// in the model: flat, with an optional field as its plain type.
func (m *Model) FormSchema() (exactjson.Object, error) {
	properties := make(exactjson.Object, len(m.fields))
	var required []string
	for i, p := range m.fields {
		o, err := p.formProperty()
		if err != nil {
			return nil, fmt.Errorf("field %s of %s %w; %s", p.Name, m.Name(), err, formHolds)
		}
		properties[i] = exactjson.Member{Name: p.Name, Value: o}
		if p.Field.Required() {
			required = append(required, p.Name)
		}
	}
	o := m.render(input)
	o = set(o, "properties", properties)
	if required != nil {
		o = set(o, "required", required)
	}
	return o, nil
}

func (p Parameter) formProperty() (exactjson.Object, error) {
	f := p.Field
	t := unwrap(f.Type)
	if u, ok := t.(*union); ok {
		if len(u.rest) > 1 {
			return nil, fmt.Errorf("is %s, a choice of types", clip(u.TypeName()))
		}
		t = unwrap(u.rest[0])
	}
	if err := fitsForm(t, f.Format); err != nil {
		return nil, err
	}
	plain := *f
	plain.Type = t
	if _, null := f.Default.(starlark.NoneType); null {
		plain.Default = nil
	}
	o := plain.property(p.Name, input)
	if list, ok := t.(*listOf); ok {
		o = set(o, "items", unwrap(list.elem).(*enum).formItems())
	}
	if p.Description != "" && f.Description == "" {
		o = sorted(set(o, "description", p.Description))
	}
	return o, nil
}

func fitsForm(t shape, format string) error {
	switch t := t.(type) {
	case *scalar:
		if t == noneType {
			return fmt.Errorf("can only be None")
		}
		if _, ok := formatNamed(format); format != "" && !ok {
			return fmt.Errorf("has the format %s, and a form knows only date, date-time, email and uri", format)
		}
		return nil
	case *enum:
		if t.texts() || t.integers() && !t.titled {
			return nil
		}
		return fmt.Errorf("is %s, of texts and integers together", clip(t.TypeName()))
	case *listOf:
		if t.elem != nil {
			if e, ok := unwrap(t.elem).(*enum); ok && e.texts() {
				return nil
			}
		}
		return fmt.Errorf("is %s, and a list in a form is a choice of several texts", t.TypeName())
	case *rawSchema:
		return flatProperty(t.object)
	case *Model:
		return fmt.Errorf("is the model %s, and forms are flat", t.Name())
	}
	return fmt.Errorf("is %s", clip(t.TypeName()))
}

// formItems is the elements of a multi-select. With titles they carry no type,
// which the protocol's schema does not allow there.
func (e *enum) formItems() exactjson.Object {
	if e.titled {
		return exactjson.Object{{Name: "anyOf", Value: e.titles()}}
	}
	return exactjson.Object{{Name: "enum", Value: e.values()}, {Name: "type", Value: "string"}}
}

// FormSchema is the schema as it was written, if it is flat.
func (r *rawSchema) FormSchema() (exactjson.Object, error) {
	if err := flat(r.object); err != nil {
		return nil, fmt.Errorf("this schema can't be a form: %w", err)
	}
	return r.object, nil
}

func flat(o exactjson.Object) error {
	if !says(o, "type", "object") {
		return fmt.Errorf(`its "type" has to be "object"`)
	}
	properties, ok := o.Get("properties").(exactjson.Object)
	if !ok {
		return fmt.Errorf(`it has no "properties"`)
	}
	for _, m := range o {
		switch m.Name {
		case "type", "properties", "required", "title", "description", "additionalProperties", "$schema", "$id", "$comment", "default", "examples":
		default:
			return fmt.Errorf("a form is an object with properties and nothing more; leave out %q", m.Name)
		}
	}
	for _, p := range properties {
		object, ok := p.Value.(exactjson.Object)
		if !ok {
			return fmt.Errorf("property %s has no type", p.Name)
		}
		if err := flatProperty(object); err != nil {
			return fmt.Errorf("property %s %w; a property is a string, number, integer, boolean, a choice (enum), or an array of choices", p.Name, err)
		}
	}
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.Name
	}
	for _, name := range (&rawNode{object: o}).required() {
		if !slices.Contains(names, name) {
			return fmt.Errorf("it requires %s, which is not among its properties (%s)", name, strings.Join(names, ", "))
		}
	}
	return nil
}

func says(o exactjson.Object, keyword, value string) bool {
	s, ok := o.Get(keyword).(starlark.String)
	return ok && string(s) == value
}

// flatProperty refuses what is not one of the protocol's primitive schemas.
func flatProperty(o exactjson.Object) error {
	for _, keyword := range []string{"anyOf", "allOf", "not", "if", "properties"} {
		if o.Get(keyword) != nil {
			return fmt.Errorf("has %q, and a form's property is flat", keyword)
		}
	}
	name, _ := o.Get("type").(starlark.String)
	switch string(name) {
	case "string":
		if format, ok := o.Get("format").(starlark.String); ok {
			if _, known := formatNamed(string(format)); !known {
				return fmt.Errorf("has the format %s, and a form knows only date, date-time, email and uri", clip(string(format)))
			}
		}
		if o.Get("oneOf") != nil && !titledChoices(o.Get("oneOf")) {
			return fmt.Errorf(`has "oneOf", which in a form is a list of {"const": ..., "title": ...}`)
		}
		return nil
	case "number", "integer", "boolean":
		if o.Get("oneOf") != nil {
			return fmt.Errorf(`has "oneOf", which in a form is for strings`)
		}
		return nil
	case "array":
		return flatItems(o.Get("items"))
	case "":
		return fmt.Errorf("has no single type")
	}
	return fmt.Errorf("is of type %s", string(name))
}

func flatItems(v any) error {
	items, ok := v.(exactjson.Object)
	switch {
	case !ok:
	case says(items, "type", "string") && items.Get("enum") != nil && items.Get("anyOf") == nil:
		return nil
	case items.Get("type") == nil && titledChoices(items.Get("anyOf")):
		return nil
	}
	return fmt.Errorf(`is an array, whose items in a form are {"type": "string", "enum": [...]} or {"anyOf": [{"const": ..., "title": ...}]}`)
}

func titledChoices(v any) bool {
	list, ok := v.([]any)
	for _, c := range list {
		o, isObject := c.(exactjson.Object)
		if !isObject || !isText(o.Get("const")) || !isText(o.Get("title")) {
			return false
		}
	}
	return ok
}

func isText(v any) bool { _, ok := v.(starlark.String); return ok }
