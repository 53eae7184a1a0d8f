package types

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// rawSchema is schema({...}): JSON Schema as the author wrote it, but for local
// references, which are written out because many clients don't follow them.
type rawSchema struct {
	common
	object exactjson.Object
	root   *rawNode
	nodes  int
}

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

func makeSchema(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 || len(kwargs) > 0 {
		return nil, errors.New(`schema takes one dict, the JSON Schema: schema({"type": "string"})`)
	}
	d, ok := args[0].(*starlark.Dict)
	if !ok {
		if isA[starlark.String](args[0]) {
			return nil, errors.New("schema takes a dict, not text; write schema(json.decode(text))")
		}
		return nil, fmt.Errorf(`schema takes a dict, the JSON Schema: schema({"type": "string"}); got %s`, engine.Describe(args[0]))
	}
	r := &rawSchema{}
	r.self = r
	var err error
	if r.object, r.nodes, err = readSchema(d); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if r.root, err = newRawNode(r.object, r.object.Get("$schema")); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return r, nil
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

func (r *rawSchema) TypeName() string {
	if title, ok := r.object.Get("title").(starlark.String); ok {
		return "schema(" + clip(string(title)) + ")"
	}
	return "schema({...})"
}

func (r *rawSchema) render(side) exactjson.Object { return r.object }
func (r *rawSchema) measure() measure             { return measure{nodes: r.nodes, depth: 1} }

func (r *rawSchema) same(other engine.Type) bool {
	o, ok := unwrap(other).(*rawSchema)
	if !ok || o == r {
		return ok
	}
	return string(exactjson.MustMarshal(r.object)) == string(exactjson.MustMarshal(o.object))
}

func (r *rawSchema) has(_ *checker, v starlark.Value) bool {
	c := checker{quiet: true}
	_, ok := r.check(&c, v)
	return ok
}

func (r *rawSchema) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	c.lower(strict)
	if _, ok := loose(c, v); !ok {
		return nil, false
	}
	v, _ = r.root.fill(v)
	copied, err := copyOf(v)
	if err != nil {
		c.wrong("a JSON value: "+err.Error(), v)
		return nil, false
	}
	return v, r.root.check(c, v, copied)
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

// check validates a copy of v, and then looks for the places where it is wrong.
func (n *rawNode) check(c *checker, v starlark.Value, copied any) bool {
	if err := n.resolved.Validate(copied); err != nil {
		if !c.quiet {
			n.locate(c, v, copied, err)
		}
		return false
	}
	return n.checkFormats(c, v)
}

// locate tells what is wrong with v as deep inside as it can be told.
func (n *rawNode) locate(c *checker, v starlark.Value, copied any, err error) {
	found := false
	c.enter(step{})
	switch v := v.(type) {
	case *starlark.Dict:
		found = n.locateIn(c, v, copied.(map[string]any))
	case *starlark.List:
		if n.items == nil {
			break
		}
		for i := range v.Len() {
			*c.here() = step{kind: toElement, index: i}
			if !n.items.check(c, v.Index(i), copied.([]any)[i]) {
				found = true
			}
		}
	}
	c.leave()
	if !found {
		c.wrong(n.want(err), v)
	}
}

func (n *rawNode) locateIn(c *checker, v *starlark.Dict, copied map[string]any) (found bool) {
	known := make(map[string]int, len(n.properties))
	for name := range n.properties {
		known[name] = 0
	}
	for k, e := range v.Entries() {
		name, _ := starlark.AsString(k)
		c.here().name = name
		if below := n.below(name); below != nil && !below.check(c, e, copied[name]) {
			found = true
		}
	}
	for _, name := range n.required() {
		if _, ok := copied[name]; !ok {
			c.here().name = name
			c.missing(Parameter{Name: name, Field: &Field{Type: anyType}}, known, v)
			found = true
		}
	}
	return found
}

func (n *rawNode) checkFormats(c *checker, v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.String:
		name, _ := n.object.Get("format").(starlark.String)
		if f, ok := formatNamed(string(name)); ok && !f.fits(string(v)) {
			c.wrong(f.want, v)
			return false
		}
	case *starlark.Dict:
		ok := true
		c.enter(step{})
		for k, e := range v.Entries() {
			name, _ := starlark.AsString(k)
			c.here().name = name
			if below := n.below(name); below != nil && !below.checkFormats(c, e) {
				ok = false
			}
		}
		c.leave()
		return ok
	case *starlark.List:
		if n.items == nil {
			return true
		}
		ok := true
		c.enter(step{kind: toElement})
		for i := range v.Len() {
			c.here().index = i
			if !n.items.checkFormats(c, v.Index(i)) {
				ok = false
			}
		}
		c.leave()
		return ok
	}
	return true
}

// want says in words what the keyword asks for that err is about.
func (n *rawNode) want(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	keyword, rest, _ := strings.Cut(err.Error(), ":")
	value := n.object.Get(keyword)
	if value == nil {
		if strings.HasPrefix(err.Error(), "unexpected additional properties") {
			return "no other properties than " + n.propertyNames()
		}
		return "a value that fits its schema"
	}
	shown := clip(shownValue(value))
	switch keyword {
	case "type":
		return jsonTypeWords(value)
	case "enum":
		return "one of " + shown
	case "const":
		return shown
	case "minimum":
		return "at least " + shown
	case "maximum":
		return "at most " + shown
	case "exclusiveMinimum":
		return "more than " + shown
	case "exclusiveMaximum":
		return "less than " + shown
	case "multipleOf":
		return "a multiple of " + shown
	case "minLength":
		return "at least " + shown + " characters"
	case "maxLength":
		return "at most " + shown + " characters"
	case "minItems":
		return "at least " + shown + " elements"
	case "maxItems":
		return "at most " + shown + " elements"
	case "pattern":
		return "text that matches " + shown
	case "uniqueItems":
		return "elements that differ (" + clip(strings.TrimSpace(rest)) + ")"
	}
	return "a value that fits its schema (" + keyword + " " + shown + ")"
}

func (n *rawNode) propertyNames() string {
	properties, _ := n.object.Get("properties").(exactjson.Object)
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

func shownValue(v any) string {
	if s, ok := v.(starlark.String); ok {
		return string(s)
	}
	data, err := exactjson.Marshal(v)
	if err != nil {
		return "…"
	}
	return strings.Trim(strings.ReplaceAll(string(data), ",", ", "), "[]")
}

func jsonTypeWords(v any) string {
	names := starlark.Tuple{}
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			names = append(names, v.Index(i))
		}
	case starlark.Value:
		names = append(names, v)
	}
	words := make([]string, len(names))
	for i, t := range names {
		name, _ := starlark.AsString(t)
		switch name {
		case "integer", "object", "array":
			words[i] = "an " + name
		case "null":
			words[i] = name
		default:
			words[i] = "a " + name
		}
	}
	return strings.Join(words, " or ")
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
				return nil, fmt.Errorf("the key %s is no text", clip(k.String()))
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
