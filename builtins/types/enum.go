package types

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// An enum is a choice of texts or integers: enum("a", "b"), or with titles for
// people enum(a = "Title A").
type enum struct {
	common
	choices []choice
	titled  bool
	index   map[any]int // see keyOf
}

type choice struct {
	value starlark.Value // String or Int
	name  string         // value as it reads in an error
	title string
}

func makeEnum(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	e := &enum{titled: len(kwargs) > 0}
	e.self = e
	for _, v := range args {
		name, isText := starlark.AsString(v)
		if _, isInt := v.(starlark.Int); isInt {
			name = v.String()
		} else if !isText {
			return nil, enumMistake(v)
		}
		e.choices = append(e.choices, choice{value: v, name: name, title: name})
	}
	for _, kv := range kwargs {
		title, ok := starlark.AsString(kv[1])
		if !ok {
			return nil, fmt.Errorf("enum: the title of %s is text, got %s", kv[0], engine.Describe(kv[1]))
		}
		e.choices = append(e.choices, choice{value: kv[0], name: string(kv[0].(starlark.String)), title: title})
	}
	if err := e.valid(); err != nil {
		return nil, err
	}
	return e, nil
}

func enumMistake(v starlark.Value) error {
	switch v.(type) {
	case *starlark.List, starlark.Tuple:
		return errors.New(`enum takes its choices one by one: enum("a", "b"), or enum(*choices)`)
	case *starlark.Dict:
		return errors.New(`enum takes titles as keywords: enum(a = "Title A"), or enum(**titles)`)
	case starlark.Bool:
		return errors.New("enum: a choice is text or an integer; for True and False there is bool")
	case starlark.NoneType:
		return errors.New(`enum: a choice is text or an integer; for None write enum("a", "b") | None`)
	}
	if _, err := AsType(v); err == nil {
		return fmt.Errorf("enum takes values, not types; for one type or another write A | B")
	}
	return fmt.Errorf("enum: a choice is text or an integer, got %s", engine.Describe(v))
}

func (e *enum) valid() error {
	const most = 1000
	if len(e.choices) == 0 {
		return errors.New(`enum needs at least one choice: enum("a", "b")`)
	}
	if len(e.choices) > most {
		return fmt.Errorf("enum: %d choices, more than %d; take a str and check it in the function", len(e.choices), most)
	}
	e.index = make(map[any]int, len(e.choices))
	for i, ch := range e.choices {
		if !utf8.ValidString(ch.name + ch.title) {
			return fmt.Errorf("enum: the choice %s is not valid UTF-8", ch.value)
		}
		key := keyOf(ch.value)
		if key == nil {
			return errors.New("enum: a choice of more than 4096 bits")
		}
		if _, twice := e.index[key]; twice {
			return fmt.Errorf("enum: the choice %s is there twice", ch.value)
		}
		e.index[key] = i
	}
	return e.measure().tooLarge()
}

// keyOf is the Go value that a choice is found by.
func keyOf(v starlark.Value) any {
	switch v := v.(type) {
	case starlark.String:
		return string(v)
	case starlark.Int:
		if i, ok := v.Int64(); ok {
			return i
		}
		if big := v.BigInt(); big.BitLen() <= 4096 {
			return bigKey(big.Text(16))
		}
	}
	return nil // nothing is found by it
}

type bigKey string

func (e *enum) TypeName() string {
	names := make([]string, len(e.choices))
	for i, ch := range e.choices {
		names[i] = ch.value.String()
	}
	return "enum(" + strings.Join(names, ", ") + ")"
}

func (e *enum) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	if out, ok := e.find(c, v); ok {
		return out, c.one(out)
	}
	want := ""
	if !c.quiet && len(c.found) < maxListed { // else nobody reads it
		want = e.want(v)
	}
	c.wrong(want, v)
	return nil, false
}

// find is the choice that v is. As in the reference, 1.0 and True are the choice 1.
func (e *enum) find(c *checker, v starlark.Value) (starlark.Value, bool) {
	switch w := v.(type) {
	case starlark.Float:
		i, err := starlark.NumberToInt(w)
		if err != nil || i.Float() != w {
			return nil, false
		}
		c.lower(strict)
		v = i
	case starlark.Bool:
		c.lower(lax)
		v = starlark.MakeInt(0)
		if w {
			v = starlark.MakeInt(1)
		}
	}
	i, ok := e.index[keyOf(v)]
	if !ok {
		return nil, false
	}
	return e.choices[i].value, true
}

// texts and integers report of what the choices are; both are false when they are
// of both kinds.
func (e *enum) texts() bool    { return e.all(isA[starlark.String]) }
func (e *enum) integers() bool { return e.all(isA[starlark.Int]) }

func (e *enum) all(is func(starlark.Value) bool) bool {
	for _, ch := range e.choices {
		if !is(ch.value) {
			return false
		}
	}
	return true
}

// want says what there is to choose from, and which one v may have meant.
func (e *enum) want(v starlark.Value) string {
	const most = 20
	names := make([]string, len(e.choices))
	for i, ch := range e.choices {
		names[i] = clip(ch.name)
	}
	var want string
	switch {
	case len(names) == 1:
		want = clip(e.choices[0].value.String())
	case len(names) > most:
		want = fmt.Sprintf("one of %s, … (%d in all)", strings.Join(names[:most], ", "), len(names))
	default:
		want = "one of " + strings.Join(names, ", ")
	}
	if got, ok := starlark.AsString(v); ok {
		if near := engine.Nearest(got, names); near != "" {
			want += fmt.Sprintf(" (did you mean %q?)", near)
		}
	}
	return want
}

func (e *enum) render(side) exactjson.Object {
	o := e.options()
	switch {
	case e.texts():
		o = o.With("type", "string")
	case e.integers():
		o = o.With("type", "integer")
	}
	return o
}

// options is the choices in the shortest form that says all: with titles, as one
// constant, or as a list.
func (e *enum) options() exactjson.Object {
	switch {
	case e.titled:
		return exactjson.Object{{Name: "oneOf", Value: e.titles()}}
	case len(e.choices) == 1:
		return exactjson.Object{{Name: "const", Value: e.choices[0].value}}
	}
	return exactjson.Object{{Name: "enum", Value: e.values()}}
}

func (e *enum) values() []any {
	out := make([]any, len(e.choices))
	for i, ch := range e.choices {
		out[i] = ch.value
	}
	return out
}

func (e *enum) titles() []any {
	out := make([]any, len(e.choices))
	for i, ch := range e.choices {
		out[i] = exactjson.Object{{Name: "const", Value: ch.value}, {Name: "title", Value: ch.title}}
	}
	return out
}

func (e *enum) measure() measure {
	m := leaf
	for _, ch := range e.choices {
		m.bytes = min(m.bytes+len(ch.name)+len(ch.title)+8, maxTypeBytes+1)
	}
	return m
}

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

func (e *enum) has(c *checker, v starlark.Value) bool {
	switch v.(type) {
	case starlark.String, starlark.Int:
		_, ok := e.find(c, v)
		return ok
	}
	return false
}
