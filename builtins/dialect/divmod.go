package dialect

import (
	"errors"
	"math"

	"go.starlark.net/starlark"
)

// divmod(a, b) is (a // b, a % b). As in Python the quotient is rounded down, so
// the remainder has the sign of b. Ints have at most 100,000 bits.
func divmod(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, y number
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "a", &x, "b", &y); err != nil {
		return nil, err
	}
	if !y.Truth() {
		return named(b, nil, errors.New("division by zero"))
	}
	i, iInt := x.isInt()
	j, jInt := y.isInt()
	if iInt && jInt {
		return starlark.Tuple{i.Div(j), i.Mod(j)}, nil
	}
	f, g, err := floats(x, y)
	if err != nil {
		return named(b, nil, err)
	}
	quo, rem := floatDivmod(f, g)
	return starlark.Tuple{starlark.Float(quo), starlark.Float(rem)}, nil
}

// floatDivmod makes quotient and remainder agree with each other where rounding
// would let each go its own way.
func floatDivmod(x, y float64) (quo, rem float64) {
	rem = math.Mod(x, y)
	div := (x - rem) / y
	switch {
	case rem == 0:
		rem = math.Copysign(0, y)
	case (y < 0) != (rem < 0):
		rem += y
		div--
	}
	if div == 0 {
		return math.Copysign(0, x/y), rem
	}
	quo = math.Floor(div)
	if div-quo > 0.5 {
		quo++
	}
	return quo, rem
}
