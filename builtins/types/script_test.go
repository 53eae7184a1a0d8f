package types

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// names is the Naming of one parsed file: the opening parenthesis of every call
// that is assigned, or that is an argument of one.
type names map[syntax.Position]string

func (n names) AssignedName(pos syntax.Position) string {
	// Positions of two parses hold different pointers to the file's name.
	for p, name := range n {
		if p.Line == pos.Line && p.Col == pos.Col {
			return name
		}
	}
	return ""
}

func namesOf(f *syntax.File) names {
	n := names{}
	syntax.Walk(f, func(node syntax.Node) bool {
		assign, ok := node.(*syntax.AssignStmt)
		if !ok {
			return true
		}
		if ident, ok := assign.LHS.(*syntax.Ident); ok {
			if call, ok := assign.RHS.(*syntax.CallExpr); ok {
				n[call.Lparen] = ident.Name
				for _, arg := range call.Args {
					if inner, ok := arg.(*syntax.CallExpr); ok {
						n[inner.Lparen] = ident.Name
					}
				}
			}
		}
		return true
	})
	return n
}

// run executes a script in which the words of this package are known, and more.
func run(src string, more starlark.StringDict) (starlark.StringDict, error) {
	opts := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
	f, err := opts.Parse("script.star", src, 0)
	if err != nil {
		return nil, err
	}
	words := Words()
	for name, v := range more {
		words[name] = v
	}
	prog, err := starlark.FileProgram(f, words.Has)
	if err != nil {
		return nil, err
	}
	thread := &starlark.Thread{Name: "test"}
	SetNaming(thread, namesOf(f))
	return prog.Init(thread, words)
}

// eval is the value of one expression.
func eval(t testing.TB, expr string) starlark.Value {
	t.Helper()
	globals, err := run("result = "+expr, nil)
	require.NoError(t, err)
	return globals["result"]
}

// typed is a type that an expression gives.
func typed(t testing.TB, expr string) shape {
	t.Helper()
	as, err := AsType(eval(t, expr))
	require.NoError(t, err)
	return shapeOf(as)
}

// decode reads JSON text as a client's.
func decode(t testing.TB, text string) starlark.Value {
	t.Helper()
	v, err := exactjson.Decode([]byte(text), exactjson.Limits{})
	require.NoError(t, err)
	return v
}

func text(t testing.TB, v any) string {
	t.Helper()
	data, err := exactjson.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// assertion is assert_eq, for scripts.
var assertion = starlark.StringDict{
	"assert_eq": starlark.NewBuiltin("assert_eq", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		equal, err := starlark.Equal(args[0], args[1])
		if err == nil && !equal {
			err = errors.New(args[0].String() + " != " + args[1].String())
		}
		return starlark.None, err
	}),
	"json_of": starlark.NewBuiltin("json_of", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		data, err := exactjson.Marshal(args[0])
		return starlark.String(data), err
	}),
}

var expectation = regexp.MustCompile(`### (".*")\s*$`)

// Chunks of a file are separated by ---. A chunk runs to its end, or fails at the
// line that says so with ### "regexp".
func runChunks(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	line := 0
	for _, chunk := range strings.Split(string(data), "\n---\n") {
		t.Run("line "+strconv.Itoa(line+1), func(t *testing.T) { runChunk(t, strings.Repeat("\n", line)+chunk) })
		line += strings.Count(chunk, "\n") + 2
	}
}

func runChunk(t *testing.T, src string) {
	want, wantLine := "", 0
	for i, l := range strings.Split(src, "\n") {
		if m := expectation.FindStringSubmatch(l); m != nil {
			require.Empty(t, want, "a second expectation in one chunk")
			var err error
			want, err = strconv.Unquote(m[1])
			require.NoError(t, err)
			wantLine = i + 1
		}
	}
	_, err := run(src, assertion)
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.Error(t, err, "nothing failed, want %q", want)
	require.Regexp(t, want, err.Error())
	require.Equal(t, wantLine, lineOf(err), "%v", err)
}

// lineOf is the line of the script that an error ended at.
func lineOf(err error) int {
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		for i := range len(eval.CallStack) {
			if pos := eval.CallStack.At(i).Pos; pos.Line > 0 {
				return int(pos.Line)
			}
		}
	}
	return 0
}

func readJSON(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into))
}
