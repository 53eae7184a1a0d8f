package types

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Verbatim is the JSON Schema of a whole object, shown as its author wrote it to the
// last keyword: references and names of anchors are not written out. It is immutable.
type Verbatim struct {
	text     json.RawMessage
	resolved *jsonschema.Resolved
	// Properties are the names at its top, in order.
	Properties []string
}

// NewVerbatim reads a schema of an object out of a dict. The error says what to write
// instead.
func NewVerbatim(v starlark.Value) (*Verbatim, error) {
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf(`want a JSON Schema as a dict, got %s; write {"type": "object", "properties": {...}}`, engine.Describe(v))
	}
	text, err := exactjson.Append(nil, dict, "", exactjson.Limits{Bytes: maxTypeBytes})
	if err != nil {
		return nil, err
	}
	if kind, _, _ := dict.Get(starlark.String("type")); kind != starlark.String("object") {
		return nil, errors.New(`the schema describes no object; write "type": "object"`)
	}
	if err := loops(text); err != nil {
		return nil, err
	}
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(text, schema); err != nil {
		return nil, fmt.Errorf("the JSON Schema can't be read: %w", err)
	}
	out := &Verbatim{text: text}
	if out.resolved, err = schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
		return nil, fmt.Errorf("the JSON Schema can't be used: %s", strings.TrimPrefix(err.Error(), "jsonschema.Schema: "))
	}
	if properties, _, _ := dict.Get(starlark.String("properties")); properties != nil {
		if d, ok := properties.(*starlark.Dict); ok {
			for _, key := range d.Keys() {
				name, _ := starlark.AsString(key)
				out.Properties = append(out.Properties, name)
			}
		}
	}
	return out, nil
}

// JSON is the schema as it was written.
func (s *Verbatim) JSON() json.RawMessage { return slices.Clone(s.text) }

// Accept checks an object, whose JSON is text, and gives it the defaults of what it
// leaves out. The object itself is not changed.
func (s *Verbatim) Accept(object *starlark.Dict) (*starlark.Dict, []engine.Mismatch) {
	text, err := exactjson.Marshal(object)
	if err != nil {
		return nil, []engine.Mismatch{{Want: "JSON", Got: err.Error()}}
	}
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, []engine.Mismatch{{Want: "an object", Got: err.Error()}}
	}
	if err := s.resolved.ApplyDefaults(&value); err != nil {
		return nil, []engine.Mismatch{{Want: "an object that takes its defaults", Got: err.Error()}}
	}
	if err := s.resolved.Validate(value); err != nil {
		return nil, []engine.Mismatch{misfit(err)}
	}
	filled, err := withDefaults(object, value)
	if err != nil {
		return nil, []engine.Mismatch{{Want: "an object", Got: err.Error()}}
	}
	filled.Freeze()
	return filled, nil
}

// misfit is what a validator says, in our form.
func misfit(err error) engine.Mismatch {
	text := err.Error()
	for {
		_, inner, ok := strings.Cut(text, "validating ")
		if !ok {
			break
		}
		if _, after, ok := strings.Cut(inner, ": "); ok {
			text = after
			continue
		}
		break
	}
	const longest = 300
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return engine.Mismatch{Want: "arguments that fit the tool's schema", Got: "this: " + text}
}

// withDefaults is a copy of object with the members that only value has. What object
// has stays exactly as it came: value's numbers are floats.
func withDefaults(object *starlark.Dict, value map[string]any) (*starlark.Dict, error) {
	out := starlark.NewDict(object.Len())
	for k, v := range object.Entries() {
		name, _ := starlark.AsString(k)
		inner, isDict := v.(*starlark.Dict)
		members, isObject := value[name].(map[string]any)
		if isDict && isObject {
			filled, err := withDefaults(inner, members)
			if err != nil {
				return nil, err
			}
			v = filled
		}
		if err := out.SetKey(k, v); err != nil {
			return nil, err
		}
	}
	var missing []string
	for name := range value {
		if _, there, _ := object.Get(starlark.String(name)); !there {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		text, err := json.Marshal(value[name])
		if err != nil {
			return nil, err
		}
		v, err := exactjson.Decode(text, exactjson.Limits{})
		if err != nil {
			return nil, err
		}
		if err := out.SetKey(starlark.String(name), whole(v)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// whole is an int for a float that is one: the validator knows floats only.
func whole(v starlark.Value) starlark.Value {
	if f, ok := v.(starlark.Float); ok {
		if i, accuracy := new(big.Float).SetFloat64(float64(f)).Int(nil); accuracy == big.Exact {
			return starlark.MakeBigInt(i)
		}
	}
	return v
}

// loops refuses a schema that leads back to itself without going into the value: to
// check it would never end. Only references into the schema itself are followed;
// others the validator refuses.
func loops(text json.RawMessage) error {
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		return err
	}
	w := &loopWalk{root: root, anchors: map[string]any{}, state: map[string]int{}}
	w.index(root, "#", 0)
	if w.tooDeep {
		return fmt.Errorf("schemas can be nested at most %d deep", maxTypeDepth)
	}
	for _, at := range w.order {
		if err := w.visit(at); err != nil {
			return err
		}
	}
	return nil
}

type loopWalk struct {
	root    any
	nodes   map[string]map[string]any // by JSON pointer
	order   []string
	anchors map[string]any // pointers by name
	state   map[string]int // 1: on the way, 2: done
	tooDeep bool
}

func (w *loopWalk) index(v any, at string, depth int) {
	if depth > 2*maxTypeDepth {
		w.tooDeep = true
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if w.nodes == nil {
			w.nodes = map[string]map[string]any{}
		}
		w.nodes[at] = v
		w.order = append(w.order, at)
		for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
			if name, ok := v[keyword].(string); ok {
				w.anchors["#"+name] = at
			}
		}
		for key, inner := range v {
			w.index(inner, at+"/"+escape(key), depth+1)
		}
	case []any:
		for i, inner := range v {
			w.index(inner, fmt.Sprintf("%s/%d", at, i), depth+1)
		}
	}
}

// visit follows what is checked of the same value.
func (w *loopWalk) visit(at string) error {
	switch w.state[at] {
	case 1:
		return fmt.Errorf("the schema at %s refers to itself; put what repeats into a property or into items", at)
	case 2:
		return nil
	}
	w.state[at] = 1
	for _, next := range w.same(at) {
		if err := w.visit(next); err != nil {
			return err
		}
	}
	w.state[at] = 2
	return nil
}

// same are the schemas that a schema applies to the very value that it checks.
func (w *loopWalk) same(at string) []string {
	node := w.nodes[at]
	var list []string
	for _, keyword := range []string{"$ref", "$dynamicRef"} {
		ref, ok := node[keyword].(string)
		if !ok {
			continue
		}
		if to, ok := w.anchors[ref].(string); ok {
			ref = to
		}
		if _, ok := w.nodes[ref]; ok {
			list = append(list, ref)
		}
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		if _, ok := node[keyword].(map[string]any); ok {
			list = append(list, at+"/"+keyword)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		inner, _ := node[keyword].([]any)
		for i := range inner {
			list = append(list, fmt.Sprintf("%s/%s/%d", at, keyword, i))
		}
	}
	if inner, ok := node["dependentSchemas"].(map[string]any); ok {
		for key := range inner {
			list = append(list, at+"/dependentSchemas/"+escape(key))
		}
	}
	return list
}
