package types

import (
	"strconv"
	"testing"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/stretchr/testify/require"
)

func TestRawSchemasCheckValues(t *testing.T) {
	const person = `schema({"type": "object", "properties": {
		"name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "minimum": 0, "default": 7},
		"tags": {"type": "array", "items": {"type": "string"}}, "kind": {"enum": ["a", "b"]},
		"inner": {"type": "object", "properties": {"x": {"type": "number", "default": 1.5}}, "additionalProperties": False}},
		"required": ["name"]})`
	for _, test := range []struct{ schema, value, want, wrong string }{
		{person, `{"name": "x"}`, `{"name": "x", "age": 7}`, ""},
		{person, `{"name": "x", "age": 3, "more": [1]}`, `{"name": "x", "age": 3, "more": [1]}`, ""},
		{person, `{"name": "x", "inner": {}}`, `{"name": "x", "inner": {"x": 1.5}, "age": 7}`, ""},
		{person, `{"name": "", "age": -1}`, "", "p.name: expected at least 1 characters, got \"\" (str); p.age: expected at least 0, got -1 (int)"},
		{person, `{"nam": "x"}`, "", "p.name: expected a string, got nothing (did you mean to send it as name? you sent nam)"},
		{person, `{"name": 5, "tags": ["x", 1, 2], "kind": "c"}`, "",
			`p.name: expected a string, got 5 (int); p.tags[1]: expected a string, got 1 (int); p.tags[2]: expected a string, got 2 (int); p.kind: expected one of "a", "b", got "c" (str)`},
		{person, `{"name": "x", "inner": {"y": 1}}`, "", "p.inner: expected no other properties than x, got a dict of 2"},
		{person, `[]`, "", "p: expected an object, got a list of 0"},
		{`schema({"type": "integer"})`, "5", "5", ""},
		{`schema({"type": "integer"})`, `"5"`, "", `p: expected an integer, got "5" (str)`},
		{`schema({"type": ["string", "null"]})`, "5", "", "p: expected a string or null, got 5 (int)"},
		{`schema({"anyOf": [{"type": "string"}, {"minimum": 3}]})`, "2", "", `p: expected a value that fits its schema (anyOf {"type":"string"}, {"minimum":3}), got 2 (int)`},
		{`schema({"type": "string", "format": "date"})`, `"2026-13-01"`, "", `p: expected a date as 2026-05-31, got "2026-13-01" (str)`},
		{`schema({"type": "object", "properties": {"when": {"type": "string", "format": "email"}}})`, `{"when": "x"}`, "", `p.when: expected an email address, got "x" (str)`},
		{`schema({"type": "array", "items": {"type": "object", "properties": {"n": {"default": 1}}}})`, `[{}, {"n": 2}]`, `[{"n": 1}, {"n": 2}]`, ""},
		{`schema({"type": "array", "uniqueItems": True})`, "[1, 1]", "", "p: expected elements that all differ, got a list of 2"},
		{`schema({})`, `{"a": [null, true, 1.5]}`, `{"a": [None, True, 1.5]}`, ""},
		{`schema({"const": 5})`, "6", "", "p: expected 5, got 6 (int)"},
		{`schema({"$ref": "#/$defs/x", "$defs": {"x": {"type": "integer"}}})`, `"q"`, "", `p: expected an integer, got "q" (str)`},
		// Integers of any size stay what they are.
		{`schema({"type": "integer", "minimum": 1})`, "12345678901234567890123", "12345678901234567890123", ""},
		{`schema({"type": "array", "items": {"type": "integer"}})`, "[9007199254740993]", "[9007199254740993]", ""},
	} {
		got, wrong := typed(t, test.schema).Accept(decode(t, test.value), "p")
		require.Equal(t, test.wrong, engine.MismatchText(wrong), test.value)
		if test.wrong == "" {
			require.Equal(t, test.want, got.String())
		}
	}
	_, wrong := typed(t, "schema({})").Accept(eval(t, "{1: 2}"), "p")
	require.Equal(t, "p: expected a JSON value: the key 1 (int) is no text, got a dict of 1", engine.MismatchText(wrong))
	_, wrong = typed(t, "schema({})").Accept(eval(t, "print"), "p")
	require.Len(t, wrong, 1)
}

