package types

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

// parametersOf are the parameters of a dict of names and types, fields, or pairs
// of one of these and a default.
func parametersOf(t testing.TB, expr string) Parameters {
	t.Helper()
	var out Parameters
	for k, v := range eval(t, expr).(*starlark.Dict).Entries() {
		var def starlark.Value
		if pair, ok := v.(starlark.Tuple); ok {
			v, def = pair[0], pair[1]
		}
		f, err := AsField(v)
		require.NoError(t, err)
		if def != nil {
			f, err = f.WithDefault(def)
			require.NoError(t, err)
		}
		out = append(out, Parameter{Name: string(k.(starlark.String)), Field: f})
	}
	return out
}

func bind(t testing.TB, ps Parameters, args string) (string, string) {
	t.Helper()
	d, _ := decode(t, args).(*starlark.Dict)
	values, problems, err := ps.Bind(new(starlark.Thread), d)
	require.NoError(t, err)
	if problems != nil {
		return "", engine.MismatchText(problems)
	}
	return starlark.NewList(values).String(), ""
}

func TestBindGivesEveryParameterAValue(t *testing.T) {
	for _, test := range []struct{ parameters, args, want, wrong string }{
		{`{"title": str, "n": (int, 3)}`, `{"title": "x"}`, `["x", 3]`, ""},
		{`{"title": str, "n": (int, 3)}`, `{"n": "4", "title": "x", "more": [1]}`, `["x", 4]`, ""},
		{`{"title": str}`, `null`, "", "title: expected a string, got nothing"},
		{`{}`, `null`, "[]", ""},
		{`{}`, `{"x": 1}`, "[]", ""},
		{`{"title": str, "n": int}`, `{}`, "", "title: expected a string, got nothing; n: expected an integer, got nothing"},
		{`{"title": str}`, `{"titel": "x"}`, "", "title: expected a string, got nothing (did you mean to send it as title? you sent titel)"},
		{`{"title": str, "titel": (str, "")}`, `{"titel": "x"}`, "", "title: expected a string, got nothing"},
		{`{"n": (int | None, None)}`, `{}`, "[None]", ""},
		{`{"n": (int | None, None)}`, `{"n": null}`, "[None]", ""},
		{`{"n": int | None}`, `{}`, "", "n: expected int | None, got nothing"},
		{`{"x": (float, 3)}`, `{}`, "[3.0]", ""},
		{`{"n": field(int, factory = lambda: 7)}`, `{}`, "[7]", ""},
		{`{"n": field(int, ge = 1, le = 3), "s": field(str, max_length = 2)}`, `{"n": 9, "s": "abc"}`, "", `n: expected at most 3, got 9 (int); s: expected at most 2 characters, got "abc" (str)`},
		// Lists, objects and null may come as JSON text; text for a text stays text.
		{`{"l": list[int]}`, `{"l": "[1, 2]"}`, "[[1, 2]]", ""},
		{`{"l": list[int]}`, `{"l": "1, 2"}`, "", `l: expected a list, got "1, 2" (str)`},
		{`{"d": dict[str, int]}`, `{"d": "{\"a\": 1}"}`, `[{"a": 1}]`, ""},
		{`{"n": int | None}`, `{"n": "null"}`, "[None]", ""},
		{`{"n": int}`, `{"n": "null"}`, "", "n: expected an integer, got None"},
		{`{"n": int}`, `{"n": "5"}`, "[5]", ""},
		{`{"s": str}`, `{"s": "[1]"}`, `["[1]"]`, ""},
		{`{"s": str | None}`, `{"s": "null"}`, `["null"]`, ""},
		{`{"s": int | str}`, `{"s": "{}"}`, `["{}"]`, ""},
		{`{"s": list[str] | str}`, `{"s": "[\"a\"]"}`, `["[\"a\"]"]`, ""},
		{`{"s": any}`, `{"s": "[1]"}`, `["[1]"]`, ""},
		{`{"e": enum("null", "x")}`, `{"e": "null"}`, `["null"]`, ""},
		{`{"e": enum("a") | None}`, `{"e": "[]"}`, "", `e: expected "a", got "[]" (str)`},
		{`{"e": enum(1, 2) | None}`, `{"e": "null"}`, "[None]", ""},
		{`{"s": schema({"type": "array"})}`, `{"s": "[1]"}`, "[[1]]", ""},
		{`{"s": schema({"type": ["array", "string"]})}`, `{"s": "[1]"}`, `["[1]"]`, ""},
		{`{"m": model(a = int)}`, `{"m": "{\"a\": 1}"}`, "[model(a = 1)]", ""},
		{`{"m": list[model(a = int)]}`, `{"m": "[{\"a\": 1}]"}`, "[[model(a = 1)]]", ""},
		{`{"n": int}`, `{"n": 123456789012345678901234567890}`, "[123456789012345678901234567890]", ""},
	} {
		got, wrong := bind(t, parametersOf(t, test.parameters), test.args)
		require.Equal(t, test.want, got, test.args)
		require.Equal(t, test.wrong, wrong, test.args)
	}
}

