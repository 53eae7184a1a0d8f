package types

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// An enum is a choice of texts or integers, each with an optional title.
type enum struct {
	common
	choices []choice
	titled  bool
}

type choice struct {
	value starlark.Value // String or Int
	title string
}

func makeEnum(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	e := &enum{titled: len(kwargs) > 0}
	e.self = e
	for _, v := range args {
		switch v.(type) {
		case starlark.String, starlark.Int:
		case *starlark.List, starlark.Tuple:
			return nil, fmt.Errorf("enum takes its choices one by one: write enum(*choices), or enum(\"a\", \"b\")")
		default:
			return nil, fmt.Errorf("enum: a choice is text or an integer, got %s", engine.Describe(v))
		}
		title, ok := starlark.AsString(v)
		if !ok {
			title = v.String()
		}
		e.choices = append(e.choices, choice{v, title})
	}
	for _, kv := range kwargs {
		title, ok := starlark.AsString(kv[1])
		if !ok {
			return nil, fmt.Errorf("enum: the title of %s is text, got %s", kv[0], engine.Describe(kv[1]))
		}
		e.choices = append(e.choices, choice{kv[0], title})
	}
	return e, e.valid()
}

func (e *enum) valid() error {
	const most = 1000
	if len(e.choices) == 0 {
		return errors.New(`enum needs at least one choice: enum("a", "b")`)
	}
	if len(e.choices) > most {
		return fmt.Errorf("enum: %d choices, more than %d; take a str and check it", len(e.choices), most)
	}
	seen := make(map[string]bool)
	for _, ch := range e.choices {
		if key := ch.value.String(); seen[key] {
			return fmt.Errorf("enum: the choice %s is there twice", key)
		} else {
			seen[key] = true
		}
	}
	return nil
}

func (e *enum) TypeName() string {
	names := make([]string, len(e.choices))
	for i, ch := range e.choices {
		names[i] = ch.value.String()
	}
	return "enum(" + strings.Join(names, ", ") + ")"
}

func (e *enum) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	if !c.count(v) {
		return nil, false
	}
	if out, ok := e.find(c, v); ok {
		return out, true
	}
	if !c.quiet && len(c.found) < maxListed {
		c.wrong(e.want(v), v)
	} else {
		c.wrong("", v)
	}
	return nil, false
}

func (e *enum) find(c *checker, v starlark.Value) (starlark.Value, bool) {
	if _, isText := v.(starlark.String); !isText && !e.holds(integer) {
		return nil, false
	}
	for _, ch := range e.choices {
		if same, err := starlark.Equal(ch.value, v); err == nil && same {
			if _, isFloat := v.(starlark.Float); isFloat {
				c.lower(lax)
			}
			return ch.value, true
		}
	}
	return nil, false
}

type kind int

const (
	text kind = iota
	integer
)

// holds reports whether some choice is of that kind.
func (e *enum) holds(k kind) bool {
	for _, ch := range e.choices {
		if _, isText := ch.value.(starlark.String); isText == (k == text) {
			return true
		}
	}
	return false
}

func (e *enum) want(v starlark.Value) string {
	const most = 20
	var names, shown []string
	for _, ch := range e.choices {
		name, ok := starlark.AsString(ch.value)
		if !ok {
			name = ch.value.String()
		}
		names = append(names, name)
	}
	shown = names
	if len(shown) > most {
		shown = append(append([]string{}, names[:most]...), fmt.Sprintf("… (%d in all)", len(names)))
	}
	want := "one of " + strings.Join(shown, ", ")
	if len(names) == 1 {
		want = e.choices[0].value.String()
	}
	if got, ok := starlark.AsString(v); ok {
		if near := engine.Nearest(got, names); near != "" {
			want += fmt.Sprintf(" (did you mean %q?)", near)
		}
	}
	return want
}

func (e *enum) values() []any {
	out := make([]any, len(e.choices))
	for i, ch := range e.choices {
		out[i] = ch.value
	}
	return out
}

// titles is the choices as {"const", "title"} objects.
func (e *enum) titles() []any {
	out := make([]any, len(e.choices))
	for i, ch := range e.choices {
		out[i] = exactjson.Object{{Name: "const", Value: ch.value}, {Name: "title", Value: ch.title}}
	}
	return out
}

func (e *enum) render(side) exactjson.Object {
	var o exactjson.Object
	switch {
	case e.titled:
		o = o.With("oneOf", e.titles())
	case len(e.choices) == 1:
		o = o.With("const", e.choices[0].value)
	default:
		o = o.With("enum", e.values())
	}
	switch {
	case !e.holds(integer):
		o = o.With("type", "string")
	case !e.holds(text):
		o = o.With("type", "integer")
	}
	return o
}

func (e *enum) measure() measure { return measure{nodes: 1 + len(e.choices)/10, depth: 1} }

func (e *enum) same(other engine.Type) bool {
	o, ok := unwrap(other).(*enum)
	if !ok || len(o.choices) != len(e.choices) || o.titled != e.titled {
		return false
	}
	for i, ch := range e.choices {
		equal, err := starlark.Equal(ch.value, o.choices[i].value)
		if err != nil || !equal || ch.title != o.choices[i].title {
			return false
		}
	}
	return true
}

func (e *enum) has(v starlark.Value) bool {
	_, isFloat := v.(starlark.Float)
	_, ok := e.find(&checker{}, v)
	return ok && !isFloat
}
