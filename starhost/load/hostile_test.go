package load_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load"
)

func times(text string, n int) string { return strings.Repeat(text, n) }

// one is a server of one file.
func one(text string) fstest.MapFS {
	return fstest.MapFS{entry: &fstest.MapFile{Data: []byte(text)}}
}

// texts are the problems of a server as the chunk files write them.
func texts(problems []*engine.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.Code + ": " + p.Message + " (" + p.Help + ")\n")
	}
	return b.String()
}

// The interpreter's parser, resolver and compiler recurse. What would take their
// stack, which nothing can recover from, or minutes, is refused with words.
func TestHostileShapesAreRefused(t *testing.T) {
	const n = 60_000
	row := "too-large: this expression has more than 1000 parts in a row"
	nested := "too-large: this is nested too deeply"
	for name, c := range map[string]struct{ text, want string }{
		"a sum":                 {"x = " + times("1+", n) + "1", row},
		"a sum in a function":   {"def f(x):\n    return " + times("x+", n) + "x", row},
		"and":                   {"x = " + times("1 and ", n) + "1", row},
		"comparisons":           {"x = " + times("1 == ", n) + "1", row},
		"attributes":            {"def f(x): return x" + times(".a", n), row},
		"calls":                 {"def f(x): return x" + times("()", n), row},
		"calls with arguments":  {"def f(x): return x" + times("(1, 2)", n), row},
		"indexes":               {"def f(x): return x" + times("[0]", n), row},
		"a sum over lines":      {"x = (" + times("1 +\n", n) + "1)", row},
		"clauses":               {"x = [1 " + times("for a in [1] ", n) + "]", row},
		"conditions":            {"x = " + times("1 if 2 else ", n) + "3", row},
		"not":                   {"x = " + times("not ", n) + "1", row},
		"minus":                 {"x = " + times("- ", n) + "1", row},
		"lambda":                {"x = " + times("lambda: ", n) + "1", row},
		"conditions, a few":     {"x = " + times("1 if 2 else ", 490) + "3", ""},
		"not, some hundred":     {"x = " + times("not ", 999) + "1", nested},
		"minus, some hundred":   {"x = " + times("- ", 995) + "1", nested},
		"lists":                 {"x = " + times("[", n) + times("]", n), nested},
		"lists, not closed":     {"x = " + times("[", n), ""},
		"parentheses":           {"x = " + times("(", n) + "1" + times(")", n), nested},
		"dicts":                 {"x = " + times("{1: ", n) + "1" + times("}", n), nested},
		"calls in calls":        {"x = " + times("f(", n) + "1" + times(")", n), nested},
		"rows in brackets":      {"x = " + times("[1 + "+times("1 + ", 900), 70) + "1" + times("]", 70), ""},
		"elif":                  {"if 0: pass\n" + times("elif 1: pass\n", n), "too-large: this `if` has more than 500 `elif`"},
		"elif in a function":    {"def f(x):\n  if 0: pass\n" + times("  elif 1:\n    pass\n", n/2), "too-large: this `if` has more than 500 `elif`"},
		"blocks":                {blocks(1500), nested},
		"a type of a row":       {"def f(a: " + times("int | ", n) + "str): pass", row},
		"a type over lines":     {"def f(a: " + times("int |\n", n) + "str): pass", row},
		"a result of a row":     {"def f() -> " + times("int | ", n) + "str: pass", row},
		"a type, not finished":  {"def f(a: " + times("int | ", n), row},
		"a nested type":         {"def f(a: " + times("list[", n) + "int" + times("]", n) + "): pass", "nest"},
		"a type in a def":       {"def f():\n  def g(a: " + times("int | ", n) + "str): pass", row},
		"parameters":            {"def f(" + times("a, ", 300) + "b): pass", "too-large: f has 301 parameters, and the limit is 255"},
		"parameters of lambdas": {"x = lambda " + times("a, ", 300) + "b: 1", "too-large: lambda has 301 parameters"},
		"arguments":             {"len(" + times("1, ", n) + "1)", "too-large: 60001 positional arguments in call, limit is 255 (pass a list: `f(*xs)`)"},
		"undefined names":       {manyNames(20_000), "undefined: undefined: "},
		"grammar errors":        {times("x = ]\n", 50_000), "syntax: unexpected ']'"},
		"missing files":         {manyLoads(5_000), "load: cannot read "},
		"deep loads":            {times("load(\"", n), "unclosed-bracket: this `(` is never closed"},
		"one word":              {"x = " + times("a", 1_000_000), "undefined: "},
		"one text":              {"x = '" + times("a", 1_000_000), "unclosed-string"},
		"nothing but spaces":    {times(" ", 1_000_000), ""},
		"nothing but lines":     {times("\n", 1_000_000), ""},
		"too long":              {times("# a comment\n", 200_000), "read: cannot read server.star: longer than 2 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			problems := problemsOf(t, optionsFor(one(c.text)))
			require.Less(t, time.Since(start), 2*time.Minute)
			require.LessOrEqual(t, len(problems), 100)
			if c.want != "" {
				require.Contains(t, texts(problems), c.want)
			}
		})
	}
}

