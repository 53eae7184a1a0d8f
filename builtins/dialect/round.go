package dialect

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// round(number, ndigits=None) rounds to ndigits digits after the point, a tie to
// the even digit, exactly as Python does: the float itself decides, not its
// decimal text, so round(2.675, 2) is 2.67.
//
// Without ndigits the result is an int. With it, an int stays an int and a float
// a float; a negative ndigits rounds to tens, hundreds, … Ints have at most
// 100,000 bits.
func round(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x number
	var ndigits starlark.Value = starlark.None
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "number", &x, "ndigits?", &ndigits); err != nil {
		return nil, err
	}
	v, err := rounded(x, ndigits)
	return named(b, v, err)
}

func rounded(x number, ndigits starlark.Value) (starlark.Value, error) {
	i, isInt := x.isInt()
	switch n := ndigits.(type) {
	case starlark.NoneType:
		if isInt {
			return i, nil
		}
		return roundToInt(float64(x.Value.(starlark.Float)))
	case starlark.Int:
		digits := clamp(n, maxBits) // beyond that many digits nothing changes
		if isInt {
			return roundInt(i, digits), nil
		}
		return roundFloat(float64(x.Value.(starlark.Float)), digits)
	}
	return nil, fmt.Errorf("ndigits is %s; want an int or None", engine.Describe(ndigits))
}

func roundToInt(f float64) (starlark.Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%v has no nearest int", starlark.Float(f))
	}
	return starlark.NumberToInt(starlark.Float(math.RoundToEven(f)))
}

func roundInt(i starlark.Int, digits int) starlark.Int {
	if digits >= 0 {
		return i
	}
	return starlark.MakeBigInt(toMultiple(new(big.Rat).SetInt(i.BigInt()), -digits))
}

// toMultiple is the multiple of 10**exp that is nearest to x, of two equally
// near ones the even one.
func toMultiple(x *big.Rat, exp int) *big.Int {
	// A power beyond twice x gives 0; not computing it keeps round(1, -10**9) quick.
	if digits := x.Num().BitLen() - x.Denom().BitLen() + 2; exp > max(digits, 0)/3+2 {
		return new(big.Int)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exp)), nil)
	// x = quo*unit + rest, with 0 <= rest < unit. Both sides times the denominator.
	scaled := new(big.Int).Mul(unit, x.Denom())
	quo, rest := new(big.Int).DivMod(x.Num(), scaled, new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(scaled)
	if half > 0 || half == 0 && quo.Bit(0) == 1 {
		quo.Add(quo, big.NewInt(1))
	}
	return quo.Mul(quo, unit)
}

func roundFloat(f float64, digits int) (starlark.Value, error) {
	const finest = 323 // no float has more digits after the point
	switch {
	case math.IsNaN(f), math.IsInf(f, 0), f == 0, digits > finest:
		return starlark.Float(f), nil
	case digits >= 0:
		near, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
		return starlark.Float(near), tooLargeToRound(near, err)
	}
	near, _ := new(big.Float).SetInt(toMultiple(new(big.Rat).SetFloat64(f), -digits)).Float64()
	if math.IsInf(near, 0) {
		return nil, tooLargeToRound(near, nil)
	}
	return starlark.Float(math.Copysign(near, f)), nil
}

func tooLargeToRound(f float64, err error) error {
	if err != nil || math.IsInf(f, 0) {
		return errors.New("the rounded value is too large for a float")
	}
	return nil
}
