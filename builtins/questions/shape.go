package questions

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A shape checks a value of wire JSON, as [exactjson.Decode] gives it, and
// returns a clean copy: in objects whose members the protocol names, members
// that are null are left out. A nil value is one that is absent.
//
// One set of shapes serves both directions, so what an author may send and what
// a client may answer can't drift apart.
type shape func(v starlark.Value, how direction) (starlark.Value, *misfit)

// A direction says whose JSON is checked.
type direction int

const (
	// reading a client's answer: members nobody knows are dropped, because a
	// newer client may send them.
	reading direction = iota
	// writing an author's dict: members nobody knows are misspelt.
	writing
)

// A misfit says where a value has the wrong shape. Its path is put together on
// the way out, so that a value which fits costs no path at all.
type misfit struct {
	path string // ".content[0].data"
	text string
}

func (m *misfit) in(step string) *misfit {
	m.path = step + m.path
	return m
}

// expected is the misfit of v itself.
func expected(want string, v starlark.Value) *misfit {
	return &misfit{text: fmt.Sprintf("expected %s, got %s", want, engine.Describe(v))}
}

// text is any text; want says which text is meant.
func text(want string) shape {
	return func(v starlark.Value, _ direction) (starlark.Value, *misfit) {
		if _, ok := v.(starlark.String); !ok {
			return nil, expected(want, v)
		}
		return v, nil
	}
}

// textThat is text that an author must have right; a client's is taken as it is.
func textThat(want string, right func(string) bool) shape {
	return func(v starlark.Value, how direction) (starlark.Value, *misfit) {
		s, ok := v.(starlark.String)
		if !ok || how == writing && !right(string(s)) {
			return nil, expected(want, v)
		}
		return v, nil
	}
}

func boolean(v starlark.Value, _ direction) (starlark.Value, *misfit) {
	if _, ok := v.(starlark.Bool); !ok {
		return nil, expected("True or False", v)
	}
	return v, nil
}

func number(v starlark.Value, _ direction) (starlark.Value, *misfit) {
	if _, ok := starlark.AsFloat(v); !ok {
		return nil, expected("a number", v)
	}
	return v, nil
}

// portion is a number from 0 to 1.
func portion(v starlark.Value, _ direction) (starlark.Value, *misfit) {
	if f, ok := starlark.AsFloat(v); !ok || !(f >= 0 && f <= 1) {
		return nil, expected("a number from 0 to 1", v)
	}
	return v, nil
}

// anyDict is an object whose members are not ours to know.
func anyDict(want string) shape {
	return func(v starlark.Value, _ direction) (starlark.Value, *misfit) {
		if _, ok := v.(*starlark.Dict); !ok {
			return nil, expected(want, v)
		}
		return v, nil
	}
}

// anything is for optional members, which are there when they are checked.
func anything(v starlark.Value, _ direction) (starlark.Value, *misfit) {
	return v, nil
}

// oneOf is one of a few words. hint is a remedy for what people write instead.
func oneOf(hint map[string]string, words ...string) shape {
	want := quoted(words)
	return func(v starlark.Value, _ direction) (starlark.Value, *misfit) {
		s, ok := v.(starlark.String)
		if ok && slices.Contains(words, string(s)) {
			return v, nil
		}
		m := expected(want, v)
		if help := hint[string(s)]; ok && help != "" {
			m.text += " (" + help + ")"
		} else if near := engine.DidYouMean(string(s), words); ok && near != "" {
			m.text += " (" + near + ")"
		}
		return nil, m
	}
}

// quoted is `"a", "b" or "c"`.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = `"` + w + `"`
	}
	last := len(out) - 1
	if last == 0 {
		return out[0]
	}
	return strings.Join(out[:last], ", ") + " or " + out[last]
}

