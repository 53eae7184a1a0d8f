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
	"go.starlark.net/syntax"
)

// readSchema is an author's JSON Schema as an object of our own, in the author's
// order, and how many schemas are in it. Schemas below it are objects (or True and
// False) too; all other values are frozen copies. Local references are written out.
//
// It opens nothing: a reference to anything outside is an error, as is one that
// leads back to itself.
func readSchema(d *starlark.Dict) (exactjson.Object, int, error) {
	if want := weigh(d).tooHeavy(); want != "" {
		return nil, 0, fmt.Errorf("it has to be %s", want)
	}
	r := schemaReader{root: d}
	read, err := r.read(d, "#", 0)
	if err != nil {
		return nil, 0, err
	}
	o := read.(exactjson.Object)
	if r.refs && r.nestedID != "" {
		return nil, 0, fmt.Errorf("at %s: $id below the root changes what the references mean; leave it out", r.nestedID)
	}
	if r.refs { // nothing refers to them any more
		o = slices.DeleteFunc(o, func(m exactjson.Member) bool { return m.Name == "$defs" || m.Name == "definitions" })
	}
	if _, err := exactjson.Marshal(o); err != nil {
		return nil, 0, err
	}
	return o, r.nodes, nil
}

type schemaReader struct {
	root     *starlark.Dict
	nodes    int
	trail    []string // the references that are being written out
	refs     bool
	nestedID string
}

// read is the schema v at the place at, which is a JSON pointer for errors.
func (r *schemaReader) read(v starlark.Value, at string, depth int) (any, error) {
	if b, ok := v.(starlark.Bool); ok {
		return b, nil
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("at %s: a schema is a dict (or True, or False), got %s", at, engine.Describe(v))
	}
	if depth > maxTypeDepth {
		return nil, fmt.Errorf("at %s: schemas can be nested at most %d deep", clip(at), maxTypeDepth)
	}
	if r.nodes++; r.nodes > maxTypeNodes {
		return nil, fmt.Errorf("more than %d schemas when references are written out; make it smaller", maxTypeNodes)
	}
	var o exactjson.Object
	for k, v := range d.Entries() {
		name, ok := starlark.AsString(k)
		if !ok {
			return nil, fmt.Errorf("at %s: the key %s is no text", at, clip(k.String()))
		}
		if name == "$ref" {
			continue
		}
		read, err := r.keyword(name, v, at+"/"+escape(name), depth)
		if err != nil {
			return nil, err
		}
		o = append(o, exactjson.Member{Name: name, Value: read})
	}
	ref, found, _ := d.Get(starlark.String("$ref"))
	if !found {
		return o, nil
	}
	target, err := r.follow(ref, at, depth)
	if err != nil {
		return nil, err
	}
	return joined(target, o), nil
}

// keyword reads what one keyword of a schema says.
func (r *schemaReader) keyword(name string, v starlark.Value, at string, depth int) (any, error) {
	switch kindOf(name) {
	case aSchema:
		return r.read(v, at, depth+1)
	case schemaList:
		return r.readList(v, at, depth)
	case schemaMap:
		return r.readMap(v, at, depth)
	case schemaOrList:
		if isA[*starlark.List](v) || isA[starlark.Tuple](v) {
			return r.readList(v, at, depth)
		}
		return r.read(v, at, depth+1)
	case refusedKeyword:
		return nil, fmt.Errorf("at %s: %s is not supported; write the schema out, or refer to it with $ref", at, name)
	}
	if name == "$id" && depth > 0 {
		r.nestedID = at
	}
	if err := wellFormed(name, v); err != nil {
		return nil, fmt.Errorf("at %s: %w", at, err)
	}
	out := thaw(v)
	out.Freeze()
	return out, nil
}

func (r *schemaReader) readList(v starlark.Value, at string, depth int) (any, error) {
	seq, ok := sequence(v)
	list, isList := v.(*starlark.List)
	if isList {
		seq, ok = list, true
	}
	if !ok {
		return nil, fmt.Errorf("at %s: a list of schemas, got %s", at, engine.Describe(v))
	}
	out := make([]any, 0, seq.Len())
	iter := seq.Iterate()
	defer iter.Done()
	var elem starlark.Value
	for i := 0; iter.Next(&elem); i++ {
		read, err := r.read(elem, at+"/"+strconv.Itoa(i), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, read)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("at %s: an empty list of schemas", at)
	}
	return out, nil
}

func (r *schemaReader) readMap(v starlark.Value, at string, depth int) (any, error) {
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("at %s: a dict of schemas, got %s", at, engine.Describe(v))
	}
	out := exactjson.Object{}
	for k, v := range d.Entries() {
		name, ok := starlark.AsString(k)
		if !ok {
			return nil, fmt.Errorf("at %s: the key %s is no text", at, clip(k.String()))
		}
		if strings.HasSuffix(at, "/patternProperties") {
			if _, err := compile(name); err != nil {
				return nil, fmt.Errorf("at %s: %w", at, err)
			}
		}
		if list, ok := v.(*starlark.List); ok && strings.HasSuffix(at, "/dependencies") {
			list.Freeze() // draft 7: names, not a schema
			out = append(out, exactjson.Member{Name: name, Value: list})
			continue
		}
		read, err := r.read(v, at+"/"+escape(name), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, exactjson.Member{Name: name, Value: read})
	}
	return out, nil
}

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

