package types

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// quickly fails a test whose script would not end.
func quickly(t *testing.T, src string) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { _, err := run(src, assertion); done <- err }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("this does not end: " + src)
		return nil
	}
}

func TestHostileValuesAreRefused(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"x = []\nx.append(x)\nM = model(a = any)\nM(a = x)", "M: a: expected a value that does not contain itself, got a list of 1"},
		{"x = {}\nx['x'] = [x]\nM = model(a = dict)\nM(a = x)", "expected a value that does not contain itself"},
		{"x = []\nx.append((x,))\nM = model(a = list[any])\nM(a = [x])", `a\[0\]: expected a value that does not contain itself`},
		{"x = []\nx.append(x)\nM = model(a = list[list])\nM(a = x)", "expected a value that does not contain itself"},
		{"x = []\nx.append(x)\nM = model(a = list[list[list[int]]])\nM(a = x)", `a\[0\]\[0\]\[0\]: expected an integer, got a list of 1`},
		{"x = []\nfor i in range(100000): x = [x]\nM = model(a = any)\nM(a = x)", "expected a value nested at most 200 deep"},
		{"x = ()\nfor i in range(100000): x = (x,)\nM = model(a = any)\nM(a = x)", "expected a value nested at most 200 deep"},
		{"x = 0\nM = model(a = any)\nfor i in range(1000): x = M(a = x)", "nested at most 200 deep"},
		{"x = 0\nM = model(a = any, b = any)\nfor i in range(60): x = M(a = x, b = x)", "expected at most 4,000,000 values in all"},
		{"x = []\nfor i in range(60): x = [x, x]\nM = model(a = any)\nM(a = x)", "expected at most 4,000,000 values in all"},
		{"x = ('x',)\nfor i in range(60): x = (x, x)\nM = model(a = any)\nM(a = x)", "expected at most 4,000,000 values in all"},
		{"x = ['x' * 1000000] * 1000\nM = model(a = any)\nM(a = x)", "expected at most 128 MiB of text in all"},
		{"x = ['x' * 1000000] * 1000\nM = model(a = list[str])\nM(a = x)", "expected at most 128 MiB of text in all"},
		{"a = [1] * 3000\nb = [a] * 3000\nM = model(a = list[list[list[int]]])\nM(a = [b] * 3000)", "expected at most 4,000,000 values in all"},
		{"a = [1] * 3000\nb = [a] * 3000\nisinstance([b] * 3000, list[list[list[int]]])", "isinstance: the value has more than 4000000 parts"},
		{"M = model(a = list[int] | list[str])\nM(a = range(1 << 40))", "expected at most 4,000,000 values in all"},
		{"x = []\nx.append(x)\nM = model(a = schema({}))\nM(a = x)", "expected a value that does not contain itself"},
		{"M = model(a = any)\nx = []\nx.append(M(a = x))", "cannot append to frozen list"},
		// Types.
		{"T = int\nfor i in range(40): T = model(a = T, b = T)", "model: this type has more than 10000 parts when its models are written out"},
		{"T = int\nfor i in range(40): T = list[T] | dict[str, T]", "more than 10000 parts"},
		{"T = int\nfor i in range(100): T = list[T]", "types can be nested at most 64 deep"},
		{"T = int\nfor i in range(100): T = model(a = T)", "types can be nested at most 64 deep"},
	} {
		err := quickly(t, test.script)
		require.Error(t, err, test.script)
		require.Regexp(t, test.want, err.Error(), test.script)
	}
}

func TestLargeHonestValuesPass(t *testing.T) {
	for _, script := range []string{
		"x = 0\nM = model(a = any)\nfor i in range(150): x = M(a = x)\ny = str(x)\nto_dict(x)\njson_of(x)\nassert_eq(x, x)",
		"x = []\nfor i in range(15): x = [x, x]\nM = model(a = any)\nm = M(a = x)\ny = str(m)\nto_dict(m)\njson_of(m)",
		"M = model(a = list[int])\nassert_eq(len(M(a = [1] * 1000000).a), 1000000)",
		"M = model(a = any)\nx = [[1, 'x', None, {'k': (1, 2)}] for i in range(100000)]\nassert_eq(M(a = x).a, x)",
		"M = model(a = any)\ns = [1]\nm = M(a = [s] * 1000)\nassert_eq(len(m.a), 1000)",
		"M = model(a = list[enum(*range(500))])\nM(a = [499] * 10000)",
	} {
		require.NoError(t, quickly(t, script), script)
	}
}

// A union of unions tries every member once, however deep the value.
func TestUnionsDoNotMultiply(t *testing.T) {
	const script = `
T = int
for i in range(30): T = list[T] | int
x = "no"
for i in range(30): x = [x]
M = model(a = T)
M(a = x)
`
	require.ErrorContains(t, quickly(t, script), "expected an integer")
}
