package gates_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/gates"
)

// scripts use every form that the rewriter touches, and every guard.
var scripts = []string{
	// operators, for every kind of operand
	"def f(a, b): return a + b\nx = [f(1, 2), f('a', 'b'), f([1], [2]), f((1,), (2,)), f(b'a', b'b'), f(1, 2.5)]",
	"def f(a, b): return a * b\nx = [f(3, 2), f('a', 3), f(3, 'a'), f([1], 2), f((1, 2), 2), f('a', -1), f(2.5, 2), f(b'a', 2)]",
	"def f(a, b): return a % b\nx = [f(7, 3), f('%s-%d', ('a', 2)), f('%(a)s', {'a': 1}), f('%r', 'x'), f('a%%', ()), f(7.5, 2)]",
	"def f(a, b): return [a | b, a & b, a ^ b]\nx = [f(6, 3), f(set([1, 2]), set([2, 3]))]\ny = {1: 2} | {3: 4}",
	"def f(a, b): return [a - b, a // b, a / b]\nx = f(7, 2)\ny = set([1, 2]) - set([1])",
	"def f(a, b): return [a == b, a != b, a < b, a <= b, a > b, a >= b]\nx = [f(1, 2), f('a', 'b'), f([1], [2]), f((1,), (1, 2)), f(1, 1.5)]",
	"def f(a, b): return [a in b, a not in b]\nx = [f(1, [1, 2]), f('a', 'abc'), f((1,), {(1,): 2}), f(5, range(3)), f('x', set(['x']))]",
	"def f(a, n): return a << n\nx = [f(1, 10), f(3, 200)]",
	"a = 'c'\nx = ['a' + 'b', 'a' + 'b' + 'c', a + 'a' + 'b', 'a' + a + 'b' + 'c', [a] + [1] + [2], (1,) + (2,) + (a,), b'a' + b'b', ('a' + 'b').upper(), 'a' + ('b' + 'c')]\na += 'd' + 'e'\ny = 'a' + 'b' in 'abc'",
	"x = 3 * (4 + 5) - 6 // 2 + (7 % 4)\ny = -x + +x\nz = not x",
	// errors, to the letter
	"def f(a): return a + 1\nf('x')", "def f(a): return [] * a\nf('x')", "def f(a): return a % 2\nf([])", "x = 5\nx += 'a'", "x = 'a' % (1, 2)",
	"def f(x): return x < x\nf(None)", "def f(a, b): return a < b\nf([1], 2)", "x = 1\n[1] in x", "{}['a']", "'a'.nope", "'abc'.joni([])", "x = (1).upper", "def f(x): return x.items\nf(5)",
	"def f(a, b): return a << b\nf(1, -1)", "def f(a, b): return a << b\nf(1, 513)", "def f(a, b): return a // b\nf(1, 0)", "def f(n): return 'x'[n:'a']\nf(1)", "(1, 2)[5]", "5[1:2]",
	"def f(x): x += [1]\nf(None)", "def f():\n  for x in y: y.append(1)\ny = [1]\nf()", "def f():\n  for x in y: y += [1]\ny = [1]\nf()", "y = [1]\ndef f():\n  z = y\n  for x in y: z += [1]\nf()",
	"y = {1: 2}\ndef f():\n  z = y\n  for x in y: z |= {3: 4}\nf()", "def f(): return g\nf()\ng = 1", "def f():\n  x += 1\nf()",
	"int('z')", "int('1', 99)", "list(5)", "set([[]])", "dict([1])", "max([])", "max(1)", "min([1, 'a'])", "sorted([1, 'a'])", "zip(1)", "','.join([1])", "'{}'.format()", "'{a}'.format(b = 1)", "'{'.format(1)", "str(1, 2)", "enumerate(5)", "reversed(5)", "all(5)", "bytes('a', 1)", "def f(): pass\nf(*5)", "def f(): pass\nf(*5)", "getattr('a', 'nope')",
	// augmented assignment
	"x = [1]\ny = x\nx += [2]\nx += (3,)\nx += range(2)", "x = [1]\nx += x", "x = {1: 2}\ny = x\nx |= {3: 4}", "x = set([1])\ny = x\nx |= set([2])", "x = (1,)\nx += (2,)\nx *= 2", "x = 'a'\nx += 'b'\nx *= 3\nx += '%d'\nx %= 5",
	"x = [[1], 'a%d', 2]\nx[0] += [2]\nx[1] %= 3\nx[2] *= 5\nx[2] <<= 2", "log = []\ndef at(i):\n  log.append(i)\n  return i\nx = [[1], [2]]\nx[at(0)] += [at(5)]\nx[at(1)] *= at(2)", "x = 7\nx -= 2\nx //= 2\nx &= 3\nx ^= 1\nx <<= 3\nx >>= 1", "x = {'a': 1}\nx['a'] += 1\nx['b'] = x['a'] + 1",
	"def f():\n  x = 'a'\n  for c in ['b', 'c']:\n    x += c\n  return x\ny = f()",
	// functions
	"def f(*args, **kwargs): return (args, kwargs)\nx = [f(1, 2, a = 3), f(*[1, 2], **{'b': 4}), f(*range(3)), f()]", "f = lambda x, *a, y = 2 + 3: (x, a, y)\nx = [f(1), f(1, 2, 3, y = 4)]", "def f(a, b = 'x' * 3, *c): \n  \"\"\"Doc.\"\"\"\n  return a + b\nx = f('y')",
	"def outer(n):\n  def inner(m): return [n] * m\n  return inner\nx = outer('a')(3)", "def fact(n): return 1 if n == 0 else n * fact(n - 1)\nx = fact(30)", "f = [lambda s: s + s, lambda s: s.upper()]\nx = [g('ab') for g in f]",
	"def f():\n  a, b = 1, 2\n  a, b = b, a\n  (c, [d, e]) = (3, [4, 5])\n  return a, b, c, d, e\nx = f()",
	// comprehensions and scopes
	"x = [i * 2 for i in range(5) if i % 2]\ny = {k: v + v for k, v in {'a': 'b'}.items()}\nz = [(i, j) for i in range(2) for j in range(i + 1)]", "i = 'ab'\ndef f():\n  x = [i for i in range(3)]\n  return i + i, x\ny = f()", "x = [[c + c for c in w.elems()] for w in ['ab', 'cd']]",
	"n = 3\ndef f(x): return x * n\ny = f('ab')", "len = lambda x: 'q'\nx = len(1) + len(2)", "def f():\n  x = 1\n  if x: x = 'a'\n  return x + x\ny = f()" + "", "x = 0\nwhile x < 5:\n  x += 1\nfor y, z in enumerate(['a', 'b'], 3): pass",
	// methods and functions of Starlark's own
	"x = ['a,b'.split(','), ' a  b '.split(), 'a-b-c'.rsplit('-', 1), 'a\\nb'.splitlines(True), 'aXb'.lower(), 'ab c'.title(), 'ab'.upper(), 'ab'.capitalize(), '{} {a}'.format(1, a = 2), 'aa'.replace('a', 'b', 1), '-'.join(['a', 'b']), 'xax'.strip('x'), 'xa'.lstrip('x')]",
	"d = {'a': 1}\nd.update([('b', 2)], c = 3)\nd.update({'e': 5})\nx = [d.items(), d.keys(), d.values(), d.popitem(), d.get('q', 1), d.setdefault('z', []), d.pop('z')]", "x = [3, 1]\nx.extend([5])\nx.extend(range(2))\nx.insert(0, 9)\nx.remove(1)\ny = x.index(5)\nx.extend(x)",
	"set([1]).difference()", "set([1]).issubset()",
	"s = set([1, 2])\nx = [s.union([3]), s.difference([1]), s.intersection([1]), s.symmetric_difference([1, 5]), s.issubset([1, 2, 3]), s.issuperset([1])]\ns.update([7])", "x = [list('ab'.elems()), list({'a': 1}), list(range(70)), tuple([1]), set([1]), dict([(1, 2)], a = 3), dict({1: 2}), sorted([3, 1, 2]), sorted(['bb', 'a'], key = len, reverse = True), reversed([1, 2]), enumerate(['a'], 1), zip([1, 2], 'ab'.elems()), zip(), zip([1], [])]",
	"x = [max(1, 2), min([3, 1]), max(['a', 'bbb'], key = len), any([0, 1]), all([]), str([1, 'a']), repr('a'), int('12'), int('ff', 16), int(3.7), bytes('a'), bytes([1, 2]), getattr('a', 'upper')(), hash('a'), type('a'.join), str('a'.join), bool([])]", "f = ','.join\nx = f(['a', 'b'])\ny = [g for g in ['ab'.upper, 'ab'.split]]\nz = y[0]()",
	"x = [1, 2, 3, 4]\ny = [x[1:], x[:2], x[::2], x[::-1], 'abc'[1:2], (1, 2)[1:], range(9)[2:5], b'abc'[:1]]", "x = (1, (2, 3), 'a')\ny = {x: 1}[x]\nz = x == (1, (2, 3), 'a')", "x = [i for i in range(100)] == list(range(100))\ny = [1] == [1, 2]\nz = {1: 2} == {1: 2}",
}