// A keywordKind is what kind of value a keyword of JSON Schema has.
type keywordKind int

const (
	anyKeyword keywordKind = iota // of ours or unknown: not a schema
	aSchema
	schemaList
	schemaMap
	schemaOrList
	refusedKeyword
)

func kindOf(keyword string) keywordKind {
	switch keyword {
	case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems",
		"contains", "propertyNames", "not", "if", "then", "else", "contentSchema":
		return aSchema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return schemaList
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return schemaMap
	case "items":
		return schemaOrList
	case "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$anchor", "$vocabulary":
		return refusedKeyword
	}
	return anyKeyword
}

// jsonTypes are JSON Schema's names of types.
var jsonTypes = [...]string{"string", "number", "integer", "boolean", "object", "array", "null"}

// wellFormed checks the value of a keyword that holds no schema.
func wellFormed(name string, v starlark.Value) error {
	switch name {
	case "type":
		return typeNames(v)
	case "$schema":
		return knownDraft(v)
	case "title", "description", "$id", "$comment", "format", "contentEncoding", "contentMediaType":
		_, err := textOf(name, v)
		return err
	case "pattern":
		text, err := textOf(name, v)
		if err == nil {
			_, err = compile(text)
		}
		return err
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		_, err := numberOf(name, v)
		return err
	case "multipleOf":
		n, err := numberOf(name, v)
		if err == nil {
			if more, _ := starlark.Compare(syntax.GT, n, starlark.MakeInt(0)); !more {
				err = errors.New("multipleOf has to be more than 0")
			}
		}
		return err
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		_, err := lengthOf(name, v)
		return err
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		if !isA[starlark.Bool](v) {
			return fmt.Errorf("%s is True or False, got %s", name, engine.Describe(v))
		}
	case "required":
		return listOfText(name, v)
	case "enum", "examples":
		if list, ok := v.(*starlark.List); !ok || list.Len() == 0 && name == "enum" {
			return fmt.Errorf("%s is a list of values, got %s", name, engine.Describe(v))
		}
	case "dependentRequired":
		d, ok := v.(*starlark.Dict)
		if !ok {
			return fmt.Errorf("%s is a dict of lists of names, got %s", name, engine.Describe(v))
		}
		for _, names := range d.Entries() {
			if err := listOfText(name, names); err != nil {
				return err
			}
		}
	}
	return nil
}

func listOfText(name string, v starlark.Value) error {
	list, ok := v.(*starlark.List)
	if !ok {
		return fmt.Errorf("%s is a list of names, got %s", name, engine.Describe(v))
	}
	for i := range list.Len() {
		if !isA[starlark.String](list.Index(i)) {
			return fmt.Errorf("%s is a list of names, got %s in it", name, engine.Describe(list.Index(i)))
		}
	}
	return nil
}

func typeNames(v starlark.Value) error {
	names := []starlark.Value{v}
	if list, ok := v.(*starlark.List); ok {
		names = names[:0]
		for i := range list.Len() {
			names = append(names, list.Index(i))
		}
		if len(names) == 0 {
			return errors.New("type is an empty list, which nothing fits")
		}
	}
	for _, n := range names {
		name, ok := starlark.AsString(n)
		if !ok {
			if t, err := AsType(n); err == nil {
				return fmt.Errorf("type is one of %s as text, got the type %s", strings.Join(jsonTypes[:], ", "), t.TypeName())
			}
			return fmt.Errorf("type is text, got %s", engine.Describe(n))
		}
		if slices.Contains(jsonTypes[:], name) {
			continue
		}
		if meant := jsonName(name); meant != "" {
			return fmt.Errorf("there is no type %q in JSON Schema (did you mean %q?)", name, meant)
		}
		return fmt.Errorf("there is no type %q in JSON Schema; there are %s", clip(name), strings.Join(jsonTypes[:], ", "))
	}
	return nil
}

// jsonName is JSON Schema's name for a type of another language.
func jsonName(name string) string {
	switch name {
	case "str", "text":
		return "string"
	case "int", "long":
		return "integer"
	case "float", "double":
		return "number"
	case "bool":
		return "boolean"
	case "dict", "map":
		return "object"
	case "list", "tuple", "set":
		return "array"
	case "None", "nil":
		return "null"
	}
	return engine.Nearest(name, jsonTypes[:])
}

func knownDraft(v starlark.Value) error {
	text, err := textOf("$schema", v)
	if err != nil {
		return err
	}
	switch strings.TrimSuffix(text, "#") {
	case "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema",
		"https://json-schema.org/draft/2020-12/schema":
		return nil
	}
	return fmt.Errorf("$schema %s is not supported; leave it out (that is 2020-12), or write http://json-schema.org/draft-07/schema#", clip(text))
}
