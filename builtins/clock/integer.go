package clock

import (
	"fmt"
	"math"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// An int64arg is an argument that is an int of 64 bits. The interpreter's own
// check writes out the int it refuses, which may have a million digits.
type int64arg int64

// Unpack refuses other values.
func (i *int64arg) Unpack(v starlark.Value) error {
	n, err := integer(v, math.MinInt64, math.MaxInt64)
	*i = int64arg(n)
	return err
}

// A field is a field of a date or a time, which may be past its range.
type field int

// Unpack refuses what is no date by far.
func (f *field) Unpack(v starlark.Value) error {
	n, err := integer(v, math.MinInt32, math.MaxInt32)
	*f = field(n)
	return err
}

func integer(v starlark.Value, least, most int64) (int64, error) {
	if i, ok := v.(starlark.Int); ok {
		if n, ok := i.Int64(); ok && least <= n && n <= most {
			return n, nil
		}
	}
	return 0, fmt.Errorf("got %s, want an int from %d to %d", engine.Describe(v), least, most)
}
