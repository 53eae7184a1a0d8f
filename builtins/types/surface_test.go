package types

import (
	"testing"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

func TestModelsTellAboutThemselves(t *testing.T) {
	globals, err := run(`
Stock = describe(model(title = field(str, description = "Of the book"), copies = int), "On the shelf.")
s = Stock(title = "Dune", copies = 1)
u = [model(x = int)][0]
`, nil)
	require.NoError(t, err)
	m := globals["Stock"].(*Model)
	require.Equal(t, "Stock", m.Name())
	require.True(t, m.Named())
	require.Equal(t, "On the shelf.", m.Description())
	require.Len(t, m.Fields(), 2)
	require.Equal(t, "Of the book", m.Field("title").Description)
	require.Nil(t, m.Field("titel"))
	require.Equal(t, int32(2), m.Pos().Line)
	require.False(t, globals["u"].(*Model).Named())

	s := globals["s"].(*Instance)
	require.Same(t, m, s.Model())
	title, ok := s.Get("title")
	require.True(t, ok)
	require.Equal(t, starlark.String("Dune"), title)
	_, ok = s.Get("titel")
	require.False(t, ok)
}

func TestWordsCanBeGivenOtherCalls(t *testing.T) {
	calls := starlark.StringDict{"int": starlark.NewBuiltin("int", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return starlark.MakeInt(42), nil
	})}
	globals, err := run(`x = int("5"), str(5), type(int), int == list[int], list[int]`, WordsCalling(calls))
	require.NoError(t, err)
	require.Equal(t, `(42, "5", "type", False, list[int])`, globals["x"].String())
	require.True(t, Same(Words()["int"].(engine.Type), WordsCalling(calls)["int"].(engine.Type)))
}

func TestFieldsPrintAsTheyAreWritten(t *testing.T) {
	const src = `field(int, default = 3, ge = 1, le = 5, multiple_of = 1)`
	require.Equal(t, src, eval(t, src).String())
	const of = `field(str | None, default = None, min_length = 1, max_length = 5, pattern = "x", format = "uuid")`
	_, err := run("x = "+of, nil)
	require.NoError(t, err)
	require.Equal(t, of, eval(t, of).String())
	_, err = run("x = {field(int): 1}", nil)
	require.ErrorContains(t, err, "unhashable: field")
	_, err = run("x = field(int).foo", nil)
	require.ErrorContains(t, err, "field(...) declares a value and has no .foo")
}

func TestWhatIsMissingIsSaidInWords(t *testing.T) {
	ps := parametersOf(t, `{"a": str, "b": any, "c": list[int], "d": dict, "e": enum("x", "y"), "f": model(q = int), "g": schema({"type": "string"}), "h": int | str}`)
	_, wrong := bind(t, ps, "{}")
	require.Equal(t, "a: expected a string, got nothing; b: expected a value, got nothing; c: expected a list, got nothing; d: expected an object, got nothing; "+
		"e: expected one of x, y, got nothing; f: expected an object with q, got nothing; g: expected a value that fits its schema, got nothing; h: expected int | str, got nothing", wrong)
}

// A marker of another package has its own place.
type marker struct{ starlark.NoneType }

func (marker) Type() string { return "resolve" }

func TestMarkersStandAlone(t *testing.T) {
	_, err := run("x = int | resolve", starlark.StringDict{"resolve": marker{}})
	require.ErrorContains(t, err, "resolve(...) stands alone; annotate the parameter directly, `x: resolve(fn)`")
	_, err = run("x = list[thing]", starlark.StringDict{"thing": starlark.NewSet(0)})
	require.ErrorContains(t, err, "a set is not a type; write str, int, float, bool, list[T]")
}

func TestTextThatIsNotUTF8IsRefused(t *testing.T) {
	for _, src := range []string{
		`field(str, description = "\xff")`, `field(str, title = "\xff")`, `enum("\xff")`, `enum(a = "\xff")`, `model(**{"\xff": str})`,
		`describe(model(), "\xff")`, `schema({"title": "\xff"})`, `schema({"enum": ["\xff"]})`, `field(str, default = "\xff")`, `field(str, pattern = "\xff")`,
	} {
		_, err := run("x = "+src, nil)
		require.Error(t, err, src)
		require.Regexp(t, "UTF-8", err.Error(), src)
	}
}

func TestTypesStaySmall(t *testing.T) {
	for _, src := range []string{
		`field(str, description = "x" * 2000000)`, `field(str, default = "x" * 2000000)`, `enum("x" * 2000000)`, `describe(model(), "x" * 2000000)`,
		`model(a = field(str, title = "x" * 600000), b = field(str, title = "x" * 600000))`, `schema({"title": "x" * 2000000})`,
	} {
		_, err := run("x = "+src, nil)
		require.ErrorContains(t, err, "more than 1048576 bytes of text", src)
	}
	_, err := run("x = field(int, ge = 1 << 500 << 500 << 500 << 500 << 500 << 500 << 500 << 500 << 500)", nil)
	require.ErrorContains(t, err, "ge is a number")
}

// A function that is made inside another and refers to itself sends the
// interpreter's own Freeze round for ever.
func TestFunctionsInInstancesAreFrozenWithCare(t *testing.T) {
	const maker = `
def make():
    kept = []
    def again():
        kept.append(1)
        return again
    return again
M = model(f = any)
`
	require.ErrorContains(t, quickly(t, maker+"m = M(f = make())\nm.f()"), "cannot append to frozen list")
	require.ErrorContains(t, quickly(t, maker+"M(f = [make()])"), "M: f: expected a value that can be shared (again() is made inside a function and refers to itself")
	require.NoError(t, quickly(t, maker+"M(f = [print, make])"))
}

func TestPositionsReachTheNaming(t *testing.T) {
	var asked []syntax.Position
	thread := new(starlark.Thread)
	SetNaming(thread, namingFunc(func(pos syntax.Position) string {
		asked = append(asked, pos)
		return "Named"
	}))
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, thread, "f.star", "\nStock = describe(\n    model(x = int), 'd')\n", Words())
	require.NoError(t, err)
	require.Equal(t, "Named", globals["Stock"].String())
	require.Len(t, asked, 2)
	require.Equal(t, "f.star:3:10", asked[0].String(), "the opening parenthesis of model(")
	require.Equal(t, "f.star:2:17", asked[1].String(), "the opening parenthesis of describe(")
}

type namingFunc func(syntax.Position) string

func (f namingFunc) AssignedName(pos syntax.Position) string { return f(pos) }