func TestRawSchemasPassAsTheyAreWritten(t *testing.T) {
	const src = `{"type": "object", "x-ours": {"$ref": 1}, "properties": {"$ref": {"const": {"$ref": "#"}}, "b": {"enum": [{"$ref": "x"}]}}, "$defs": {"unused": {}}, "required": []}`
	require.Equal(t, text(t, decode(t, src)), text(t, typed(t, "schema("+src+")").Schema()))
}

func TestLocalReferencesAreWrittenOut(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x", "description": "d"}}, "$defs": {"x": {"type": "string", "description": "x"}}}`,
			`{"properties": {"a": {"type": "string", "description": "x"}, "b": {"type": "string", "description": "d"}}}`},
		{`{"allOf": [{"$ref": "#/definitions/a~1b"}, {"$ref": "#/allOf/2"}, {"const": 1}], "definitions": {"a/b": True}}`,
			`{"allOf": [true, {"const": 1}, {"const": 1}]}`},
		{`{"$ref": "#/$defs/x", "minimum": 3, "$defs": {"x": {"minimum": 1}}}`, `{"allOf": [{"minimum": 1}], "minimum": 3}`},
		{`{"$ref": "#/$defs/x", "maximum": 3, "$defs": {"x": {"minimum": 1}}}`, `{"minimum": 1, "maximum": 3}`},
		{`{"$ref": "#/$defs/x", "additionalProperties": False, "$defs": {"x": {"properties": {"a": True}}}}`,
			`{"allOf": [{"properties": {"a": true}}], "additionalProperties": false}`},
		{`{"$ref": "#/%24defs/x", "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"type": "null"}}}`, `{"type": "null"}`},
	} {
		require.JSONEq(t, test.want, text(t, typed(t, "schema("+test.schema+")").Schema()), test.schema)
	}
}

func TestBadSchemasAreRefusedAtOnce(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`5`, `schema takes a dict, the JSON Schema: .* got 5 \(int\)`},
		{`"{}"`, `schema takes a dict, not text; write schema\(json.decode\(text\)\)`},
		{`{1: 2}`, `at #: the key 1 \(int\) is no text`},
		{`{"type": "strng"}`, `at #/type: there is no type "strng" in JSON Schema \(did you mean "string"\?\)`},
		{`{"type": "int"}`, `there is no type "int" in JSON Schema \(did you mean "integer"\?\)`},
		{`{"type": int}`, `type is one of string, .* as text, got the type int`},
		{`{"type": []}`, `type is an empty list`},
		{`{"type": 5}`, `type is text, got 5`},
		{`{"properties": {"a": 5}}`, `at #/properties/a: a schema is a dict \(or True, or False\), got 5`},
		{`{"properties": []}`, `at #/properties: a dict of schemas, got a list of 0`},
		{`{"anyOf": {}}`, `at #/anyOf: a list of schemas, got a dict of 0`},
		{`{"anyOf": []}`, `at #/anyOf: an empty list of schemas`},
		{`{"items": 3}`, `at #/items: a schema is a dict`},
		{`{"minimum": "3"}`, `at #/minimum: minimum is a number, got "3"`},
		{`{"minLength": -1}`, `minLength is a whole number from 0 on`},
		{`{"multipleOf": 0}`, `multipleOf has to be more than 0`},
		{`{"required": "a"}`, `required is a list of names, got "a"`},
		{`{"required": [1]}`, `required is a list of names, got 1 \(int\) in it`},
		{`{"enum": []}`, `enum is a list of values, got a list of 0`},
		{`{"uniqueItems": 1}`, `uniqueItems is True or False`},
		{`{"pattern": "(?=x)"}`, `at #/pattern: pattern: there is no look-ahead`},
		{`{"patternProperties": {"(": {}}}`, `at #/patternProperties: pattern: missing closing`},
		{`{"title": 3}`, `title is text, got 3`},
		{`{"default": print}`, `has no JSON form`},
		{`{"$schema": "http://json-schema.org/draft-04/schema#"}`, `is not supported; leave it out`},
		{`{"properties": {"a": {"type": "integer", "default": "x"}}}`, `the default of property a does not fit: expected an integer, got "x"`},
		// References.
		{`{"$ref": "file:///etc/passwd"}`, `at #: \$ref leads to file:///etc/passwd, and nothing outside the schema is read; put it into "\$defs" and write "#/\$defs/NAME"`},
		{`{"properties": {"a": {"$ref": "http://127.0.0.1:1/x.json#/y"}}}`, `at #/properties/a: \$ref leads to http://127.0.0.1:1/x.json#/y, and nothing outside`},
		{`{"$ref": "other.json"}`, `nothing outside the schema is read`},
		{`{"$ref": 5}`, `\$ref is text, got 5`},
		{`{"$ref": "#/$defs/ad", "$defs": {"add": {}}}`, `\$ref #/\$defs/ad leads nowhere, there is no ad \(did you mean add\?\)`},
		{`{"$ref": "#name"}`, `names of anchors are not supported; write #/\$defs/NAME`},
		{`{"$ref": "#/%zz"}`, `a % that is no escape`},
		{`{"$dynamicRef": "#x"}`, `at #/\$dynamicRef: \$dynamicRef is not supported`},
		{`{"$ref": "#"}`, `at #: \$ref leads back to itself \(#\)`},
		{`{"$ref": "#/$defs/x", "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}}}`, `leads back to itself \(#/\$defs/x → #/\$defs/y → #/\$defs/x\)`},
		{`{"properties": {"child": {"$ref": "#"}}}`, `at #/properties/child: \$ref leads back to itself \(#\)`},
		{`{"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}`, `leads back to itself \(#/\$defs/n`},
		{`{"$ref": "#/$defs/x", "$defs": {"x": {"$id": "http://x/y", "type": "string"}}}`, `\$id below the root changes what the references mean`},
	} {
		_, err := run("x = schema("+test.schema+")", nil)
		require.Error(t, err, test.schema)
		require.Regexp(t, test.want, err.Error(), test.schema)
	}
}

