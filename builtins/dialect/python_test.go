package dialect

import (
	"bufio"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The table comes from Python: see testdata/python_table.py.
func TestNumbersAndFormatsAreWhatPythonMakesThem(t *testing.T) {
	file, err := os.Open("testdata/python.txt")
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	n := 0
	for lines.Scan() {
		expression, want, ok := strings.Cut(lines.Text(), "\t")
		require.True(t, ok, "line without a tab: %s", lines.Text())
		n++
		got, err := eval(expression)
		if want == "error" {
			if err == nil {
				t.Errorf("%s = %s; in Python it is an error", expression, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v; in Python it is %s", expression, err, want)
			continue
		}
		wanted, err := eval(want)
		require.NoError(t, err, want)
		if !identical(got, wanted) {
			t.Errorf("%s = %s; in Python it is %s", expression, got, wanted)
		}
	}
	require.NoError(t, lines.Err())
	require.Greater(t, n, 8_000)
}

func eval(expression string) (starlark.Value, error) {
	return starlark.EvalOptions(&syntax.FileOptions{}, new(starlark.Thread), "python.txt", expression, Words())
}

// identical tells 1 from 1.0 and 0.0 from -0.0.
func identical(x, y starlark.Value) bool {
	switch x := x.(type) {
	case starlark.Float:
		y, ok := y.(starlark.Float)
		return ok && (math.Float64bits(float64(x)) == math.Float64bits(float64(y)) || x != x && y != y)
	case starlark.Tuple:
		y, ok := y.(starlark.Tuple)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !identical(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	same, err := starlark.Equal(x, y)
	return err == nil && same && x.Type() == y.Type()
}
