package types

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

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
