// Package types is the type language of a script: str, int, list[T], T | None,
// enum, field, schema, model, and the words that work on models' instances
// (isinstance, replace, to_dict, describe).
//
// A type does three things, and each has one place here: it checks and converts
// a value ([engine.Type].Accept, driven by the checker in check.go), it shows
// itself as a JSON Schema (schema.go of each shape), and it answers an author
// who uses it wrongly (mistakes.go).
//
// The package may use the engine, exactjson and jsonschema-go (for schema({...})
// only). It reads no files, opens nothing and knows no MCP SDK.
//
// Start reading at [AsType] and the shape interface, then [Field], [Model] and
// [Parameters].
package types