// listOf is a list of elements of one shape.
func listOf(want string, element shape) shape {
	return func(v starlark.Value, how direction) (starlark.Value, *misfit) {
		list, ok := v.(*starlark.List)
		if !ok {
			return nil, expected(want, v)
		}
		clean := make([]starlark.Value, list.Len())
		for i := range clean {
			e, m := element(list.Index(i), how)
			if m != nil {
				return nil, m.in(fmt.Sprintf("[%d]", i))
			}
			clean[i] = e
		}
		return starlark.NewList(clean), nil
	}
}

// oneOrMany is an element, or a list of them.
func oneOrMany(element, list shape) shape {
	return func(v starlark.Value, how direction) (starlark.Value, *misfit) {
		if _, ok := v.(*starlark.List); ok {
			return list(v, how)
		}
		return element(v, how)
	}
}

// A field is one named member of a record.
type field struct {
	name     string
	shape    shape
	optional bool
}

func required(name string, s shape) field { return field{name: name, shape: s} }
func optional(name string, s shape) field { return field{name: name, shape: s, optional: true} }

// record is an object whose members the protocol names. Its copy keeps the order
// in which they came.
func record(want string, fields ...field) shape {
	r := &recordShape{want: want, byName: make(map[string]field, len(fields))}
	for _, f := range fields {
		r.names = append(r.names, f.name)
		r.byName[f.name] = f
	}
	return r.fit
}

type recordShape struct {
	want   string
	names  []string // in the order in which what is missing is told
	byName map[string]field
}

func (r *recordShape) fit(v starlark.Value, how direction) (starlark.Value, *misfit) {
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil, expected(r.want, v)
	}
	if how == writing {
		if m := r.stranger(dict); m != nil {
			return nil, m
		}
	}
	if m := r.missing(dict, how); m != nil {
		return nil, m
	}
	clean := new(starlark.Dict)
	for _, item := range dict.Items() {
		f, known := r.byName[string(item[0].(starlark.String))]
		if !known || f.optional && item[1] == starlark.None {
			continue
		}
		value, m := f.shape(item[1], how)
		if m != nil {
			return nil, m.in("." + f.name)
		}
		_ = clean.SetKey(item[0], value) // a fresh dict takes any text
	}
	return clean, nil
}

// stranger is the first key of dict that the record does not have.
func (r *recordShape) stranger(dict *starlark.Dict) *misfit {
	for _, key := range dict.Keys() {
		name := string(key.(starlark.String))
		if _, known := r.byName[name]; known {
			continue
		}
		return &misfit{text: fmt.Sprintf("no key %q here; %s", shorten(name), nearestOf(name, r.names))}
	}
	return nil
}

// missing is the first required member that dict lacks.
func (r *recordShape) missing(dict *starlark.Dict, how direction) *misfit {
	for _, name := range r.names {
		f := r.byName[name]
		if f.optional || get(dict, name) != nil {
			continue
		}
		_, m := f.shape(nil, how)
		return m.in("." + name)
	}
	return nil
}

// tagged is a record whose member "type" says which one it is.
func tagged(want string, kinds ...taggedKind) shape {
	names := make([]string, len(kinds))
	byName := make(map[string]shape, len(kinds))
	for i, k := range kinds {
		names[i], byName[k.name] = k.name, k.shape
	}
	tag := oneOf(nil, names...)
	return func(v starlark.Value, how direction) (starlark.Value, *misfit) {
		dict, ok := v.(*starlark.Dict)
		if !ok {
			return nil, expected(want, v)
		}
		name, m := tag(get(dict, "type"), how)
		if m != nil {
			return nil, m.in(".type")
		}
		return byName[string(name.(starlark.String))](dict, how)
	}
}

// A taggedKind is one of the records of [tagged].
type taggedKind struct {
	name  string
	shape shape
}

// kind is a record with a "type" of that name.
func kind(name string, fields ...field) taggedKind {
	fields = append([]field{required("type", text("text"))}, fields...)
	return taggedKind{name: name, shape: record("a dict", fields...)}
}

// get is a member of a dict of decoded JSON, or nil.
func get(dict *starlark.Dict, name string) starlark.Value {
	v, found, err := dict.Get(starlark.String(name))
	if !found || err != nil {
		return nil
	}
	return v
}
