package dialect

import (
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A number is an argument that must be an int or a float. As in Python, True is
// 1 and False is 0. Ints have at most maxBits bits.
type number struct {
	starlark.Value // a starlark.Int or a starlark.Float
}

// Unpack takes ints, floats and bools.
func (n *number) Unpack(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.Int:
		n.Value = v
		return checkBits(v)
	case starlark.Float:
		n.Value = v
		return nil
	case starlark.Bool:
		n.Value = truth(v)
		return nil
	}
	return fmt.Errorf("got %s, want a number", engine.Describe(v))
}

func truth(b starlark.Bool) starlark.Int {
	if b {
		return starlark.MakeInt(1)
	}
	return starlark.MakeInt(0)
}

// isInt reports whether n is an int, and which.
func (n number) isInt() (starlark.Int, bool) {
	i, ok := n.Value.(starlark.Int)
	return i, ok
}

// float is n as a float. An int beyond every float is an error.
func (n number) float() (float64, error) {
	if f, ok := n.Value.(starlark.Float); ok {
		return float64(f), nil
	}
	f := float64(n.Value.(starlark.Int).Float())
	if math.IsInf(f, 0) {
		return 0, errors.New("an int too large for a float")
	}
	return f, nil
}

// floats is a and b as floats.
func floats(a, b number) (float64, float64, error) {
	x, err := a.float()
	if err != nil {
		return 0, 0, err
	}
	y, err := b.float()
	return x, y, err
}

func named(b *starlark.Builtin, v starlark.Value, err error) (starlark.Value, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return v, nil
}
