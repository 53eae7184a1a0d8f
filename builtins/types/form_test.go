package types

import (
	"testing"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/stretchr/testify/require"
)

func formOf(t *testing.T, expr string) (string, error) {
	form, ok := typed(t, expr).(interface {
		FormSchema() (exactjson.Object, error)
	})
	require.True(t, ok, expr)
	o, err := form.FormSchema()
	if err != nil {
		return "", err
	}
	return text(t, o), nil
}

func TestFormsAreFlat(t *testing.T) {
	for _, test := range []struct{ model, want string }{
		// The reference's own rendering of the same model.
		{`model(hour = field(int, ge = 8, le = 20, description = "Hour of the day"), sign = field(bool, default = False))`,
			`{"properties": {"hour": {"description": "Hour of the day", "maximum": 20, "minimum": 8, "title": "Hour", "type": "integer"},
			  "sign": {"default": false, "title": "Sign", "type": "boolean"}}, "required": ["hour"], "title": "result", "type": "object"}`},
		{`model(a = str, b = float, c = bool)`,
			`{"properties": {"a": {"title": "A", "type": "string"}, "b": {"title": "B", "type": "number"}, "c": {"title": "C", "type": "boolean"}},
			  "required": ["a", "b", "c"], "title": "result", "type": "object"}`},
		// Optional is the plain type; only the default decides what is required.
		{`model(a = int | None, b = field(int | None, default = None), c = field(int | None, default = 3), d = field(str, factory = str))`,
			`{"properties": {"a": {"title": "A", "type": "integer"}, "b": {"title": "B", "type": "integer"}, "c": {"default": 3, "title": "C", "type": "integer"},
			  "d": {"title": "D", "type": "string"}}, "required": ["a"], "title": "result", "type": "object"}`},
		{`model(a = field(str | None, max_length = 9, default = None))`,
			`{"properties": {"a": {"title": "A", "type": "string", "maxLength": 9}}, "title": "result", "type": "object"}`},
		{`model(d = field(str, format = "date"), t = field(str, format = "date-time"), e = field(str, format = "email"), u = field(str, format = "uri", title = "Where"))`,
			`{"properties": {"d": {"format": "date", "title": "D", "type": "string"}, "t": {"format": "date-time", "title": "T", "type": "string"},
			  "e": {"format": "email", "title": "E", "type": "string"}, "u": {"format": "uri", "title": "Where", "type": "string"}},
			  "required": ["d", "t", "e", "u"], "title": "result", "type": "object"}`},
		// Choices, one or several, with and without titles.
		{`model(a = enum("x", "y"), b = enum(x = "The X", y = "The Y"), c = enum("x"), d = enum(1, 2))`,
			`{"properties": {"a": {"enum": ["x", "y"], "title": "A", "type": "string"},
			  "b": {"oneOf": [{"const": "x", "title": "The X"}, {"const": "y", "title": "The Y"}], "title": "B", "type": "string"},
			  "c": {"const": "x", "title": "C", "type": "string"}, "d": {"enum": [1, 2], "title": "D", "type": "integer"}},
			  "required": ["a", "b", "c", "d"], "title": "result", "type": "object"}`},
		{`model(a = field(list[enum("x", "y")], min_length = 1, default = ["x"]), b = list[enum(x = "The X")], c = list[enum("x")])`,
			`{"properties": {"a": {"default": ["x"], "items": {"enum": ["x", "y"], "type": "string"}, "minItems": 1, "title": "A", "type": "array"},
			  "b": {"items": {"anyOf": [{"const": "x", "title": "The X"}]}, "title": "B", "type": "array"},
			  "c": {"items": {"enum": ["x"], "type": "string"}, "title": "C", "type": "array"}},
			  "required": ["b", "c"], "title": "result", "type": "object"}`},
		{`describe(model(a = str), "Please.", title = "Form")`,
			`{"description": "Please.", "properties": {"a": {"title": "A", "type": "string"}}, "required": ["a"], "title": "Form", "type": "object"}`},
		{`model(a = schema({"type": "string", "format": "uri"}))`,
			`{"properties": {"a": {"type": "string", "format": "uri"}}, "required": ["a"], "title": "result", "type": "object"}`},
		{`model()`, `{"properties": {}, "title": "result", "type": "object"}`},
		// Raw schemas pass as they are.
		{`schema({"required": ["n"], "type": "object", "properties": {"n": {"type": "number", "exclusiveMinimum": 0}}, "additionalProperties": False})`,
			`{"required": ["n"], "type": "object", "properties": {"n": {"type": "number", "exclusiveMinimum": 0}}, "additionalProperties": false}`},
		{`schema({"type": "object", "properties": {"s": {"type": "string", "enum": ["a"], "enumNames": ["A"]},
			"o": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "m": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}},
			"e": {"type": "array", "items": {"type": "string", "enum": ["a"]}}, "b": {"type": "boolean"}}})`,
			`{"type": "object", "properties": {"s": {"type": "string", "enum": ["a"], "enumNames": ["A"]},
			"o": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "m": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}},
			"e": {"type": "array", "items": {"type": "string", "enum": ["a"]}}, "b": {"type": "boolean"}}}`},
	} {
		got, err := formOf(t, test.model)
		require.NoError(t, err, test.model)
		require.JSONEq(t, test.want, got, test.model)
	}
}

