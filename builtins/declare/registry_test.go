package declare_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/declare"
)

// run runs a script that declares into a registry.
func run(t *testing.T, script string) (*declare.Registry, error) {
	t.Helper()
	r := &declare.Registry{}
	thread := &starlark.Thread{Name: "test"}
	r.Attach(thread)
	opts := &syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}
	_, program, err := starlark.SourceProgramOptions(opts, "x.star", script, declare.Words().Has)
	require.NoError(t, err)
	_, err = program.Init(thread, declare.Words()) // which freezes nothing: that could take for ever
	return r, err
}

func TestDeclarationsAreCollected(t *testing.T) {
	r, err := run(t, `
def f(): pass
def g(x): pass
tool(f, title = "F", annotations = {"readOnlyHint": True}, icons = [{"src": "https://example.com/x.png"}], meta = {"a": 1})
tool(g, name = "h", description = "")
server(name = "shop", version = "1")
lifespan(f, g)
`)
	require.NoError(t, err)
	require.Empty(t, r.Mistakes)
	require.Len(t, r.Tools, 2)
	require.Equal(t, "F", *r.Tools[0].Title)
	require.Nil(t, r.Tools[0].Name)
	require.JSONEq(t, `{"readOnlyHint": true}`, string(r.Tools[0].Annotations))
	require.JSONEq(t, `[{"src": "https://example.com/x.png"}]`, string(r.Tools[0].Icons))
	require.JSONEq(t, `{"a": 1}`, string(r.Tools[0].Meta))
	require.Equal(t, "x.star:4:5", r.Tools[0].Span.Start.String())
	require.Equal(t, "h", *r.Tools[1].Name)
	require.Equal(t, "", *r.Tools[1].Description, "an empty text is said")
	require.Len(t, r.Servers, 1)
	require.Len(t, r.Lifespan, 1)
	require.Equal(t, "g", r.Lifespan[0].Stop.Name())
}

func TestAMistakeDoesNotEndTheFile(t *testing.T) {
	r, err := run(t, "def f(): pass\ntool(5)\ntool(f, titel = \"x\")\ntool(f)\n")
	require.NoError(t, err)
	require.Len(t, r.Tools, 1)
	require.Len(t, r.Mistakes, 2)
	require.Equal(t, "", r.Mistakes[0].Option)
	require.Equal(t, "titel", r.Mistakes[1].Option)
	require.EqualError(t, r.Mistakes[1].Err, `tool() has no option "titel"; did you mean title?`)
	require.Equal(t, "x.star:3:5", r.Mistakes[1].Span.Start.String())
}

func TestDeclarationsAreForLoading(t *testing.T) {
	fn := declare.Words()["tool"]
	_, err := starlark.Call(&starlark.Thread{Name: "call"}, fn, starlark.Tuple{starlark.None}, nil)
	require.EqualError(t, err, "tool() declares what the server offers, so it works only while the file loads; move it to the top of the file")
}

// What is hostile to print is not printed.
func TestMistakesAreShort(t *testing.T) {
	r, err := run(t, "x = (0,)\nfor i in range(40): x = (x, x)\nserver(x)\ntool(x)\nlifespan(x)\ntool(lambda: 1, annotations = {\"a\" * 10000: x})\ntool(resolve = x)\n")
	require.NoError(t, err)
	require.Len(t, r.Mistakes, 5)
	for _, m := range r.Mistakes {
		require.Less(t, len(m.Err.Error()), 250)
	}
}

// An annotated def inside a function that runs often is not kept for ever.
func TestAnnotatedFunctionsAreCounted(t *testing.T) {
	r, err := run(t, "def f(): pass\nfor i in range(100001): __annotate__(f, \"x\", f)\n")
	require.ErrorContains(t, err, "this file makes more than 100000 functions with types while it loads; move the def out of the loop")
	require.Len(t, r.Functions, 100_000)
}

func TestMarkers(t *testing.T) {
	fn := declare.Words()["resolve"]
	thread := &starlark.Thread{Name: "test"}
	own := starlark.NewBuiltin("own", nil)
	v, err := starlark.Call(thread, fn, starlark.Tuple{own}, []starlark.Tuple{{starlark.String("outcome"), starlark.True}, {starlark.String("key"), starlark.String("a:b")}})
	require.NoError(t, err)
	m := v.(*declare.Marker)
	require.Equal(t, "resolve(own)", m.String())
	require.True(t, m.Outcome)
	require.Equal(t, "a:b", m.Key)
	_, err = m.Attr("copies")
	require.EqualError(t, err, "resolve(own) marks a parameter, it has no .copies; the value arrives when the tool is called: `x: resolve(own)`")
	for key, want := range map[string]string{
		"a b":                    `key "a b" has a space or control character; write letters, digits, ` + "`:`, `/`, `-` or `_`",
		strings.Repeat("a", 201): "key is longer than 200 bytes; it only names the question: write a word or two",
	} {
		_, err := starlark.Call(thread, fn, starlark.Tuple{own}, []starlark.Tuple{{starlark.String("key"), starlark.String(key)}})
		require.EqualError(t, err, want)
	}
}
