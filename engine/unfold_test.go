package engine_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// pair encodes as an object around two values.
type pair struct {
	starlark.NoneType
	a, b any
}

func (p pair) JSON() any {
	return exactjson.Object{{Name: "a", Value: p.a}, {Name: "b", Value: []any{p.b}}}
}

func TestUnfoldVisitsAllThatIsInsideAsOftenAsItIsThere(t *testing.T) {
	leaf := starlark.NewList([]starlark.Value{starlark.String("x")})
	dict := starlark.NewDict(1)
	require.NoError(t, dict.SetKey(starlark.String("x"), leaf))
	set := starlark.NewSet(1)
	require.NoError(t, set.Insert(starlark.String("x")))
	for name, test := range map[string]struct {
		value starlark.Value
		want  int // times that "x" is met
	}{
		"itself":                 {starlark.String("x"), 1},
		"a list":                 {leaf, 1},
		"a shared list":          {starlark.Tuple{leaf, leaf, leaf}, 3},
		"a dict":                 {dict, 2},
		"a set":                  {set, 1},
		"a struct":               {starlarkstruct.FromStringDict(starlarkstruct.Default, starlark.StringDict{"f": leaf}), 1},
		"something that encodes": {pair{a: leaf, b: "x"}, 2},
		"a function":             {starlark.NewBuiltin("x", nil), 0},
	} {
		met := 0
		err := engine.Unfold(test.value, 100, func(v starlark.Value) error {
			if v == starlark.String("x") {
				met++
			}
			return nil
		})
		require.NoError(t, err, name)
		require.Equal(t, test.want, met, name)
	}
}

func TestUnfoldEndsOnWhatWouldTakeForever(t *testing.T) {
	ignore := func(starlark.Value) error { return nil }

	var shared starlark.Value = starlark.None
	for range 40 {
		shared = starlark.Tuple{shared, shared}
	}
	require.ErrorContains(t, engine.Unfold(shared, 1000, ignore), "holds more than 1000 values")

	ring := starlark.NewList(nil)
	require.NoError(t, ring.Append(ring))
	require.ErrorContains(t, engine.Unfold(ring, 1000, ignore), "nested deeper than 200 (does it contain itself?)")

	stop := errors.New("enough")
	require.Equal(t, stop, engine.Unfold(starlark.Tuple{shared}, 1000, func(starlark.Value) error { return stop }))
}
