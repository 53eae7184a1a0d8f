package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A formField is one property of a form, as a person at the terminal fills it.
type formField struct {
	name     string
	required bool
	schema   json.RawMessage

	Title, Description, Type string
	Default                  json.RawMessage
	choices
	Items choices

	Minimum, Maximum                   json.RawMessage
	ExclusiveMinimum, ExclusiveMaximum json.RawMessage
	MultipleOf                         json.RawMessage
	MinLength, MaxLength               *int
	MinItems, MaxItems                 *int
	Pattern, Format                    string
}

// choices are the texts of an enum, with or without titles.
type choices struct {
	Enum         []string
	OneOf, AnyOf []choice
}

type choice struct{ Const, Title string }

func (c *choices) all() []choice {
	list := append(append([]choice(nil), c.OneOf...), c.AnyOf...)
	for _, value := range c.Enum {
		list = append(list, choice{Const: value})
	}
	return list
}

// read is the choice that a person means by its value or its title.
func (c *choices) read(text string) (string, bool) {
	for _, one := range c.all() {
		if text == one.Const {
			return one.Const, true
		}
	}
	for _, one := range c.all() {
		if strings.EqualFold(text, one.Title) || strings.EqualFold(text, one.Const) {
			return one.Const, true
		}
	}
	return "", false
}

// String is all of them: s (Small), l (Large).
func (c *choices) String() string {
	var words []string
	for _, one := range c.all() {
		if one.Title != "" && one.Title != one.Const {
			words = append(words, fmt.Sprintf("%s (%s)", one.Const, one.Title))
			continue
		}
		words = append(words, one.Const)
	}
	return strings.Join(words, ", ")
}

func newFormField(name string, schema json.RawMessage, required bool) (*formField, error) {
	f := &formField{name: name, schema: schema, required: required}
	if err := json.Unmarshal(schema, f); err != nil {
		return nil, fmt.Errorf("the form's field %s can't be read: %w", name, err)
	}
	return f, nil
}

// prompt is what is asked for: n (How many) [1 to 9] = 2.
func (f *formField) prompt() string {
	text := f.name
	about := f.Description
	if about == "" && !strings.EqualFold(strings.ReplaceAll(f.name, "_", " "), f.Title) {
		about = f.Title
	}
	if about != "" {
		text += " (" + about + ")"
	}
	if bounds := f.bounds(); len(bounds) > 0 {
		text += " [" + strings.Join(bounds, "; ") + "]"
	}
	if f.Default != nil {
		text += " = " + string(f.Default)
	} else if !f.required {
		text += " (may be left empty)"
	}
	return text
}

// bounds say in words what fits.
func (f *formField) bounds() []string {
	var say []string
	add := func(format string, bound any) { say = append(say, fmt.Sprintf(format, bound)) }
	number := func(format string, bound json.RawMessage) {
		if bound != nil {
			add(format, bound)
		}
	}
	length := func(format string, bound *int) {
		if bound != nil {
			add(format, *bound)
		}
	}
	switch f.Type {
	case "boolean":
		return []string{"y/n"}
	case "array":
		add("%s; separated by commas", f.Items.String())
		length("at least %d", f.MinItems)
		length("at most %d", f.MaxItems)
	case "integer", "number":
		number("at least %s", f.Minimum)
		number("more than %s", f.ExclusiveMinimum)
		number("at most %s", f.Maximum)
		number("less than %s", f.ExclusiveMaximum)
		number("a multiple of %s", f.MultipleOf)
	default:
		if list := f.String(); list != "" {
			return []string{list}
		}
		length("at least %d characters", f.MinLength)
		length("at most %d characters", f.MaxLength)
		if f.Pattern != "" {
			add("like %s", f.Pattern)
		}
		if f.Format != "" {
			add("%s", f.Format)
		}
	}
	return say
}

// read is what a line means for the field, or what is wrong with it.
func (f *formField) read(text string) (value json.RawMessage, wrong string) {
	var v any = text
	switch trimmed := strings.TrimSpace(text); f.Type {
	case "boolean":
		switch strings.ToLower(trimmed) {
		case "y", "yes", "true":
			v = true
		case "n", "no", "false":
			v = false
		default:
			return nil, "that is not yes or no"
		}
	case "integer":
		n, ok := new(big.Int).SetString(trimmed, 10)
		if !ok {
			return nil, "that is not a whole number"
		}
		v = json.RawMessage(n.String())
	case "number":
		var n json.Number
		if json.Unmarshal([]byte(trimmed), &n) != nil || strings.HasPrefix(trimmed, `"`) || trimmed == "null" {
			return nil, "that is not a number"
		}
		v = json.RawMessage(trimmed)
	case "array":
		list, unknown := f.list(trimmed)
		if unknown != "" {
			return nil, fmt.Sprintf("%q is none of them: %s", unknown, f.Items.String())
		}
		v = list
	default:
		if len(f.all()) > 0 {
			chosen, ok := f.choices.read(trimmed)
			if !ok {
				return nil, "that is none of them: " + f.String()
			}
			v = chosen
		}
	}
	value = exactjson.MustMarshal(v)
	if misfit := misfits(f.schema, value); len(misfit) > 0 {
		return nil, "that does not fit: " + misfit[0].String()
	}
	return value, ""
}

// list is what a line with commas means, or the part that is no choice.
func (f *formField) list(text string) (list []string, unknown string) {
	list = []string{}
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		chosen, ok := f.Items.read(part)
		if !ok && len(f.Items.all()) > 0 {
			return nil, part
		}
		if !ok {
			chosen = part
		}
		list = append(list, chosen)
	}
	return list, ""
}
