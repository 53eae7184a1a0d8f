package types

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

// isinstance is isinstance(x, T): whether x, as it is, is a value of the type T,
// or of one in a tuple of types. Nothing is converted: "5" is no int. Other than in
// Python True is no int either, and list[int] looks at every element.
func isinstance(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 2 || len(kwargs) > 0 {
		return nil, errors.New("isinstance takes a value and a type: isinstance(x, int)")
	}
	types, ok := args[1].(starlark.Tuple)
	if !ok {
		types = args[1:]
	}
	if len(types) == 0 {
		return nil, errors.New("isinstance: an empty tuple of types; write isinstance(x, (int, str)) or isinstance(x, int | str)")
	}
	c := checker{quiet: true}
	found := false
	for _, t := range types {
		is, err := tester(t)
		if err != nil {
			return nil, fmt.Errorf("isinstance: %w", err)
		}
		found = found || is(&c, args[0])
	}
	if c.tooMuch {
		return nil, fmt.Errorf("isinstance: the value has more than %d parts", maxParts)
	}
	return starlark.Bool(found), nil
}

// tester is the test for one type. Types that JSON lacks are no types for a
// parameter, but values have them, so here their names count.
func tester(t starlark.Value) (func(*checker, starlark.Value) bool, error) {
	if b, ok := t.(*starlark.Builtin); ok && b.Receiver() == nil {
		switch name := b.Name(); name {
		case "tuple", "set", "bytes", "range":
			return func(_ *checker, v starlark.Value) bool { return v.Type() == name }, nil
		}
	}
	as, err := AsType(t)
	if err != nil {
		return nil, err
	}
	return shapeOf(as).has, nil
}