// blocks is n ifs, each in the one above it.
func blocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(times(" ", i) + "if 1:\n")
	}
	b.WriteString(times(" ", n) + "pass\n")
	return b.String()
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("f" + times("x", i%50) + string(rune('a'+i%26)) + strings.Repeat("y", i/1000) + "()\n")
	}
	return b.String()
}

func manyLoads(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("load(\"lib/" + times("x", i%50) + strings.Repeat("y", i/50) + ".star\", \"a\")\n")
	}
	return b.String()
}

// Rows are bounded so wide that no script meets the bounds.
func TestOrdinaryShapesAreTaken(t *testing.T) {
	for name, text := range map[string]string{
		"a sum of 500":           "x = " + times("1+", 500) + "1",
		"a list of many sums":    "x = [" + times("1 + 2, ", 20_000) + "]",
		"a dict of many texts":   "def _f(k): return k\nx = [" + times("{_f('a'): _f('b')},\n", 20_000) + "]",
		"an if of 100":           "if 0: pass\n" + times("elif 1: pass\n", 100),
		"many ifs":               times("if 0: pass\nelif 1: pass\n", 5_000),
		"many functions":         "def _f(x):\n  if x: pass\n  elif x: pass\n  return x + x\n" + times("_f(1)\n", 5_000),
		"brackets, 60 deep":      "x = " + times("[", 60) + times("]", 60),
		"many calls on one line": "def _f(): pass\n" + times("_f(); ", 3_000) + "_f()",
	} {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, problemsOf(t, optionsFor(one(text))))
		})
	}
}

func TestALoadHasATimeLimit(t *testing.T) {
	o := optionsFor(fstest.MapFS{
		entry:           &fstest.MapFile{Data: []byte("load('lib/slow.star', 'x')\n")},
		"lib/slow.star": &fstest.MapFile{Data: []byte("x = 0\nwhile True:\n    x += 1\n")},
	})
	o.Limits.Steps = 1 << 60
	o.Timeout = 20 * time.Millisecond
	problems := problemsOf(t, o)
	require.Len(t, problems, 1)
	require.Equal(t, "loading lib/slow.star: stopped after 20ms: does a loop end?", problems[0].Message)
	require.Equal(t, "lib/slow.star", problems[0].At.Span.Start.Filename())
}

// A word of the program around mcpstar may never return.
func TestALoadThatDoesNotStopIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		o := optionsFor(one("wait()\n"))
		o.Words["wait"] = starlark.NewBuiltin("wait", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			<-forever
			return starlark.None, nil
		})
		o.Timeout = 3 * time.Second
		start := time.Now()
		problems := problemsOf(t, o)
		require.Less(t, time.Since(start), 2*time.Minute)
		require.Len(t, problems, 1)
		require.Equal(t, "loading server.star took longer than 3s, and it does not stop", problems[0].Message)
		close(forever) // so that the test has no goroutine left
		synctest.Wait()
	})
}

func TestALoadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(context.DeadlineExceeded)
	snapshot, err := load.Load(ctx, optionsFor(one("x = 1\n")))
	require.Nil(t, snapshot)
	require.Equal(t, context.DeadlineExceeded, err)
}

func TestAPanicCostsTheFileOnly(t *testing.T) {
	o := optionsFor(fstest.MapFS{
		"a.star": &fstest.MapFile{Data: []byte("explode()\n")},
		"b.star": &fstest.MapFile{Data: []byte("def f(x: [str]): pass\n")},
	})
	o.Entry = "."
	o.Words["explode"] = starlark.NewBuiltin("explode", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		panic("boom")
	})
	problems := problemsOf(t, o)
	require.Len(t, problems, 2)
	require.Equal(t, "internal", problems[0].Code)
	require.Equal(t, "a.star", problems[0].At.Span.Start.Filename())
	require.Equal(t, []string{"boom"}, problems[0].Notes)
	require.Equal(t, "bad-type", problems[1].Code)
}
