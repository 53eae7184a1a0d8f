package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// made is the global x of a script.
func made(t *testing.T, script string) starlark.Value {
	t.Helper()
	opts := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
	words := starlark.StringDict{"struct": starlark.NewBuiltin("struct", starlarkstruct.Make)}
	_, program, err := starlark.SourceProgramOptions(opts, "x.star", script, words.Has)
	require.NoError(t, err)
	globals, err := program.Init(&starlark.Thread{Name: "test"}, words) // which freezes nothing
	require.NoError(t, err)
	require.Contains(t, globals, "x")
	return globals["x"]
}

// closedOver is what the function f knows as name.
func closedOver(t *testing.T, f starlark.Value, name string) starlark.Value {
	t.Helper()
	fn, ok := f.(*starlark.Function)
	require.True(t, ok)
	for i := range fn.NumFreeVars() {
		if b, v := fn.FreeVar(i); b.Name == name {
			return v
		}
	}
	t.Fatalf("%s closes over no %s", fn.Name(), name)
	return nil
}

func requireFrozen(t *testing.T, v starlark.Value) {
	t.Helper()
	switch v := v.(type) {
	case *starlark.List:
		require.ErrorContains(t, v.Append(starlark.None), "frozen")
	case *starlark.Dict:
		require.ErrorContains(t, v.SetKey(starlark.String("new"), starlark.None), "frozen")
	case *starlark.Set:
		require.ErrorContains(t, v.Insert(starlark.String("new")), "frozen")
	default:
		t.Fatalf("a %s can't be changed anyway", v.Type())
	}
}

func TestFreezeReachesEverything(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		at     func(starlark.Value) starlark.Value
	}{
		"a list":         {`x = [1]`, nil},
		"a dict":         {`x = {1: 2}`, nil},
		"a set":          {`x = set([1])`, nil},
		"an empty list":  {`x = []`, nil},
		"an empty dict":  {`x = {}`, nil},
		"within a tuple": {`x = (1, [2])`, func(v starlark.Value) starlark.Value { return v.(starlark.Tuple)[1] }},
		"within a list":  {`x = [[2]]`, func(v starlark.Value) starlark.Value { return v.(*starlark.List).Index(0) }},
		"a dict's value": {`x = {1: []}`, func(v starlark.Value) starlark.Value {
			e, _, _ := v.(*starlark.Dict).Get(starlark.MakeInt(1))
			return e
		}},
		"within a struct":  {`x = struct(a = [1])`, func(v starlark.Value) starlark.Value { a, _ := v.(*starlarkstruct.Struct).Attr("a"); return a }},
		"a default":        {"def x(a = []): pass", func(v starlark.Value) starlark.Value { return v.(*starlark.Function).ParamDefault(0) }},
		"a method's value": {"x = [].append", func(v starlark.Value) starlark.Value { return v.(*starlark.Builtin).Receiver() }},
		"what a function closes over": {"def make():\n  seen = []\n  def inner(): seen.append(1)\n  return inner\nx = make()",
			func(v starlark.Value) starlark.Value { return closedOver(t, v, "seen") }},
		"and a function that refers to itself": {"def make():\n  seen = []\n  def inner():\n    seen.append(1)\n    inner()\n  return inner\nx = make()",
			func(v starlark.Value) starlark.Value { return closedOver(t, v, "seen") }},
		"a list that holds itself":           {"x = [1]\nx.append(x)", nil},
		"functions and the dict they are in": {"def make():\n  all = {}\n  def a(): return all['b']()\n  def b(): return a()\n  all['a'] = a\n  all['b'] = b\n  return all\nx = make()", nil},
	} {
		t.Run(name, func(t *testing.T) {
			v := made(t, c.script)
			require.NoError(t, engine.Freeze(v))
			if c.at != nil {
				v = c.at(v)
			}
			requireFrozen(t, v)
		})
	}
}

// Each of these would take the interpreter's own Freeze years, or its stack.
func TestFreezeEnds(t *testing.T) {
	const itself = "def make():\n  def fact(n): return n and n * fact(n - 1) or 1\n  return fact\n"
	for name, c := range map[string]struct{ script, wrong string }{
		"shared tuples":                          {"x = ([],)\nfor i in range(60): x = (x, x)", ""},
		"shared closures":                        {"def make(f):\n  def g(): return f, f\n  def h(): return f, g\n  return lambda: (f, g, h)\nx = make(None)\nfor i in range(60): x = make(x)", ""},
		"a function that refers to itself":       {itself + "x = make()", ""},
		"two functions that refer to each other": {"def make():\n  def a(): return b()\n  def b(): return a()\n  return a, b\nx = make()", ""},
		"deep tuples":                            {"x = ()\nfor i in range(1000000): x = (x,)", "nested deeper than 10000"},
		"deep lists":                             {"x = []\nfor i in range(1000000): x = [x]", "nested deeper than 10000"},
		"deep dicts":                             {"x = {}\nfor i in range(1000000): x = {1: x}", "nested deeper than 10000"},
		"deep closures":                          {"def make(f): return lambda: f\nx = None\nfor i in range(1000000): x = make(x)", "nested deeper than 10000"},
		"deep below shared tuples":               {"y = []\nfor i in range(1000000): y = [y]\nx = (1, (y, y))", "nested deeper than 10000"},
		"shared tuples in a list":                {"t = (0,)\nfor i in range(60): t = (t, t)\nx = [t]", "of more than 20000000 parts"},
		"shared tuples in a dict":                {"t = (0,)\nfor i in range(60): t = (t, t)\nx = {1: {2: t}}", "of more than 20000000 parts"},
		"itself in a list":                       {itself + "x = [make()]", `^fact\(\) is made inside a function and refers to itself, .*; make it a def at the top`},
		"itself in a dict in a list":             {itself + "x = ([{1: (make(),)}],)", `^fact\(\) is made inside a function`},
	} {
		t.Run(name, func(t *testing.T) {
			v := made(t, c.script)
			start := time.Now()
			err := engine.Freeze(v)
			require.Less(t, time.Since(start), time.Minute, "it must not hang; a slow machine may take its time")
			if c.wrong == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			require.Regexp(t, c.wrong, err.Error())
		})
	}
}

func TestFreezeTakesWhatIsFrozenAsItIs(t *testing.T) {
	v := made(t, "t = (0,)\nfor i in range(10): t = (t, t)\nx = [t] * 100")
	require.NoError(t, engine.Freeze(v))
	var f engine.Freezer
	start := time.Now()
	for range 100_000 {
		require.NoError(t, f.Freeze(v))
	}
	require.Less(t, time.Since(start), time.Minute, "it must not hang; a slow machine may take its time")
}

// What is being iterated over says that it can't be changed, as frozen values do.
func TestFreezeOfAValueBeingIteratedOver(t *testing.T) {
	for _, v := range []starlark.Iterable{starlark.NewList([]starlark.Value{starlark.True}), oneEntry(t), oneElement(t)} {
		iter := v.Iterate()
		require.NoError(t, engine.Freeze(v))
		iter.Done()
		requireFrozen(t, v)
	}
}

func oneEntry(t *testing.T) *starlark.Dict {
	d := starlark.NewDict(1)
	require.NoError(t, d.SetKey(starlark.True, starlark.True))
	return d
}

func oneElement(t *testing.T) *starlark.Set {
	s := starlark.NewSet(1)
	require.NoError(t, s.Insert(starlark.True))
	return s
}