func TestUntypedParametersTakeAnything(t *testing.T) {
	ps := Parameters{{Name: "some_thing", Field: Untyped()}}
	for _, v := range []string{`"[1]"`, `5`, `null`, `{"a": [1]}`} {
		_, wrong := bind(t, ps, `{"some_thing": `+v+`}`)
		require.Empty(t, wrong)
	}
	require.JSONEq(t, `{"properties": {"some_thing": {"title": "some_thing", "type": "string"}}, "required": ["some_thing"], "type": "object", "title": "fArguments"}`,
		text(t, ps.Schema("fArguments")))
}

func TestBoundValuesAreFrozen(t *testing.T) {
	ps := parametersOf(t, `{"a": any, "l": list[int], "d": (list[str], ["x"]), "f": field(list, factory = list)}`)
	args := decode(t, `{"a": [1], "l": [1]}`).(*starlark.Dict)
	values, problems, err := ps.Bind(new(starlark.Thread), args)
	require.NoError(t, err)
	require.Empty(t, problems)
	for _, v := range values {
		require.ErrorContains(t, v.(*starlark.List).Append(starlark.None), "frozen")
	}
}

func TestFactoriesRunOnTheCallsThread(t *testing.T) {
	thread := &starlark.Thread{Name: "call"}
	var ran []*starlark.Thread
	f := &Field{Type: intType, Factory: starlark.NewBuiltin("next", func(th *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		ran = append(ran, th)
		return starlark.MakeInt(len(ran)), nil
	})}
	ps := Parameters{{Name: "n", Field: f}}
	for want := 1; want <= 2; want++ {
		values, _, err := ps.Bind(thread, nil)
		require.NoError(t, err)
		require.Equal(t, starlark.MakeInt(want), values[0])
	}
	require.Equal(t, []*starlark.Thread{thread, thread}, ran)
}

func TestAFailingFactoryIsTheCallsError(t *testing.T) {
	_, _, err := parametersOf(t, `{"n": field(int, factory = lambda: fail("no number"))}`).Bind(new(starlark.Thread), nil)
	require.ErrorContains(t, err, "fail: no number")
	_, _, err = parametersOf(t, `{"n": field(int, factory = lambda: "x")}`).Bind(new(starlark.Thread), nil)
	require.EqualError(t, err, `the factory of n made a value that does not fit int: expected an integer, got "x" (str)`)
	// Without a call the type itself says so, and an endless factory ends.
	m := typed(t, `model(n = field(int, factory = lambda: 1 // 0))`)
	_, wrong := m.Accept(new(starlark.Dict), "m")
	require.Equal(t, "m: expected a default, got an error from its factory: floored division by zero", engine.MismatchText(wrong))
}

func TestSchemaOfParameters(t *testing.T) {
	ps := parametersOf(t, `{
		"a": model(x = int), "b": (model(x = int) | None, None), "c": field(model(x = int), description = "own", title = "Own"),
		"d": (model(x = int), {"x": 1}), "e": enum(a = "The A", b = "The B"), "f": int | None, "g": (int | str | None, None),
		"h": field(list[int], factory = list), "i": field(dict[str, int], min_length = 1), "j": field(int | float | None, ge = 3, default = None), "k": None,
		"l": schema({"type": "string"}), "fooBar_x1y": int, "m": list | list[any], "n": None | int | None | str}`)
	const x = `"properties": {"x": {"title": "X", "type": "integer"}}, "required": ["x"], "type": "object"`
	require.JSONEq(t, `{"properties": {
		"a": {`+x+`}, "b": {`+x+`}, "c": {`+x+`, "description": "own", "title": "Own"}, "d": {`+x+`, "default": {"x": 1}},
		"e": {"oneOf": [{"const": "a", "title": "The A"}, {"const": "b", "title": "The B"}], "title": "E", "type": "string"},
		"f": {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "F"}, "g": {"anyOf": [{"type": "integer"}, {"type": "string"}], "title": "G"},
		"h": {"items": {"type": "integer"}, "title": "H", "type": "array"},
		"i": {"additionalProperties": {"type": "integer"}, "minProperties": 1, "title": "I", "type": "object"},
		"j": {"anyOf": [{"minimum": 3, "type": "integer"}, {"minimum": 3, "type": "number"}], "title": "J"},
		"k": {"title": "K", "type": "null"}, "l": {"type": "string"}, "fooBar_x1y": {"title": "Foobar X1Y", "type": "integer"},
		"m": {"items": {}, "title": "M", "type": "array"}, "n": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}], "title": "N"}},
		"required": ["a", "c", "e", "f", "i", "k", "l", "fooBar_x1y", "m", "n"], "type": "object", "title": "fArguments"}`, text(t, ps.Schema("fArguments")))
}

