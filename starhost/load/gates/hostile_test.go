package gates_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// What an honest author may write, with the n that a model may give. Each must
// end as a limit, having made little more than its budget.
func TestWhatHasNoEndIsStopped(t *testing.T) {
	const huge = 1 << 30
	for name, c := range map[string]struct {
		body string
		n    int
		want string
	}{
		"a list n times":                  {`return len([0] * n)`, huge, "64 MiB"},
		"n times a text":                  {`return len(n * "ab")`, huge, "64 MiB"},
		"bytes n times":                   {`return len(b"ab" * n)`, huge, "64 MiB"},
		"a tuple that multiplies itself":  {"t = (1, 2)\n    t *= n\n    return len(t)", huge / 4, "64 MiB"},
		"an element that multiplies":      {"d = {0: [0]}\n    d[0] *= n\n    return len(d[0])", huge, "64 MiB"},
		"rows of a grid":                  {`return len([[0] * 1000 for _ in range(n)])`, huge, "memory"},
		"a text that doubles":             {"t = 'x'\n    for _ in range(n):\n        t += t\n    return len(t)", 60, "MiB"},
		"a text in a list that doubles":   {"t = ['x']\n    for _ in range(n):\n        t[0] += t[0]\n    return len(t[0])", 60, "MiB"},
		"a list that doubles in place":    {"t = [0]\n    for _ in range(n):\n        t += t\n    return len(t)", 60, "MiB"},
		"a list that extends itself":      {"t = [0]\n    for _ in range(n):\n        t.extend(t)\n    return len(t)", 60, "MiB"},
		"a doubling in a lambda":          {"d = lambda s: s + s\n    t = 'x'\n    for _ in range(n):\n        t = d(t)\n    return len(t)", 60, "MiB"},
		"a doubling in a comprehension":   {"t = ['x']\n    [t.append(t[-1] + t[-1]) for _ in range(n)]\n    return len(t)", 60, "MiB"},
		"a doubling default":              {"def g(s, k, t = 'x' * n): return t\n    return g(1, 2)", huge, "64 MiB"},
		"list of a range":                 {`return len(list(range(n)))`, huge, "64 MiB"},
		"tuple of a range":                {`return len(tuple(range(n)))`, huge, "64 MiB"},
		"set of a range":                  {`return len(set(range(n)))`, huge, "64 MiB"},
		"sorted range":                    {`return len(sorted(range(n)))`, huge, "64 MiB"},
		"reversed range":                  {`return len(reversed(range(n)))`, huge, "64 MiB"},
		"zip of ranges":                   {`return len(zip(range(n), range(n)))`, huge, "64 MiB"},
		"enumerate of a range":            {`return len(enumerate(range(n)))`, huge, "64 MiB"},
		"bytes of a range":                {`return len(bytes([0 for _ in range(9)])) + len(bytes(range(n)))`, huge, "64 MiB"},
		"max of a range":                  {`return max(range(n))`, huge, "steps"},
		"min of a range":                  {`return min(range(n))`, huge, "steps"},
		"all of a range":                  {`return all(range(1, n))`, huge, "steps"},
		"any of a range":                  {`return any([False for _ in range(9)]) or any(range(0, -n, -1)[n // 2:0:-1])`, 2, ""},
		"arguments of a range":            {"def g(*a): return len(a)\n    return g(*range(n))", huge, "arguments"},
		"union with a range":              {`return len(set([1]).union(range(n)))`, huge, "64 MiB"},
		"a list extended by a range":      {"x = []\n    x.extend(range(n))\n    return len(x)", huge, "64 MiB"},
		"a list plus a range":             {"x = []\n    x += range(n)\n    return len(x)", huge, "64 MiB"},
		"replace by itself":               {"t = 'a' * 1000\n    for _ in range(n):\n        t = t.replace('a', t)\n    return len(t)", 6, "MiB"},
		"a method taken as a value":       {"f = ('a' * 100000).replace\n    return len(f('', 'b' * n))", 100_000, "64 MiB"},
		"a method got by name":            {"f = getattr('a' * 100000, 'replace')\n    return len(f('', 'b' * n))", 100_000, "64 MiB"},
		"join with a long separator":      {`return len(("," * 10000).join(["a"] * n))`, 100_000, "MiB"},
		"a template filled often":         {`return len(("%s" * 1000) % tuple(["v" * n] * 1000))`, 1_000_000, "64 MiB|tuple"},
		"a named template":                {`return len(("%(a)s" * 1000) % {"a": "v" * n})`, 1_000_000, "64 MiB"},
		"format":                          {`return len(("{0}" * 1000).format("v" * n))`, 1_000_000, "64 MiB"},
		"upper case, kept":                {"s, keep = 'a' * 1000000, []\n    for _ in range(n):\n        keep.append(s.upper())\n    return len(keep)", 1000, "memory"},
		"slices, kept":                    {"s, keep = list(range(100000)), []\n    for i in range(n):\n        keep.append(s[i % 7:])\n    return len(keep)", 1000, "memory"},
		"items, kept":                     {"d, keep = {i: i for i in range(10000)}, []\n    for i in range(n):\n        keep.append(d.items())\n    return len(keep)", 1000, "memory"},
		"unions, kept":                    {"d, keep = {i: i for i in range(10000)}, []\n    for i in range(n):\n        keep.append(d | {i: 1})\n    return len(keep)", 1000, "memory"},
		"differences, kept":               {"d, keep = set(range(10000)), []\n    for i in range(n):\n        keep.append(d - set([i]))\n    return len(keep)", 1000, "memory"},
		"pieces, kept":                    {"s, keep = 'a,' * 100000, []\n    for i in range(n):\n        keep.append(s.split(','))\n    return len(keep)", 1000, "memory"},
		"appending":                       {"x = []\n    while True:\n        x.append(n)", 0, "memory|steps"},
		"squaring":                        {"x = 3\n    for _ in range(n):\n        x = x * x\n    return x % 7", 60, "bits"},
		"squaring in place":               {"x = 3\n    for _ in range(n):\n        x *= x\n    return x % 7", 60, "bits"},
		"shifting":                        {"x = 1\n    for _ in range(n):\n        x = x << 500\n    return x % 7", 100_000, "bits"},
		"printing what is shared":         {"x = [0]\n    for _ in range(n):\n        x = [x, x]\n    return len(str(x))", 45, "printed"},
		"formatting what is shared":       {"x = [0]\n    for _ in range(n):\n        x = [x, x]\n    return len('%r' % [x])", 45, "printed"},
		"comparing what is shared":        {"x, y = [0] * n, [0] * n\n    for _ in range(8):\n        x, y = [x] * n, [y] * n\n    return x == y", 200, "compared"},
		"ordering what is shared":         {"x, y = [0] * n, [0] * n\n    for _ in range(8):\n        x, y = [x] * n, [y] * n\n    return max([x, y])[0]", 200, "compared"},
		"sorting what is shared":          {"x, y = [0] * n, [0] * n\n    for _ in range(8):\n        x, y = [x] * n, [y] * n\n    return sorted([x, y])[0]", 200, "compared"},
		"looking for what is shared":      {"x, y = [0] * n, [0] * n\n    for _ in range(8):\n        x, y = [x] * n, [y] * n\n    return x in [y, y]", 200, "looked for"},
		"the index of what is shared":     {"x, y = [0] * n, [0] * n\n    for _ in range(8):\n        x, y = [x] * n, [y] * n\n    return [y, x].index(x)", 200, "looked for"},
		"hashing a shared tuple":          {"x = (0,)\n    for _ in range(n):\n        x = (x, x)\n    return len({x: 1})", 45, "tuple"},
		"hashing a tuple made by zip":     {"x = (0,)\n    for _ in range(n):\n        x = zip([x], [x])[0]\n    return len({x: 1})", 45, "tuple"},
		"hashing a tuple of arguments":    {"def g(*a): return a\n    x = (0,)\n    for _ in range(n):\n        x = g(x, x)\n    return len({x: 1})", 45, "tuple"},
		"hashing arguments of a lambda":   {"g = lambda *a: a\n    x = (0,)\n    for _ in range(n):\n        x = g(x, x)\n    return len({x: 1})", 45, "tuple"},
		"hashing a tuple of items":        {"x = (0,)\n    for _ in range(n):\n        x = {x: x}.items()[0]\n    return len({x: 1})", 45, "tuple"},
		"hashing a sum of tuples":         {"x = ((0,),)\n    for _ in range(n):\n        x = ((x + x),)\n    return len({x: 1})", 45, "tuple"},
		"hashing a deep tuple":            {"x = ()\n    for _ in range(n):\n        x = (x,)\n    return len({x: 1})", 100_000, "tuple"},
		"stripping many characters":       {`return len(("ab" * n).strip("".join([chr(i) for i in range(300, 20000)])))`, 1_000_000, "characters"},
		"a loop without end":              {"while True:\n        pass", 0, "steps"},
		"a recursion without end":         {"fs = []\n    fs.append(lambda k: fs[0](k + 1))\n    return fs[0](n)", 0, "calls inside calls|steps"},
		"attempt does not catch a limit":  {"def g(): return [0] * n\n    for _ in range(1000000):\n        attempt(g)\n    return 'survived'", huge, "64 MiB"},
		"nor does json.decode":            {"return json.decode(str([0] * n), default = 1)", huge, "64 MiB"},
		"a gate is nobody's":              {"return len(dir(n)) + len([0] * n)", huge, "64 MiB"},
		"names of builtins can be taken":  {"len = lambda x: 'ab'\n    return len(n) + len(n) * n", huge, "64 MiB"},
		"range can be taken":              {"range = lambda n: ['ab']\n    x = ''\n    for i in range(n):\n        x = i\n    return (x + x) * n", huge, "64 MiB"},
		"a name bound twice is no number": {"x = 1\n    for x in ['ab']: pass\n    return x * n", huge, "64 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			limits := engine.Limits{Memory: 16 << 20, Steps: 3_000_000, Ledger: engine.NewLedger(0)}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := guarded(t, "def f(n):\n    "+c.body+"\n", limits, starlark.MakeInt(c.n))
			runtime.ReadMemStats(&after)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			var limit *engine.Interrupt
			require.True(t, errors.As(err, &limit) || isCancelled(err), "a limit, not %v", err)
			require.Regexp(t, c.want, err.Error())
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(512<<20), "bytes made in all")
		})
	}
}

func isCancelled(err error) bool {
	var eval *starlark.EvalError
	return errors.As(err, &eval) && len(eval.Msg) > 0 && eval.Msg[:8] == "Starlark"
}

// Much garbage is no memory.
func TestGarbageIsForgiven(t *testing.T) {
	limits := engine.Limits{Memory: 8 << 20, Ledger: engine.NewLedger(0)}
	v, err := guarded(t, "def f(n):\n    t = ''\n    for i in range(n):\n        t += 'x'\n    return len(t)\n", limits, starlark.MakeInt(20_000))
	require.NoError(t, err)
	require.Equal(t, "20000", v.String())
}