// TestGuardsChangeNothing compares what scripts do with guards and without.
func TestGuardsChangeNothing(t *testing.T) {
	for _, script := range scripts {
		t.Run(strings.ReplaceAll(script, "\n", "; "), func(t *testing.T) {
			require.True(t, runnable(script))
			same(t, script, places)
		})
	}
}

// FuzzGuardsChangeNothing does so for scripts that are made up. Each must do the
// same, or stop at a limit.
func FuzzGuardsChangeNothing(f *testing.F) {
	for _, script := range scripts {
		f.Add(script)
	}
	f.Add("x=[0X0000]\n[x[:][::0],0],()[0:]>range(0)[4:0] ")
	f.Fuzz(func(t *testing.T, script string) {
		if runnable(script) {
			same(t, script, lines)
		}
	})
}

// same requires that guards change nothing. said is what counts of an error.
func same(t *testing.T, script string, said func(error) string) {
	limits := engine.Limits{Steps: 20_000, Depth: 100, Memory: 4 << 20}
	got, gotErr := guarded(t, script, limits)
	var limit *engine.Interrupt
	if gotErr != nil && (errors.As(gotErr, &limit) || strings.HasPrefix(gotErr.Error(), "Starlark computation cancelled") || strings.Contains(gotErr.Error(), "more than")) {
		return
	}
	want, wantErr := bare(script)
	if wantErr == errPanic {
		require.Error(t, gotErr, "guards are better than the interpreter here")
		return
	}
	if gotErr != nil && strings.Contains(gotErr.Error(), "undefined: ") {
		// x += y at the top of a file with no x: found sooner.
		require.Error(t, wantErr)
		return
	}
	if wantErr != nil || gotErr != nil {
		require.Equal(t, said(wantErr), said(gotErr))
		return
	}
	require.Equal(t, shown(want), shown(got))
}