func TestTheFieldsOwnDescriptionWins(t *testing.T) {
	f, err := AsField(eval(t, `field(int, description = "own")`))
	require.NoError(t, err)
	ps := Parameters{{Name: "a", Field: f, Description: "doc"}, {Name: "b", Field: &Field{Type: intType}, Description: "doc"}}
	require.JSONEq(t, `{"properties": {"a": {"description": "own", "title": "A", "type": "integer"}, "b": {"description": "doc", "title": "B", "type": "integer"}},
		"required": ["a", "b"], "type": "object", "title": "t"}`, text(t, ps.Schema("t")))
}

func TestSchemasAreTheSameBytesEveryTime(t *testing.T) {
	ps := parametersOf(t, `{"a": field(str, min_length = 1, pattern = "x", description = "d"), "b": (list[enum("a", "b")], ["a"])}`)
	first := text(t, ps.Schema("t"))
	require.Equal(t, `{"properties":{"a":{"description":"d","minLength":1,"pattern":"x","title":"A","type":"string"},`+
		`"b":{"default":["a"],"items":{"enum":["a","b"],"type":"string"},"title":"B","type":"array"}},"required":["a"],"type":"object","title":"t"}`, first)
	for range 5 {
		require.Equal(t, first, text(t, ps.Schema("t")))
	}
}

func TestADefaultIsGivenOnce(t *testing.T) {
	f, err := AsField(eval(t, `field(int, default = 3)`))
	require.NoError(t, err)
	_, err = f.WithDefault(starlark.MakeInt(4))
	require.EqualError(t, err, "the default is given twice, as field(default =) and after the type; keep one")
	f, err = AsField(eval(t, `field(int, factory = int)`))
	require.NoError(t, err)
	_, err = f.WithDefault(starlark.MakeInt(4))
	require.ErrorContains(t, err, "there is a field(factory =) and a default")
	f, err = AsField(eval(t, `field(int, le = 3)`))
	require.NoError(t, err)
	_, err = f.WithDefault(starlark.MakeInt(4))
	require.EqualError(t, err, "the default does not fit int: expected at most 3, got 4 (int)")
	require.True(t, f.Required(), "the field itself is as it was")
}

func TestInferTakesTheTypeOfADefault(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{"10", "int"}, {`"x"`, "str"}, {"True", "bool"}, {"1.5", "float"}, {"[1, 2]", "list[int]"}, {"[1, 2.5]", "list[float]"},
		{`[["a"]]`, "list[list[str]]"}, {`{"a": 1}`, "dict[str, int]"}, {`{"a": [1.0]}`, "dict[str, list[float]]"}, {"model(x = int)(x = 1)", "model"},
	} {
		f, err := Infer(eval(t, test.value))
		require.NoError(t, err, test.value)
		require.Equal(t, test.want, f.Type.TypeName())
		require.NotNil(t, f.Default)
	}
	for _, test := range []struct{ value, want string }{
		{"None", "the default None does not tell the type; write `x: T | None = None`, for instance `x: str | None = None`"},
		{"[]", "the default [] does not tell the type of its elements; write it, for instance `x: list[str] = []`"},
		{"{}", "the default {} does not tell the type of its values; write it, for instance `x: dict[str, int] = {}`"},
		{`[1, "x"]`, "a list as default: its elements are of several types, int and str; write the type, for instance `x: list[int | str] = [...]`"},
		{`{"a": 1, "b": "x"}`, "a dict as default: its values are of several types, int and str; write the type, for instance `x: dict[str, int | str] = {...}`"},
		{"[None]", "a list as default: the default None does not tell the type"},
		{`{1: 2}`, "a dict as default has text as keys, as JSON has, got the key 1 (int)"},
		{"(1, 2)", "a tuple as default does not tell the type, JSON has no tuples; write a list"},
		{"str", "the default is the type str; write a colon: `x: str`"},
		{"list[int]", "the default is the type list[int]; write a colon: `x: list[int]`"},
		{"field(int)", "the default is field(...); write a colon: `x: field(...)`"},
		{"len", "the default, a builtin_function_or_method, does not tell the type; write it: `x: T = ...`"},
	} {
		_, err := Infer(eval(t, test.value))
		require.ErrorContains(t, err, test.want, test.value)
	}
}

