package dialect

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// pow(base, exp, mod=None) is base to the power of exp. Of ints it is an exact
// int, or a float when exp is negative. With mod it is the remainder by mod, of
// three ints; a negative exp then takes the inverse.
//
// The result and the arguments have at most 100,000 bits, with mod at most 4,096.
// A float to a power other than a multiple of 0.5 may differ from Python's in the
// last digit.
func pow(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var base, exp number
	var mod starlark.Value = starlark.None
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "base", &base, "exp", &exp, "mod?", &mod); err != nil {
		return nil, err
	}
	x, xInt := base.isInt()
	y, yInt := exp.isInt()
	if mod != starlark.None {
		m, mInt := mod.(starlark.Int)
		if !xInt || !yInt || !mInt {
			return nil, fmt.Errorf("%s: mod is only for three ints; got %s, %s and %s",
				b.Name(), base.Type(), exp.Type(), engine.Describe(mod))
		}
		v, err := modularPower(x, y, m)
		return named(b, v, err)
	}
	if xInt && yInt && y.Sign() >= 0 {
		v, err := intPower(x.BigInt(), y)
		return named(b, v, err)
	}
	v, err := floatPower(base, exp)
	return named(b, v, err)
}

func intPower(x *big.Int, y starlark.Int) (starlark.Value, error) {
	if x.BitLen() <= 1 { // -1, 0 and 1 stay small, whatever the exponent
		if y.BigInt().Bit(0) == 0 {
			y = starlark.MakeInt(min(y.Sign()*2, 2))
		} else {
			y = starlark.MakeInt(1)
		}
	}
	n, ok := y.Int64()
	if !ok || n > maxBits || int64(x.BitLen()-1)*n > maxBits {
		return nil, fmt.Errorf("the result has more than %d bits; with floats it is approximate: pow(float(x), y)", maxBits)
	}
	return starlark.MakeBigInt(new(big.Int).Exp(x, big.NewInt(n), nil)), nil
}

func modularPower(base, exp, mod starlark.Int) (starlark.Value, error) {
	x, y, m := base.BigInt(), exp.BigInt(), mod.BigInt()
	for _, i := range []*big.Int{x, y, m} {
		if bits := i.BitLen(); bits > maxModularBits {
			return nil, fmt.Errorf("an int of %d bits; with mod, ints have at most %d", bits, maxModularBits)
		}
	}
	if m.Sign() == 0 {
		return nil, errors.New("mod is 0")
	}
	abs := new(big.Int).Abs(m)
	result := new(big.Int).Exp(new(big.Int).Mod(x, abs), y, abs)
	if result == nil {
		return nil, fmt.Errorf("%s has no inverse modulo %s", engine.Describe(base), engine.Describe(mod))
	}
	if m.Sign() < 0 && result.Sign() != 0 { // the sign of mod, as with %
		result.Add(result, m)
	}
	return starlark.MakeBigInt(result), nil
}

func floatPower(base, exp number) (starlark.Value, error) {
	x, y, err := floats(base, exp)
	if err != nil {
		return nil, err
	}
	finite := !math.IsInf(x, 0) && !math.IsInf(y, 0)
	switch {
	case x == 0 && y < 0 && finite:
		return nil, errors.New("0 can't be raised to a negative power")
	case x < 0 && finite && math.Floor(y) < y:
		return nil, errors.New("a negative number to a fractional power is no real number")
	}
	f, exact := nearestPower(x, y)
	if !exact {
		f = math.Pow(x, y)
	}
	if math.IsInf(f, 0) && finite {
		return nil, errors.New("the result is too large for a float")
	}
	return starlark.Float(f), nil
}

// nearestPower is the float nearest to x to the power of y for the powers that
// people compute: interest, squares, square roots. math.Pow is often off by one
// in the last digit, and Python is not.
func nearestPower(x, y float64) (power float64, ok bool) {
	const most, precision = 2_048, 256
	halves := int(y * 2)
	if !(math.Abs(y) <= most) || float64(halves) != y*2 || x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, false
	}
	square := new(big.Float).SetPrec(precision).SetFloat64(x)
	if halves%2 == 0 {
		halves /= 2
	} else if x < 0 {
		return 0, false
	} else {
		square.Sqrt(square)
	}
	result := new(big.Float).SetPrec(precision).SetInt64(1)
	for n := max(halves, -halves); n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	if halves < 0 {
		result.Quo(new(big.Float).SetPrec(precision).SetInt64(1), result)
	}
	power, _ = result.Float64()
	return power, true
}
