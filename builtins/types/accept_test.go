package types

import (
	"math"
	"strings"
	"testing"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

// Both tables were recorded from pydantic 2, lax mode. "" is a refusal.
func TestConversionsAreThoseOfTheReference(t *testing.T) {
	for _, test := range []struct{ typ, value, want string }{
		{"int", "True", "1"}, {"int", "False", "0"},
		{"int", `"5"`, "5"}, {"int", `" 5 "`, "5"}, {"int", `"+5"`, "5"}, {"int", `"-5"`, "-5"}, {"int", `"+ 5"`, ""},
		{"int", `"1_000"`, "1000"}, {"int", `"_1"`, ""}, {"int", `"1__0"`, ""}, {"int", `"1_"`, ""},
		{"int", `"5.0"`, "5"}, {"int", `"5.00"`, "5"}, {"int", `"5."`, ""}, {"int", `"5.1"`, ""}, {"int", `".0"`, ""},
		{"int", `"0x10"`, ""}, {"int", `"1e3"`, ""}, {"int", `""`, ""}, {"int", `"٣"`, ""}, {"int", `"05"`, "5"}, {"int", `"-0"`, "0"},
		{"int", `"- 5"`, ""}, {"int", `"+-5"`, ""}, {"int", `"--5"`, ""}, {"int", `"-"`, ""}, {"int", `"\u00a05"`, "5"}, {"int", `"5\n"`, "5"},
		{"int", `"5_0.0"`, "50"}, {"int", `"5.0_0"`, ""}, {"int", `"1000000000000000000000000000000"`, "1000000000000000000000000000000"},
		{"int", `"1000000000000000000000000000000.0"`, "1000000000000000000000000000000"},
		{"int", `"9" * 4301`, ""}, {"int", "5.0", "5"}, {"int", "5.5", ""}, {"int", "1e22", ""}, {"int", "-0.0", "0"},
		{"int", `float("nan")`, ""}, {"int", `float("inf")`, ""}, {"int", "None", ""}, {"int", "1 << 70", "1180591620717411303424"},
		{"int", "[5]", ""}, {"int", "{}", ""},
		{"float", "True", "1.0"}, {"float", "3", "3.0"}, {"float", `"2.5"`, "2.5"}, {"float", `" 2.5 "`, "2.5"}, {"float", `"1e3"`, "1000.0"},
		{"float", `"-Infinity"`, "-inf"}, {"float", `"nan"`, "nan"}, {"float", `"1_0.5"`, "10.5"}, {"float", `"0x10"`, ""}, {"float", `"0x1p2"`, ""},
		{"float", `""`, ""}, {"float", `"5."`, "5.0"}, {"float", `".5"`, "0.5"}, {"float", `"+.5e-3"`, "0.0005"}, {"float", `"1e400"`, "+inf"}, {"float", `"1e"`, ""},
		{"float", "1 << 70", "1.1805916207174113e+21"}, {"float", `int("1" + "0" * 400)`, ""}, {"float", `"_1"`, ""}, {"float", `"1._5"`, "1.5"}, {"float", "None", ""},
		{"bool", `"yes"`, "True"}, {"bool", `"no"`, "False"}, {"bool", `"on"`, "True"}, {"bool", `"off"`, "False"}, {"bool", `"TRUE"`, "True"},
		{"bool", `"False"`, "False"}, {"bool", `"t"`, "True"}, {"bool", `"F"`, "False"}, {"bool", `"Y"`, "True"}, {"bool", `"n"`, "False"},
		{"bool", `"1"`, "True"}, {"bool", `"0"`, "False"}, {"bool", `" true"`, ""}, {"bool", `"true "`, ""}, {"bool", `""`, ""}, {"bool", `"2"`, ""},
		{"bool", "1", "True"}, {"bool", "0", "False"}, {"bool", "1.0", "True"}, {"bool", "-0.0", "False"}, {"bool", "2", ""}, {"bool", "-1", ""},
		{"bool", "1.5", ""}, {"bool", "None", ""}, {"bool", "1 << 70", ""},
		{"str", `"x"`, `"x"`}, {"str", "5", ""}, {"str", "True", ""}, {"str", "None", ""}, {"str", `["x"]`, ""}, {"str", `b"x"`, ""},
		{"None", "None", "None"}, {"None", `""`, ""}, {"None", "0", ""}, {"None", "False", ""},
		{"list[int]", "(1, 2)", "[1, 2]"}, {"list[int]", "set([1])", "[1]"}, {"list[int]", "range(3)", "[0, 1, 2]"}, {"list[int]", `{"a": 1}`, ""},
		{"list[int]", `"12"`, ""}, {"list[int]", "None", ""}, {"list[int]", `[True, "3"]`, "[1, 3]"}, {"list", "(1, 2)", "[1, 2]"}, {"list", `"ab"`, ""},
		{"dict[str, int]", `{"a": "1"}`, `{"a": 1}`}, {"dict[str, int]", "{1: 2}", ""}, {"dict[str, int]", `[("a", 1)]`, ""}, {"dict", "{1: 2}", "{1: 2}"},
		{"enum(1, 2)", "1.0", "1"}, {"enum(1, 2)", "True", "1"}, {"enum(1, 2)", `"1"`, ""}, {"enum(1, 2)", "3", ""},
		{`enum("a", "b")`, `"a"`, `"a"`}, {`enum("a", "b")`, `"A"`, ""}, {`enum("a", "b")`, "None", ""}, {`enum("a")`, `["a"]`, ""},
		{"any", "print", "<built-in function print>"},
	} {
		value := eval(t, test.value)
		got, wrong := typed(t, test.typ).Accept(value, "x")
		label := test.typ + " of " + test.value
		if test.want == "" {
			require.NotEmpty(t, wrong, label)
			require.Nil(t, got, label)
			continue
		}
		require.Empty(t, wrong, label)
		require.Equal(t, test.want, got.String(), label)
	}
}

func TestUnionsChooseAsTheReference(t *testing.T) {
	const models = `
A = model(x = int)
B = model(x = int, y = field(int, default = 0))
C = model(x = str)
D = model(x = float)
N = model(a = A)
N2 = model(a = B)
`
	for _, test := range []struct{ typ, value, want string }{
		{"int | str", "5", "5"}, {"int | str", `"5"`, `"5"`}, {"int | str", "5.0", "5"}, {"int | str", "True", "1"}, {"int | str", "None", ""},
		{"int | str", "5.5", ""}, {"str | int", "5", "5"}, {"str | int", `"5"`, `"5"`},
		{"int | float", "5", "5"}, {"int | float", "5.0", "5.0"}, {"int | float", `"5"`, "5"}, {"int | float", `"5.5"`, "5.5"}, {"int | float", "True", "1"},
		{"float | int", "5", "5"}, {"float | int", "5.0", "5.0"}, {"float | int", `"5"`, "5.0"}, {"float | int", "True", "1.0"},
		{"bool | int", "1", "1"}, {"bool | int", "True", "True"}, {"bool | int", `"1"`, "True"}, {"bool | int", "1.0", "True"}, {"bool | int", "2", "2"},
		{"int | bool", "True", "True"}, {"int | bool", `"yes"`, "True"}, {"int | bool", `"1"`, "1"},
		{"bool | float", "1", "1.0"}, {"float | bool", "True", "True"}, {"float | bool", `"yes"`, "True"},
		{"bool | str", "1", "True"}, {"bool | str", `"yes"`, `"yes"`},
		{"list[int] | list[float]", "[1, 2]", "[1, 2]"}, {"list[int] | list[float]", "[1.5]", "[1.5]"}, {"list[int] | list[float]", "[1, 2.0]", "[1.0, 2.0]"},
		{"list[float] | list[int]", "[1, 2]", "[1, 2]"}, {"list[float] | list[int]", `["1"]`, "[1.0]"},
		{"list[int] | dict[str, int]", `{"a": 1}`, `{"a": 1}`},
		{"int | None", `"null"`, ""}, {"int | None", `"5"`, "5"}, {"int | None", "None", "None"},
		{`enum("5") | int`, `"5"`, `"5"`}, {`int | enum("5")`, `"5"`, `"5"`}, {`enum("a") | int`, `"b"`, ""},
		{"A | B", `{"x": 1}`, "A(x = 1)"}, {"A | B", `{"x": 1, "y": 2}`, "B(x = 1, y = 2)"}, {"B | A", `{"x": 1}`, "B(x = 1, y = 0)"}, {"A | B", "{}", ""},
		{"A | C", `{"x": 1}`, "A(x = 1)"}, {"A | C", `{"x": "1"}`, `C(x = "1")`}, {"C | A", `{"x": 1}`, "A(x = 1)"},
		{"A | D", `{"x": 1.0}`, "D(x = 1.0)"}, {"A | D", `{"x": 1}`, "A(x = 1)"}, {"D | A", `{"x": 1}`, "D(x = 1.0)"},
		{"A | dict[str, int]", `{"x": 1}`, `{"x": 1}`}, {"A | dict", `{"x": 1}`, "A(x = 1)"}, {"dict | A", `{"x": 1}`, `{"x": 1}`},
		{"A | any", `{"x": 1}`, "A(x = 1)"}, {"A | any", `{"x": "1"}`, `{"x": "1"}`}, {"any | A", `{"x": 1}`, `{"x": 1}`},
		{"int | any", `"5"`, `"5"`}, {"float | any", "5", "5.0"}, {"str | any", "5", "5"},
		{"list | list[int]", `["1"]`, `["1"]`}, {"list[int] | list", `["1"]`, `["1"]`},
		{"N | N2", `{"a": {"x": 1, "y": 2}}`, "N2(a = B(x = 1, y = 2))"}, {"N2 | N", `{"a": {"x": 1}}`, "N2(a = B(x = 1, y = 0))"},
		{"list[A] | list[B]", `[{"x": 1}, {"x": 1, "y": 2}]`, "[B(x = 1, y = 0), B(x = 1, y = 2)]"},
		{"B | A", "A(x = 1)", "A(x = 1)"},
	} {
		label := test.typ + " of " + test.value
		globals, err := run(models+"t = "+test.typ+"\nv = "+test.value, nil)
		require.NoError(t, err, label)
		as, err := AsType(globals["t"])
		require.NoError(t, err, label)
		got, wrong := as.Accept(globals["v"], "x")
		if test.want == "" {
			require.NotEmpty(t, wrong, label)
			continue
		}
		require.Empty(t, wrong, label)
		require.Equal(t, test.want, got.String(), label)
	}
}

func TestMismatchesSayWhereAndWhat(t *testing.T) {
	const models = `
Amount = model(grams = float)
Ingredient = model(name = str, amount = Amount)
`
	for _, test := range []struct {
		typ, value string
		want       []string
	}{
		{"int", `"five"`, []string{`p: expected an integer, got "five" (str)`}},
		{"str", "None", []string{"p: expected a string, got None"}},
		{"bool", "5", []string{"p: expected a boolean, got 5 (int)"}},
		{"list[str]", `["a", 1, None]`, []string{"p[1]: expected a string, got 1 (int)", "p[2]: expected a string, got None"}},
		{"list[str]", `{}`, []string{"p: expected a list, got a dict of 0"}},
		{"dict[str, int]", `{"a": "x", "b c": "y"}`, []string{`p.a: expected an integer, got "x" (str)`, `p["b c"]: expected an integer, got "y" (str)`}},
		{"Ingredient", `{"name": 5, "amount": {"grams": "heavy"}}`, []string{"p.name: expected a string, got 5 (int)", `p.amount.grams: expected a number, got "heavy" (str)`}},
		{"Ingredient", `{"nme": "x", "amount": {}}`, []string{"p.name: expected a string, got nothing (did you mean to send it as name? you sent nme)", "p.amount.grams: expected a number, got nothing"}},
		{"Ingredient", "[]", []string{"p: expected an object (Ingredient), got a list of 0"}},
		{"Ingredient | None", "5", []string{"p: expected an object (Ingredient), got 5 (int)"}},
		{"int | str", "None", []string{"p (as int): expected an integer, got None", "p (as str): expected a string, got None"}},
		{"int | Amount", `{"grams": "q"}`, []string{"p (as int): expected an integer, got a dict of 1", `p (as Amount).grams: expected a number, got "q" (str)`}},
		{`enum("starter", "main", "dessert")`, `"mian"`, []string{`p: expected one of starter, main, dessert (did you mean "main"?), got "mian" (str)`}},
		{`enum("x")`, `"y"`, []string{`p: expected "x" (did you mean "x"?), got "y" (str)`}},
		{`enum("starter")`, `"q"`, []string{`p: expected "starter", got "q" (str)`}},
		{"enum(*range(30))", "99", []string{"p: expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, … (30 in all), got 99 (int)"}},
	} {
		globals, err := run(models+"t = "+test.typ+"\nv = "+test.value, nil)
		require.NoError(t, err)
		as, err := AsType(globals["t"])
		require.NoError(t, err)
		_, wrong := as.Accept(globals["v"], "p")
		var got []string
		for _, m := range wrong {
			got = append(got, m.String())
		}
		require.Equal(t, test.want, got, test.typ+" of "+test.value)
	}
}

func TestLimitsAreKept(t *testing.T) {
	for _, test := range []struct{ field, value, want string }{
		{"field(int, ge = 1)", "1", ""}, {"field(int, ge = 1)", "0", "at least 1"},
		{"field(int, gt = 1)", "2", ""}, {"field(int, gt = 1)", "1", "more than 1"},
		{"field(int, le = 1)", "1", ""}, {"field(int, le = 1)", "2", "at most 1"},
		{"field(int, lt = 1)", "0", ""}, {"field(int, lt = 1)", "1", "less than 1"},
		{"field(int, ge = 1)", `"0"`, "at least 1"},
		{"field(float, ge = 0.5)", "0.5", ""}, {"field(float, ge = 0.5)", "0", "at least 0.5"},
		{"field(float, ge = 0)", `"nan"`, "at least 0"}, {"field(float, le = 0)", `float("nan")`, "at most 0"},
		{"field(int, ge = 0)", "1 << 100", ""}, {"field(int, le = 1 << 100)", "(1 << 100) + 1", "at most 1267650600228229401496703205376"},
		{"field(int, multiple_of = 5)", "10", ""}, {"field(int, multiple_of = 5)", "-10", ""}, {"field(int, multiple_of = 5)", "7", "a multiple of 5"},
		{"field(int, multiple_of = 5)", "0", ""}, {"field(float, multiple_of = 0.1)", "0.3", ""}, {"field(float, multiple_of = 0.1)", "0.7", ""},
		{"field(float, multiple_of = 0.1)", "0.35", "a multiple of 0.1"}, {"field(float, multiple_of = 0.01)", "1e9 + 0.01", ""},
		{"field(str, min_length = 2)", `"日本"`, ""}, {"field(str, min_length = 2)", `"日"`, "at least 2 characters"},
		{"field(str, min_length = 1)", `""`, "at least 1 character"}, {"field(str, max_length = 3)", `"🏴‍☠️"`, "at most 3 characters"},
		{"field(list[int], min_length = 1)", "[]", "at least 1 element"}, {"field(list, max_length = 1)", "[1, 2]", "at most 1 element"},
		{"field(list[str], max_length = 0)", "[]", ""}, {"field(dict, max_length = 1)", `{"a": 1, "b": 2}`, "at most 1 member"},
		{"field(str, pattern = 'b')", `"abc"`, ""}, {"field(str, pattern = '^b')", `"abc"`, "text that matches ^b"},
		{"field(str, pattern = 'c$')", `"abc\n"`, "text that matches c$"},
		{"field(int | None, ge = 3)", "None", ""}, {"field(int | None, ge = 3)", "2", "at least 3"},
		{"field(int | float, ge = 3)", "2.5", "at least 3"}, {"field(str | None, max_length = 1)", `"ab"`, "at most 1 character"},
		{"field(str, format = 'date')", `"2026-02-28"`, ""}, {"field(str, format = 'date')", `"2026-02-29"`, "a date as 2026-05-31"}, {"field(str, format = 'date')", `"2026-2-1"`, "a date as 2026-05-31"},
		{"field(str, format = 'date-time')", `"2026-02-28T12:00:00Z"`, ""}, {"field(str, format = 'date-time')", `"2026-02-28t12:00:00.5+02:00"`, ""},
		{"field(str, format = 'date-time')", `"2026-02-28"`, "a date and time as 2026-05-31T14:00:00Z"}, {"field(str, format = 'date-time')", `"2026-02-28T25:00:00Z"`, "a date and time as 2026-05-31T14:00:00Z"},
		{"field(str, format = 'email')", `"a.b+c@example.co.uk"`, ""}, {"field(str, format = 'email')", `"ü@exämple.de"`, ""},
		{"field(str, format = 'email')", `"a@"`, "an email address"}, {"field(str, format = 'email')", `"@b"`, "an email address"}, {"field(str, format = 'email')", `"a b@c.de"`, "an email address"},
		{"field(str, format = 'email')", `"a@b@c.de"`, "an email address"}, {"field(str, format = 'email')", `"a..b@c.de"`, "an email address"}, {"field(str, format = 'email')", `"A <a@b.de>"`, "an email address"},
		{"field(str, format = 'uri')", `"https://example.com/x?y#z"`, ""}, {"field(str, format = 'uri')", `"mailto:a@b.de"`, ""}, {"field(str, format = 'uri')", `"urn:isbn:0451450523"`, ""},
		{"field(str, format = 'uri')", `"example.com"`, "a URI with its scheme, as https://example.com/x"}, {"field(str, format = 'uri')", `"https://a b"`, "a URI with its scheme, as https://example.com/x"},
		{"field(str, format = 'uri')", `"https:"`, "a URI with its scheme, as https://example.com/x"},
		{"field(str, format = 'hostname')", `"not enforced"`, ""},
	} {
		label := test.field + " of " + test.value
		f, err := AsField(eval(t, test.field))
		require.NoError(t, err, label)
		_, wrong := f.Accept(eval(t, test.value), "x")
		if test.want == "" {
			require.Empty(t, wrong, label)
			continue
		}
		require.Len(t, wrong, 1, label)
		require.Equal(t, test.want, wrong[0].Want, label)
	}
}

func TestManyMismatchesAreCounted(t *testing.T) {
	elems := make([]starlark.Value, 100_000)
	for i := range elems {
		elems[i] = starlark.String("x")
	}
	_, wrong := typed(t, "list[int]").Accept(starlark.NewList(elems), "tags")
	require.Len(t, wrong, maxListed+1)
	require.Equal(t, "tags[19]", wrong[maxListed-1].Path)
	require.Equal(t, "tags: expected all of it to fit, got 99980 more problems like these", wrong[maxListed].String())
}

func TestAcceptedValuesAreFrozenCopies(t *testing.T) {
	v := decode(t, `{"a": [1]}`)
	got, wrong := typed(t, "dict[str, list[int]]").Accept(v, "")
	require.Empty(t, wrong)
	require.ErrorContains(t, got.(*starlark.Dict).SetKey(starlark.String("b"), starlark.None), "frozen")
	inner, _, _ := got.(*starlark.Dict).Get(starlark.String("a"))
	require.ErrorContains(t, inner.(*starlark.List).Append(starlark.None), "frozen")
	require.NoError(t, v.(*starlark.Dict).SetKey(starlark.String("b"), starlark.None), "the value itself is as it was")
}

// A type of another package stands wherever one of ours does.
type even struct{ starlark.NoneType }

func (even) TypeName() string { return "even" }
func (even) Accept(v starlark.Value, path string) (starlark.Value, []engine.Mismatch) {
	if i, err := starlark.AsInt32(v); err == nil && i%2 == 0 {
		return v, nil
	}
	return nil, []engine.Mismatch{{Path: path, Want: "an even number", Got: engine.Describe(v)}}
}

func TestTypesOfOtherPackagesStandInOurs(t *testing.T) {
	globals, err := run("t = list[even]\nm = model(n = even, o = int | even)\nok = isinstance([2], t), isinstance([3], t)", starlark.StringDict{"even": even{}})
	require.NoError(t, err)
	require.Equal(t, "(True, False)", globals["ok"].String())
	list, err := AsType(globals["t"])
	require.NoError(t, err)
	_, wrong := list.Accept(decode(t, "[2, 3]"), "x")
	require.Equal(t, "x[1]: expected an even number, got 3 (int)", engine.MismatchText(wrong))
	require.JSONEq(t, `{"type": "array", "items": {}}`, text(t, list.(Schemed).Schema()))
	require.True(t, Same(even{}, even{}))
	require.False(t, Same(even{}, list))
}

func TestInfinityIsNoLimit(t *testing.T) {
	_, err := numberOf("ge", starlark.Float(math.Inf(1)))
	require.ErrorContains(t, err, "ge is a number")
}

func TestHugeTextIsNotReadAsANumber(t *testing.T) {
	digits := starlark.String(strings.Repeat("9", 5_000_000))
	for _, name := range []string{"int", "float", "bool"} {
		_, wrong := typed(t, name).Accept(digits, "x")
		require.Len(t, wrong, 1, name)
		require.Less(t, len(wrong[0].String()), 300)
	}
}