func TestTitledIsPythonsTitle(t *testing.T) {
	for name, want := range map[string]string{
		"title": "Title", "long_winded_name": "Long Winded Name", "fooBar_x1y": "Foobar X1Y", "_x_": "X", "HTTP": "Http", "größe": "Größe", "a__b": "A  B", "": "",
	} {
		require.Equal(t, want, Titled(name), name)
	}
}

func TestManyUnknownArgumentsAreQuick(t *testing.T) {
	d := starlark.NewDict(200_000)
	for i := range 200_000 {
		require.NoError(t, d.SetKey(starlark.String("k"+strconv.Itoa(i)), starlark.None))
	}
	ps := parametersOf(t, `{"title": str, "n": int}`)
	_, problems, err := ps.Bind(new(starlark.Thread), d)
	require.NoError(t, err)
	require.Len(t, problems, 2)
}

// What parameters hold is shared by all calls; this says something under -race.
func TestCallsBindAtTheSameTime(t *testing.T) {
	ps := parametersOf(t, `{
		"a": (list[int], [1]), "b": field(any, default = [{"x": [1]}]), "c": schema({"type": "object", "properties": {"q": {"default": [1]}}}),
		"d": (model(x = field(list[str], default = ["a"])), {}), "e": (int | str | None, None), "f": field(list, factory = list)}`)
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 20 {
				args, err := exactjson.Decode([]byte(`{"c": {"z": 1}}`), exactjson.Limits{})
				assert.NoError(t, err)
				values, problems, err := ps.Bind(new(starlark.Thread), args.(*starlark.Dict))
				assert.NoError(t, err)
				assert.Empty(t, problems)
				assert.Equal(t, `[[1], [{"x": [1]}], {"z": 1, "q": [1]}, model(x = ["a"]), None, []]`, starlark.NewList(values).String())
				assert.NotEmpty(t, exactjson.MustMarshal(ps.Schema("f")))
			}
		})
	}
	calls.Wait()
}

func TestLongNamesAreCutInErrors(t *testing.T) {
	d := new(starlark.Dict)
	require.NoError(t, d.SetKey(starlark.String(strings.Repeat("k", 100_000)), starlark.None))
	_, wrong := typed(t, "dict[str, int]").Accept(d, "p")
	require.Less(t, len(engine.MismatchText(wrong)), 150)
}

func BenchmarkBind(b *testing.B) {
	ps := parametersOf(b, `{"title": str, "copies": (int, 1), "gift": bool}`)
	args := decode(b, `{"title": "Dune", "copies": 3, "gift": true}`).(*starlark.Dict)
	thread := new(starlark.Thread)
	b.ReportAllocs()
	for b.Loop() {
		if _, problems, err := ps.Bind(thread, args); problems != nil || err != nil {
			b.Fatal(problems, err)
		}
	}
}

func BenchmarkInstance(b *testing.B) {
	m := typed(b, "model(title = str, copies = int, tags = list[str])").(*Model)
	args := decode(b, `{"title": "Dune", "copies": 3, "tags": ["a", "b"]}`).(*starlark.Dict)
	b.ReportAllocs()
	for b.Loop() {
		if _, wrong := m.Accept(args, ""); wrong != nil {
			b.Fatal(wrong)
		}
	}
}

func BenchmarkLongList(b *testing.B) {
	elems := make([]starlark.Value, 100_000)
	for i := range elems {
		elems[i] = starlark.MakeInt(i)
	}
	list, typ := starlark.NewList(elems), typed(b, "list[int]")
	b.ReportAllocs()
	for b.Loop() {
		if _, wrong := typ.Accept(list, ""); wrong != nil {
			b.Fatal(wrong)
		}
	}
}
