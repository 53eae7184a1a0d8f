package types

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

// The expectations in testdata/*.json were recorded from the reference system. In
// schemas.json $ref is written out and null is left out of optional arguments, as
// it is here.

// signature is a tool of testdata/*.star: tool("name", returns, x = T, y = default(T, v)).
type signature struct {
	parameters Parameters
	returns    engine.Type
}

func readTools(t *testing.T, file string) map[string]signature {
	tools := make(map[string]signature)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = run(string(data), starlark.StringDict{
		"tool": starlark.NewBuiltin("tool", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			returns, err := AsType(args[1])
			if err != nil {
				return nil, err
			}
			s := signature{returns: returns}
			for _, kv := range kwargs {
				f := Untyped()
				if d, ok := kv[1].(*defaulted); ok {
					f = d.field
				} else if kv[1] != starlark.String("untyped") {
					if f, err = AsField(kv[1]); err != nil {
						return nil, err
					}
				}
				s.parameters = append(s.parameters, Parameter{Name: string(kv[0].(starlark.String)), Field: f})
			}
			tools[string(args[0].(starlark.String))] = s
			return starlark.None, nil
		}),
		"default": starlark.NewBuiltin("default", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			f, err := AsField(args[0])
			if err != nil {
				return nil, err
			}
			f, err = f.WithDefault(args[1])
			return &defaulted{field: f}, err
		}),
	})
	require.NoError(t, err)
	return tools
}

type defaulted struct {
	starlark.NoneType
	field *Field
}

func TestSchemasAreThoseOfTheReference(t *testing.T) {
	tools := readTools(t, "testdata/schemas.star")
	var want map[string]struct{ Input, Output json.RawMessage }
	readJSON(t, "testdata/schemas.json", &want)
	require.NotEmpty(t, want)
	for name, w := range want {
		s, ok := tools[name]
		if name == "stir-pot" {
			s, ok, name = tools["stir"], true, "stir"
		}
		require.True(t, ok, name)
		require.JSONEq(t, string(w.Input), text(t, s.parameters.Schema(name+"Arguments")), name)
		output, wrapped := OutputSchema(s.returns, name+"Output")
		require.True(t, wrapped)
		require.JSONEq(t, string(w.Output), text(t, output), name)
	}
}

func TestArgumentsAreConvertedAsInTheReference(t *testing.T) {
	for _, name := range []string{"conversions", "schemas"} {
		tools := readTools(t, "testdata/"+name+".star")
		var calls []struct {
			Tool      string
			Arguments json.RawMessage
			Problems  int
			Result    json.RawMessage
		}
		readJSON(t, "testdata/"+name+"_calls.json", &calls)
		require.NotEmpty(t, calls)
		for i, call := range calls {
			if call.Tool == "stir-pot" {
				call.Tool = "stir"
			}
			label := fmt.Sprintf("%s %d: %s(%s)", name, i, call.Tool, call.Arguments)
			args, _ := decode(t, string(call.Arguments)).(*starlark.Dict)
			values, problems, err := tools[call.Tool].parameters.Bind(new(starlark.Thread), args)
			require.NoError(t, err, label)
			require.Len(t, problems, call.Problems, label)
			if name == "conversions" && call.Problems == 0 && tools[call.Tool].returns != engine.Type(strType) {
				out := wrap(tools[call.Tool].returns, values[0])
				require.JSONEq(t, string(call.Result), text(t, out), label)
			}
		}
	}
}

// wrap is the structured content of a tool that returns v.
func wrap(t engine.Type, v starlark.Value) starlark.Value {
	if _, wrapped := OutputSchema(t, ""); !wrapped {
		return v
	}
	d := new(starlark.Dict)
	_ = d.SetKey(starlark.String("result"), v)
	return d
}

func TestOutputSchemasAreThoseOfTheReference(t *testing.T) {
	for _, test := range []struct{ expr, want string }{
		{"int", `{"properties": {"result": {"title": "Result", "type": "integer"}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{"None", `{"properties": {"result": {"title": "Result", "type": "null"}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{"list[int]", `{"properties": {"result": {"items": {"type": "integer"}, "title": "Result", "type": "array"}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{"list[any]", `{"properties": {"result": {"items": {}, "title": "Result", "type": "array"}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{"int | None", `{"properties": {"result": {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "Result"}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{`enum("a", "b")`, `{"properties": {"result": {"enum": ["a", "b"], "title": "Result", "type": "string"}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{"dict[str, int]", `{"additionalProperties": {"type": "integer"}, "title": "fDictOutput", "type": "object"}`},
		{"dict[str, any]", `{"additionalProperties": true, "title": "fDictOutput", "type": "object"}`},
		{"dict[str, int] | None", `{"properties": {"result": {"anyOf": [{"additionalProperties": {"type": "integer"}, "type": "object"}, {"type": "null"}], "title": "Result"}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{"model(x = int)", `{"properties": {"x": {"title": "X", "type": "integer"}}, "required": ["x"], "title": "result", "type": "object"}`},
		{"model(x = field(int | None, default = None))", `{"properties": {"x": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null, "title": "X"}}, "title": "result", "type": "object"}`},
		{"list[model(x = int)]", `{"properties": {"result": {"items": {"properties": {"x": {"title": "X", "type": "integer"}}, "required": ["x"], "type": "object"}, "title": "Result", "type": "array"}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{"model(x = int) | None", `{"properties": {"result": {"anyOf": [{"properties": {"x": {"title": "X", "type": "integer"}}, "required": ["x"], "type": "object"}, {"type": "null"}]}}, "required": ["result"], "title": "fOutput", "type": "object"}`},
		{"any", "null"}, {"dict", "null"}, {"list", "null"},
	} {
		schema, wrapped := OutputSchema(typed(t, test.expr), "fOutput")
		if schema == nil {
			require.Equal(t, "null", test.want, test.expr)
			require.False(t, wrapped)
			continue
		}
		require.JSONEq(t, test.want, text(t, schema), test.expr)
		require.Equal(t, schema.Get("required") != nil && schema.Get("title") == "fOutput", wrapped, test.expr)
	}
	schema, wrapped := OutputSchema(nil, "fOutput")
	require.Nil(t, schema)
	require.False(t, wrapped)
}
