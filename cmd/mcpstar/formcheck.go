package main

import (
	"encoding/json"
	"errors"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// misfits are where a value does not fit a JSON Schema: what the server will say
// of an answer, before it is sent. A schema that can't be read has none.
func misfits(schema, value json.RawMessage) []engine.Mismatch {
	kind, err := schemaType(schema)
	if err != nil {
		return nil
	}
	v, err := exactjson.Decode(value, exactjson.Limits{})
	if err != nil {
		return []engine.Mismatch{{Want: "JSON", Got: string(value)}}
	}
	_, wrong := kind.Accept(v, "")
	return wrong
}

// schemaType is the type that a script would get from schema({...}).
func schemaType(schema json.RawMessage) (engine.Type, error) {
	dict, err := exactjson.Decode(schema, exactjson.Limits{})
	if err != nil {
		return nil, err
	}
	v, err := starlark.Call(&starlark.Thread{Name: "form"}, types.Words()["schema"], starlark.Tuple{dict}, nil)
	if err != nil {
		return nil, err
	}
	kind, ok := v.(engine.Type)
	if !ok {
		return nil, errors.New("schema() gave no type")
	}
	return kind, nil
}
