package types

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// follow is the schema that a reference at the place at leads to.
func (r *schemaReader) follow(ref starlark.Value, at string, depth int) (any, error) {
	text, ok := starlark.AsString(ref)
	if !ok {
		return nil, fmt.Errorf("at %s: $ref is text, got %s", at, engine.Describe(ref))
	}
	if !strings.HasPrefix(text, "#") {
		return nil, fmt.Errorf("at %s: $ref leads to %s, and nothing outside the schema is read; put it into \"$defs\" and write \"#/$defs/NAME\"", at, clip(text))
	}
	path, err := pointer(text)
	if err != nil {
		return nil, fmt.Errorf("at %s: $ref %s: %w", at, clip(text), err)
	}
	name := "#"
	for _, p := range path {
		name += "/" + escape(p)
	}
	if slices.Contains(r.trail, name) || name == at || strings.HasPrefix(at, name+"/") && len(r.trail) == 0 {
		return nil, fmt.Errorf("at %s: $ref leads back to itself (%s); clients get references written out, which this one can't be", clip(at), strings.Join(append(slices.Clone(r.trail), name), " → "))
	}
	var target starlark.Value = r.root
	for _, p := range path {
		if target = part(target, p); target == nil {
			return nil, fmt.Errorf("at %s: $ref %s leads nowhere, there is no %s%s", at, clip(text), clip(p), didYouMean(r.root, path, p))
		}
	}
	r.refs = true
	r.trail = append(r.trail, name)
	defer func() { r.trail = r.trail[:len(r.trail)-1] }()
	return r.read(target, name, depth+1)
}

// didYouMean names the member of the container before p that p may have meant.
func didYouMean(root starlark.Value, path []string, p string) string {
	for _, step := range path {
		if step == p {
			break
		}
		root = part(root, step)
	}
	d, ok := root.(*starlark.Dict)
	if !ok {
		return ""
	}
	var names []string
	for k := range d.Entries() {
		if name, ok := starlark.AsString(k); ok {
			names = append(names, name)
		}
	}
	if hint := engine.DidYouMean(p, names); hint != "" {
		return " (" + hint + ")"
	}
	return ""
}

func part(v starlark.Value, name string) starlark.Value {
	switch v := v.(type) {
	case *starlark.Dict:
		if e, ok, _ := v.Get(starlark.String(name)); ok {
			return e
		}
	case *starlark.List:
		if i, err := strconv.Atoi(name); err == nil && 0 <= i && i < v.Len() {
			return v.Index(i)
		}
	}
	return nil
}

// pointer splits "#/$defs/a~1b".
func pointer(ref string) ([]string, error) {
	text, err := url.PathUnescape(ref[1:])
	if err != nil {
		return nil, errors.New("a % that is no escape")
	}
	if text == "" {
		return nil, nil
	}
	if text[0] != '/' {
		return nil, errors.New("names of anchors are not supported; write #/$defs/NAME")
	}
	parts := strings.Split(text[1:], "/")
	for i, p := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	return parts, nil
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// joined is a referenced schema together with what stands beside the reference:
// one object if what stands there only describes, else both have to hold.
func joined(target any, beside exactjson.Object) any {
	o, ok := target.(exactjson.Object)
	if len(beside) == 0 {
		return target
	}
	for _, m := range beside {
		switch m.Name {
		case "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly":
		default:
			ok = ok && (forAnnotation(m.Name) || o.Get(m.Name) == nil && !reads(m.Name))
		}
	}
	if !ok {
		all := []any{target}
		if more, ok := beside.Get("allOf").([]any); ok {
			all = append(all, more...)
		}
		return set(beside, "allOf", all)
	}
	for _, m := range beside {
		o = set(o, m.Name, m.Value)
	}
	return o
}

// reads reports whether a keyword looks at its neighbours, so that moving it into
// another schema would change what it says.
func reads(keyword string) bool {
	switch keyword {
	case "additionalProperties", "unevaluatedProperties", "items", "additionalItems", "unevaluatedItems",
		"properties", "patternProperties", "prefixItems", "if", "then", "else", "contains", "minContains", "maxContains":
		return true
	}
	return false
}
