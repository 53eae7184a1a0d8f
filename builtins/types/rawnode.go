package types

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// A rawNode is a schema that applies to one place of a value: the root, a
// property of it, the elements of a list in it.
type rawNode struct {
	object     exactjson.Object
	resolved   *jsonschema.Resolved
	properties map[string]*rawNode
	others     *rawNode // additionalProperties
	items      *rawNode
	defaults   []exactjson.Member // of properties that need not come
}

// forAnnotation are keywords that say nothing about values, and that would make
// jsonschema look for other schemas.
func forAnnotation(name string) bool {
	switch name {
	case "$id", "$schema", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions":
		return true
	}
	return false
}

func newRawNode(o exactjson.Object, draft any) (*rawNode, error) {
	n := &rawNode{object: o}
	var checked exactjson.Object
	if draft != nil {
		checked = checked.With("$schema", draft)
	}
	for _, m := range o {
		if !forAnnotation(m.Name) {
			checked = append(checked, m)
		}
	}
	data, err := exactjson.Marshal(checked)
	if err != nil {
		return nil, err
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(data, &parsed); err != nil {
		return nil, fmt.Errorf("malformed: %s", clip(err.Error()))
	}
	if n.resolved, err = parsed.Resolve(nil); err != nil {
		return nil, fmt.Errorf("malformed: %s", clip(err.Error()))
	}
	return n, n.enter(draft)
}

// enter makes the nodes below n.
func (n *rawNode) enter(draft any) (err error) {
	if properties, ok := n.object.Get("properties").(exactjson.Object); ok {
		n.properties = make(map[string]*rawNode, len(properties))
		for _, p := range properties {
			o, ok := p.Value.(exactjson.Object)
			if !ok {
				continue // true or false
			}
			if n.properties[p.Name], err = newRawNode(o, draft); err != nil {
				return err
			}
			if err := n.addDefault(p.Name, o); err != nil {
				return err
			}
		}
	}
	if o, ok := n.object.Get("additionalProperties").(exactjson.Object); ok {
		if n.others, err = newRawNode(o, draft); err != nil {
			return err
		}
	}
	if o, ok := n.object.Get("items").(exactjson.Object); ok && n.object.Get("prefixItems") == nil {
		n.items, err = newRawNode(o, draft)
	}
	return err
}

// addDefault remembers the default of the property name, which has to fit.
func (n *rawNode) addDefault(name string, property exactjson.Object) error {
	def, ok := property.Get("default").(starlark.Value)
	if !ok {
		return nil
	}
	c := newChecker("")
	copied, err := copyOf(def)
	if copied == nil && n.properties[name].resolved.Validate(nil) != nil {
		return nil // null as a default where null does not fit means none
	}
	if err == nil && !n.properties[name].check(&c, def, copied) {
		err = errors.New(engine.MismatchText(c.mismatches()))
	}
	if err != nil {
		return fmt.Errorf("the default of property %s does not fit: %w", name, err)
	}
	if !n.requires(name) {
		n.defaults = append(n.defaults, exactjson.Member{Name: name, Value: def})
	}
	return nil
}

func (n *rawNode) required() []string {
	list, ok := n.object.Get("required").(*starlark.List)
	if !ok {
		return nil
	}
	out := make([]string, list.Len())
	for i := range out {
		out[i], _ = starlark.AsString(list.Index(i))
	}
	return out
}

func (n *rawNode) requires(name string) bool {
	return slices.Contains(n.required(), name)
}

// fill is v with the defaults of absent properties, and whether there were any.
func (n *rawNode) fill(v starlark.Value) (starlark.Value, bool) {
	switch v := v.(type) {
	case *starlark.Dict:
		return n.fillDict(v)
	case *starlark.List:
		if n.items != nil {
			return n.fillList(v)
		}
	}
	return v, false
}

func (n *rawNode) fillList(v *starlark.List) (starlark.Value, bool) {
	out := make([]starlark.Value, v.Len())
	changed := false
	for i := range out {
		elem, filled := n.items.fill(v.Index(i))
		out[i], changed = elem, changed || filled
	}
	if !changed {
		return v, false
	}
	return starlark.NewList(out), true
}

func (n *rawNode) fillDict(v *starlark.Dict) (starlark.Value, bool) {
	out := starlark.NewDict(v.Len() + len(n.defaults))
	changed := false
	for k, e := range v.Entries() {
		name, _ := starlark.AsString(k)
		if below := n.below(name); below != nil {
			filled, new := below.fill(e)
			e, changed = filled, changed || new
		}
		_ = out.SetKey(k, e) // k is a key already
	}
	for _, d := range n.defaults {
		if _, found, _ := v.Get(starlark.String(d.Name)); !found {
			_ = out.SetKey(starlark.String(d.Name), d.Value.(starlark.Value)) // likewise
			changed = true
		}
	}
	if !changed {
		return v, false
	}
	return out, true
}

// below is the node for a property, or nil.
func (n *rawNode) below(name string) *rawNode {
	if p, ok := n.properties[name]; ok {
		return p
	}
	if _, patterns := n.object.Get("patternProperties").(exactjson.Object); patterns {
		return nil
	}
	return n.others
}

// copyOf is v as jsonschema wants it. Integers beyond 2^63 are rounded there, so
// the copy is for checking only.
func copyOf(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.Int:
		if i, ok := v.Int64(); ok {
			return i, nil
		}
		if f := float64(v.Float()); !math.IsInf(f, 0) {
			return f, nil
		}
		return nil, errors.New("an integer that is too large")
	case starlark.Float:
		if !finite(v) {
			return nil, fmt.Errorf("JSON has no %s", v)
		}
		return float64(v), nil
	case starlark.String:
		return string(v), nil
	case *starlark.List:
		out := make([]any, v.Len())
		for i := range out {
			var err error
			if out[i], err = copyOf(v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	case starlark.Tuple:
		return copyOf(starlark.NewList(v))
	case *starlark.Dict:
		out := make(map[string]any, v.Len())
		for k, e := range v.Entries() {
			name, ok := starlark.AsString(k)
			if !ok {
				return nil, fmt.Errorf("the key %s is no text", engine.Describe(k))
			}
			var err error
			if out[name], err = copyOf(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case *Instance:
		return copyOf(thaw(v))
	}
	return nil, fmt.Errorf("a %s has no JSON form", v.Type())
}