// runnable reports whether the script compiles without guards, and says nothing
// that differs from run to run.
func runnable(script string) bool {
	for _, word := range []string{"time", "random", "uuid", "store", "print", "\x00"} {
		if strings.Contains(script, word) {
			return false
		}
	}
	_, _, err := starlark.SourceProgramOptions(dialect(), "x.star", script, builtins.Words().Has)
	return err == nil && len(script) < 2000
}

// places is an error and the lines and columns that it went through.
func places(err error) string {
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return fmt.Sprint(err)
	}
	text := eval.Msg
	stack := eval.CallStack
	if strings.HasPrefix(text, "function ") {
		stack.Pop() // arguments that don't fit: it stands at its first instruction, wherever that is
	}
	for _, frame := range stack {
		text += fmt.Sprintf("\n%s %s", frame.Name, frame.Pos)
	}
	return text
}

var column = regexp.MustCompile(`(?m):[0-9]+$`)

// lines is places without the columns: where an expression has several instructions,
// the interpreter gives some of them the place of their neighbour.
func lines(err error) string { return column.ReplaceAllString(places(err), "") }

func shown(v starlark.Value) string {
	if engine.Unfold(v, 10_000, func(starlark.Value) error { return nil }) != nil {
		return "too large to show"
	}
	return v.String()
}

// What the rewriter gives must compile whenever the script does.
func FuzzRewrittenScriptsCompile(f *testing.F) {
	for _, script := range scripts {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		any := func(string) bool { return true }
		if _, _, err := starlark.SourceProgramOptions(dialect(), "x.star", script, any); err != nil {
			return // no script
		}
		file, err := dialect().Parse("x.star", script, 0)
		require.NoError(t, err)
		before := spans(file)
		_, err = gates.Compile(file, any)
		require.NoError(t, err)
		require.Equal(t, before, spans(file), "the author's tree is left as it is")
	})
}

func spans(file *syntax.File) []string {
	var all []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if n != nil {
			start, end := n.Span()
			all = append(all, fmt.Sprintf("%T %v %v", n, start, end))
		}
		return true
	})
	return all
}
