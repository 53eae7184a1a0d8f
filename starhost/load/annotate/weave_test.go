package annotate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A seen is one call of __annotate__.
type seen struct {
	fn    *starlark.Function
	names []string
	types []starlark.Callable
}

// run rewrites, weaves and runs a script.
func run(t *testing.T, src string) (calls []seen, places Places, err error) {
	t.Helper()
	text, annotations, problems := Rewrite("shop.star", []byte(src))
	require.Empty(t, problems)
	file, err := dialect.Parse("shop.star", text, 0)
	require.NoError(t, err)
	places, problems = Weave(file, annotations, dialect)
	require.Empty(t, problems)

	annotate := starlark.NewBuiltin(Builtin, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		call := seen{fn: args[0].(*starlark.Function)}
		for i := 1; i < len(args); i += 2 {
			call.names = append(call.names, string(args[i].(starlark.String)))
			call.types = append(call.types, args[i+1].(starlark.Callable))
		}
		calls = append(calls, call)
		return starlark.None, nil
	})
	program, err := starlark.FileProgram(file, func(name string) bool { return name == Builtin })
	if err != nil {
		return nil, places, err
	}
	_, err = program.Init(&starlark.Thread{}, starlark.StringDict{Builtin: annotate})
	return calls, places, err
}

// types calls the types of all calls and tells them as text.
func types(t *testing.T, calls []seen) (out []string) {
	t.Helper()
	for _, call := range calls {
		var parts []string
		for i, name := range call.names {
			v, err := starlark.Call(&starlark.Thread{}, call.types[i], nil, nil)
			require.NoError(t, err)
			parts = append(parts, name+" "+v.String())
		}
		out = append(out, call.fn.Name()+": "+strings.Join(parts, ", "))
	}
	return out
}

func TestWeaveHandsOverEveryAnnotatedDef(t *testing.T) {
	calls, _, err := run(t, `
def plain(a, b = 1):
    return a

def order(title: "T", n: "N" = 2, *more: "M", **rest: "R") -> "OUT":
    return n

def outer(kind):
    def inner(x: kind) -> [kind]: return x
    return inner

outer("deep")
for i in [1, 2]:
    if i == 1:
        pass
    elif i == 2:
        def looped(x: later + str(i)): pass
    while True:
        def whiled(x: i): pass
        break

later = "defined below"
`)
	require.NoError(t, err)
	require.Equal(t, []string{
		`order: title "T", n "N", more "M", rest "R", return "OUT"`,
		`inner: x "deep", return ["deep"]`,
		`whiled: x 2`,
		`looped: x "defined below2"`,
		`whiled: x 2`,
	}, types(t, calls))
}

func TestWeaveKeepsDefaultsAndDirectCalls(t *testing.T) {
	_, _, err := run(t, `
def add(a: "int", b: "int" = 2, *, c: "int" = 3) -> "int":
    return a + b + c

if add(1) != 6 or add(1, c = 0) != 3:
    fail("a direct call is not what it was")
`)
	require.NoError(t, err)
}

func TestErrorsOfAnAnnotationPointAtIt(t *testing.T) {
	calls, places, err := run(t, "def f(\n    a: 1 + [],\n) -> dict[\n    missing]: pass\nif False:\n    missing = 1\n")
	require.NoError(t, err)
	require.Len(t, calls, 1)

	for i, place := range []string{"shop.star:2:10", "shop.star:4:5"} {
		_, err := starlark.Call(&starlark.Thread{}, calls[0].types[i], nil, nil)
		var eval *starlark.EvalError
		require.ErrorAs(t, err, &eval)
		require.Equal(t, place, eval.CallStack.At(0).Pos.String())
	}
	require.Equal(t, "shop.star:2:8", calls[0].types[0].(*starlark.Function).Position().String())

	at := places[KeyOf(calls[0].fn.Position(), "a")]
	require.Equal(t, "2:8-2:14", spanText(at.Span.Start, at.Span.End))
	require.Equal(t, "2:8-2:14", spanText(at.Expr.Span()))
	at = places[KeyOf(calls[0].fn.Position(), Return)]
	require.Equal(t, "3:6-4:13", spanText(at.Span.Start, at.Span.End))
}

func spanText(start, end syntax.Position) string {
	return fmt.Sprintf("%d:%d-%d:%d", start.Line, start.Col, end.Line, end.Col)
}

func TestUndefinedNamesInAnnotationsKeepTheirPlace(t *testing.T) {
	_, _, err := run(t, "def f(x: str,\n      stock: chek(x)): pass\n")
	require.ErrorContains(t, err, "shop.star:2:14: undefined: chek")
}

func TestWeaveTakesAnyNumberOfParameters(t *testing.T) {
	for _, n := range []int{1, 126, 127, 128, 250} {
		var src strings.Builder
		src.WriteString("def f(*, ")
		for i := range n {
			fmt.Fprintf(&src, "p%d: %d, ", i, i)
		}
		src.WriteString("): pass\n")
		calls, _, err := run(t, src.String())
		require.NoError(t, err)
		require.Len(t, calls[0].names, n)
		require.Equal(t, fmt.Sprintf("p%d", n-1), calls[0].names[n-1])
	}
}

func TestWeaveLeavesTheSpansOfBlocks(t *testing.T) {
	src := "def outer(n: 1):\n    def inner(x: 2):\n        return x\n"
	text, annotations, _ := Rewrite("shop.star", []byte(src))
	file, err := dialect.Parse("shop.star", text, 0)
	require.NoError(t, err)
	before := spanText(file.Stmts[0].Span())
	Weave(file, annotations, dialect)
	require.Equal(t, before, spanText(file.Stmts[0].Span()))
	require.Len(t, file.Stmts, 2)
	require.Equal(t, before[strings.Index(before, "-"):], spanText(file.Stmts[1].Span())[strings.Index(before, "-"):])
}

func TestWeaveTakesALongChainOfElif(t *testing.T) {
	src := "if 0: pass\n" + strings.Repeat("elif 1: pass\n", 100_000) + "else:\n  def f(a: 1): pass\n"
	text, annotations, _ := Rewrite("shop.star", []byte(src))
	file, err := dialect.Parse("shop.star", text, 0)
	require.NoError(t, err)
	Weave(file, annotations, dialect)
	var last *syntax.IfStmt
	for next, ok := file.Stmts[0].(*syntax.IfStmt), true; ok; next, ok = elifOf(next) {
		last = next
	}
	require.Len(t, last.False, 2)
}
