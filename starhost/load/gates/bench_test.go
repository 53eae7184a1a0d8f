package gates_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/gates"
)

// loops are loops of 100,000 turns, from what needs no guard to what is nothing
// but guards.
var loops = map[string]string{
	"numbers": "def f(n):\n  x = 0\n  for i in range(n):\n    x = (x * 31 + i) % 1000003\n  return x\n",
	"unknown": "def f(n, x = 1, k = 3, m = 1000003):\n  for i in range(n):\n    x = (x * k + i) % m\n  return x\n",
	"texts":   "def f(n, a = 'a', b = 'b'):\n  c = ''\n  for i in range(n):\n    c = a + b\n  return len(c)\n",
	"lists":   "def f(n):\n  x = []\n  for i in range(n):\n    x.append(i)\n    if x[i] != i: fail('no')\n  return len(x)\n",
	"methods": "def f(n, s = 'a,b'):\n  c = 0\n  for i in range(n):\n    c += len(s.split(','))\n  return c\n",
}

// three is what a tool with three resolvers, one after another, does.
const three = `
INVENTORY = {"Dune": 7, "Neuromancer": 0}
def stock(title): return {"title": title, "copies": INVENTORY.get(title, 0)}
def price(stock): return 10.0 if stock["copies"] > 3 else 12.5
def offer(title, price): return "%s for %s" % (title, price)
def f(n):
    out = ""
    for _ in range(n):
        s = stock("Dune")
        p = price(s)
        out = offer("Dune", p) + "."
    return len(out)
`

func BenchmarkLoop(b *testing.B) {
	for _, name := range []string{"numbers", "unknown", "texts", "lists", "methods"} {
		b.Run(name+"/bare", func(b *testing.B) { bench(b, loops[name], 100_000, false) })
		b.Run(name+"/guarded", func(b *testing.B) { bench(b, loops[name], 100_000, true) })
	}
}

func BenchmarkThreeResolvers(b *testing.B) {
	b.Run("bare", func(b *testing.B) { bench(b, three, 1, false) })
	b.Run("guarded", func(b *testing.B) { bench(b, three, 1, true) })
}

func bench(b *testing.B, script string, n int, guards bool) {
	words := builtins.Words()
	file, err := dialect().Parse("x.star", script, 0)
	require.NoError(b, err)
	compile, start := starlark.FileProgram, (*starlark.Program).Init
	if guards {
		compile, start = gates.Compile, gates.Init
	}
	p, err := compile(file, words.Has)
	require.NoError(b, err)
	globals, err := start(p, &starlark.Thread{}, words)
	require.NoError(b, err)
	ledger := engine.NewLedger(0)
	b.ReportAllocs()
	for b.Loop() {
		thread := &starlark.Thread{}
		release := func() {}
		if guards {
			release = engine.Limits{Steps: 1 << 40, Ledger: ledger}.Apply(thread)
		}
		_, err := starlark.Call(thread, globals["f"], starlark.Tuple{starlark.MakeInt(n)}, nil)
		require.NoError(b, err)
		release()
	}
}