func TestWhatAFormCannotHoldIsNamed(t *testing.T) {
	for _, test := range []struct{ model, want string }{
		{`model(inner = model(x = int))`, `field inner of result is the model model, and forms are flat; a form holds str, int`},
		{`model(tags = list[str])`, `field tags of result is list\[str\], and a list in a form is a choice of several texts; a form holds .*list\[enum\("a", "b"\)\]`},
		{`model(tags = list[enum(1, 2)])`, `field tags of result is list\[enum\(1, 2\)\]`},
		{`model(tags = list)`, `field tags of result is list,`},
		{`model(d = dict[str, str])`, `field d of result is dict\[str, str\];`},
		{`model(d = dict)`, `field d of result is dict;`},
		{`model(a = any)`, `field a of result is any;`},
		{`model(n = None)`, `field n of result can only be None`},
		{`model(u = int | str)`, `field u of result is int \| str, a choice of types`},
		{`model(u = int | str | None)`, `field u of result is int \| str \| None, a choice of types`},
		{`model(e = enum("a", 1))`, `field e of result is enum\("a", 1\), of texts and integers together`},
		{`model(t = field(str, format = "uuid"))`, `field t of result has the format uuid, and a form knows only date, date-time, email and uri`},
		{`model(a = schema({"type": "object"}))`, `field a of result is of type object`},
		{`schema({"type": "string"})`, `this schema can't be a form: its "type" has to be "object"`},
		{`schema({"properties": {}})`, `its "type" has to be "object"`},
		{`schema({"type": "object"})`, `it has no "properties"`},
		{`schema({"type": "object", "properties": {}, "anyOf": [{}]})`, `leave out "anyOf"`},
		{`schema({"type": "object", "properties": {"a": {"type": "object"}}})`, `property a is of type object; a property is a string`},
		{`schema({"type": "object", "properties": {"a": {"type": "null"}}})`, `property a is of type null`},
		{`schema({"type": "object", "properties": {"a": {"type": ["string", "null"]}}})`, `property a has no single type`},
		{`schema({"type": "object", "properties": {"a": {}}})`, `property a has no single type`},
		{`schema({"type": "object", "properties": {"a": True}})`, `property a has no type`},
		{`schema({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}}})`, `property a has "anyOf", and a form's property is flat`},
		{`schema({"type": "object", "properties": {"a": {"type": "string", "format": "time"}}})`, `property a has the format time`},
		{`schema({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}})`, `property a is an array, whose items in a form are`},
		{`schema({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string", "anyOf": [{"const": "a", "title": "A"}]}}}})`, `property a is an array, whose items`},
		{`schema({"type": "object", "properties": {"a": {"type": "string", "oneOf": [{"type": "string"}]}}})`, `property a has "oneOf", which in a form is a list of`},
		{`schema({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]})`, `it requires b, which is not among its properties \(a\)`},
	} {
		_, err := formOf(t, test.model)
		require.Error(t, err, test.model)
		require.Regexp(t, test.want, err.Error(), test.model)
	}
}