// References that double at every step would be written out for ever.
func TestDoublingReferencesAreRefused(t *testing.T) {
	src := `defs = {"n0": {"type": "string"}}
for i in range(60):
    defs["n%d" % (i + 1)] = {"allOf": [{"$ref": "#/$defs/n%d" % i}, {"$ref": "#/$defs/n%d" % i}]}
x = schema({"$ref": "#/$defs/n` + strconv.Itoa(12) + `", "$defs": {k: defs[k] for k in defs}})
`
	_, err := run(src, nil)
	require.Error(t, err)
	require.Regexp(t, "more than 10000 schemas when references are written out|nested at most 64 deep", err.Error())
}

func TestASchemaThatContainsItselfIsRefused(t *testing.T) {
	for _, src := range []string{
		"d = {}\nd['not'] = d\nx = schema(d)",
		"d = {}\nd['properties'] = {'a': d}\nx = schema(d)",
		"d = {}\nd['default'] = d\nx = schema(d)",
	} {
		_, err := run(src, nil)
		require.ErrorContains(t, err, "does not contain itself")
	}
	_, err := run("d = {}\nfor i in range(100): d = {'not': d}\nx = schema(d)", nil)
	require.ErrorContains(t, err, "nested at most 64 deep")
}

func TestTheAuthorMayGoOnUsingTheDict(t *testing.T) {
	globals, err := run("d = {'type': 'array', 'default': [1]}\nx = schema(d)\nd['default'].append(2)\nd['title'] = 'T'", nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"type": "array", "default": [1]}`, text(t, globals["x"].(Schemed).Schema()))
}

func TestRawSchemasAreTypesAmongOthers(t *testing.T) {
	globals, err := run(`
S = schema({"type": "string", "title": "A text"})
x = list[S] | None
M = model(s = field(S, description = "mine"))
`, nil)
	require.NoError(t, err)
	require.Equal(t, "list[schema(A text)] | None", globals["x"].String())
	require.JSONEq(t, `{"properties": {"s": {"type": "string", "title": "A text", "description": "mine"}}, "required": ["s"], "title": "M", "type": "object"}`,
		text(t, globals["M"].(Schemed).Schema()))
	o, wrapped := OutputSchema(typed(t, `schema({"type": "object", "properties": {}})`), "fOutput")
	require.False(t, wrapped)
	require.JSONEq(t, `{"type": "object", "properties": {}}`, text(t, o))
	o, wrapped = OutputSchema(typed(t, `schema({"type": "string"})`), "fOutput")
	require.True(t, wrapped)
	require.JSONEq(t, `{"properties": {"result": {"type": "string"}}, "required": ["result"], "title": "fOutput", "type": "object"}`, text(t, o))
}
