package types

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// The conversions of this file are pydantic's in its lax mode, which is what
// clients of the reference are used to: nothing is lost, and a model that sends
// "5" for 5 is understood.

// maxDigits bounds the digits of an integer that comes as text; reading them
// takes quadratic time.
const maxDigits = 4300

func toStr(_ *checker, v starlark.Value) (starlark.Value, bool) {
	_, ok := v.(starlark.String)
	return v, ok
}

func toNone(_ *checker, v starlark.Value) (starlark.Value, bool) {
	_, ok := v.(starlark.NoneType)
	return v, ok
}

func toInt(c *checker, v starlark.Value) (starlark.Value, bool) {
	if _, ok := v.(starlark.Int); ok {
		return v, true
	}
	if c.exactly {
		return nil, false
	}
	c.lower(lax)
	switch v := v.(type) {
	case starlark.Bool:
		if v {
			return starlark.MakeInt(1), true
		}
		return starlark.MakeInt(0), true
	case starlark.Float:
		f := float64(v)
		if f != math.Trunc(f) || math.Abs(f) >= 1<<63 { // NaN is not its own Trunc
			return nil, false
		}
		return starlark.MakeInt64(int64(f)), true
	case starlark.String:
		return intOf(string(v))
	}
	return nil, false
}

// intOf reads "5", " -5 ", "1_000" and "5.0".
func intOf(text string) (starlark.Value, bool) {
	if len(text) > maxDigits*2 {
		return nil, false
	}
	text = strings.TrimSpace(text)
	if whole, fraction, ok := strings.Cut(text, "."); ok {
		if whole == "" || fraction == "" || strings.Trim(fraction, "0") != "" {
			return nil, false
		}
		text = whole
	}
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 || strings.Trim(digits, "0123456789_") != "" {
		return nil, false
	}
	if digits, ok := withoutUnderscores(digits); !ok || len(digits) > maxDigits {
		return nil, false
	}
	text = strings.ReplaceAll(text, "_", "")
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return starlark.MakeInt64(i), true
	}
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return nil, false
	}
	return starlark.MakeBigInt(i), true
}

// withoutUnderscores is "1000" for "1_000"; an underscore must have a neighbour
// on either side.
func withoutUnderscores(text string) (string, bool) {
	if text == "" || strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
		return "", false
	}
	return strings.ReplaceAll(text, "_", ""), true
}

func toFloat(c *checker, v starlark.Value) (starlark.Value, bool) {
	switch v := v.(type) {
	case starlark.Float:
		return v, true
	case starlark.Int:
		c.lower(strict)
		f := v.Float()
		return f, !math.IsInf(float64(f), 0)
	}
	if c.exactly {
		return nil, false
	}
	c.lower(lax)
	switch v := v.(type) {
	case starlark.Bool:
		if v {
			return starlark.Float(1), true
		}
		return starlark.Float(0), true
	case starlark.String:
		return floatOf(string(v))
	}
	return nil, false
}

// floatOf reads "2.5", "1e3", " .5 ", "1_000.0", and the names of infinity and NaN.
func floatOf(text string) (starlark.Value, bool) {
	if len(text) > maxDigits {
		return nil, false
	}
	text, ok := withoutUnderscores(strings.TrimSpace(text))
	if !ok || strings.ContainsAny(text, "xXpP") { // Go reads hexadecimal too
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	return starlark.Float(f), true
}

func toBool(c *checker, v starlark.Value) (starlark.Value, bool) {
	if _, ok := v.(starlark.Bool); ok {
		return v, true
	}
	if c.exactly {
		return nil, false
	}
	c.lower(lax)
	switch v := v.(type) {
	case starlark.Int:
		if i, ok := v.Int64(); ok && (i == 0 || i == 1) {
			return starlark.Bool(i == 1), true
		}
	case starlark.Float:
		if v == 0 || v == 1 {
			return starlark.Bool(v == 1), true
		}
	case starlark.String:
		return boolOf(string(v))
	}
	return nil, false
}

func boolOf(text string) (starlark.Value, bool) {
	if len(text) > len("false") {
		return nil, false
	}
	switch strings.ToLower(text) {
	case "1", "t", "true", "y", "yes", "on":
		return starlark.True, true
	case "0", "f", "false", "n", "no", "off":
		return starlark.False, true
	}
	return nil, false
}
