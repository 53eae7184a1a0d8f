package exactjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// Limits bound one value in either direction. A zero field means the default.
type Limits struct {
	Depth  int // nesting of arrays and objects; default 200
	Bytes  int // length of the written text; default 32 MiB. Reading has the text already
	Digits int // digits of one integer; default 4300, as in Python
}

func (l Limits) orDefault() Limits {
	if l.Depth == 0 {
		l.Depth = 200
	}
	if l.Bytes == 0 {
		l.Bytes = 32 << 20
	}
	if l.Digits == 0 {
		l.Digits = 4300
	}
	return l
}

// Decode reads exactly one JSON value. Objects become dicts in the order of
// their keys (of a repeated key the last value counts), numbers without a
// fraction or exponent become ints. Text that is no JSON, invalid UTF-8, a
// lone surrogate and a number beyond float64 are errors.
//
// The result is not frozen.
func Decode(data []byte, limits Limits) (starlark.Value, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("not valid UTF-8")
	}
	if err := loneSurrogate(data); err != nil {
		return nil, err
	}
	r := reader{dec: tokensOf(data), limits: limits.orDefault()}
	tok, err := r.token()
	if err != nil {
		return nil, err
	}
	v, err := r.value(tok, 0)
	if err != nil {
		return nil, err
	}
	dec, ok := r.dec.(*json.Decoder)
	if !ok {
		return v, nil // valid text is one value
	}
	if _, err := dec.Token(); err == nil {
		return nil, errors.New("more than one JSON value")
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("text after the JSON value")
	}
	return nil, errors.New("not JSON")
}

type reader struct {
	dec    tokens
	limits Limits
}

func (r *reader) token() (json.Token, error) {
	tok, err := r.dec.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return tok, nil
}

func (r *reader) value(tok json.Token, depth int) (starlark.Value, error) {
	switch tok := tok.(type) {
	case nil:
		return starlark.None, nil
	case bool:
		return starlark.Bool(tok), nil
	case string:
		return starlark.String(tok), nil
	case json.Number:
		return r.number(string(tok))
	case json.Delim:
		if depth >= r.limits.Depth {
			return nil, fmt.Errorf("nested deeper than %d", r.limits.Depth)
		}
		if tok == '[' {
			return r.array(depth + 1)
		}
		return r.object(depth + 1)
	}
	return nil, fmt.Errorf("unexpected JSON token %v", tok)
}

func (r *reader) array(depth int) (starlark.Value, error) {
	var elems []starlark.Value
	for r.dec.More() {
		tok, err := r.token()
		if err != nil {
			return nil, err
		}
		v, err := r.value(tok, depth)
		if err != nil {
			return nil, err
		}
		elems = append(elems, v)
	}
	_, err := r.token() // the closing bracket
	return starlark.NewList(elems), err
}

func (r *reader) object(depth int) (starlark.Value, error) {
	dict := new(starlark.Dict)
	var crowd crowd
	for r.dec.More() {
		tok, err := r.token()
		if err != nil {
			return nil, err
		}
		key := starlark.String(tok.(string))
		if err := crowd.add(dict, key); err != nil {
			return nil, err
		}
		tok, err = r.token()
		if err != nil {
			return nil, err
		}
		v, err := r.value(tok, depth)
		if err != nil {
			return nil, err
		}
		if err := dict.SetKey(key, v); err != nil {
			return nil, err
		}
	}
	_, err := r.token() // the closing brace
	return dict, err
}

func (r *reader) number(text string) (starlark.Value, error) {
	if !strings.ContainsAny(text, ".eE") {
		if len(text) > r.limits.Digits {
			return nil, fmt.Errorf("an integer of %d digits, more than %d", len(text), r.limits.Digits)
		}
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return starlark.MakeInt64(i), nil
		}
		big, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return nil, fmt.Errorf("not a number: %s", text)
		}
		return starlark.MakeBigInt(big), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, errors.New("a number too large for a float")
	}
	return starlark.Float(f), nil
}

// loneSurrogate refuses \ud800-style halves, which encoding/json would quietly
// turn into U+FFFD.
func loneSurrogate(data []byte) error {
	for i := 0; i+1 < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		i++
		if data[i] != 'u' {
			continue
		}
		r := hex4(data[i+1:])
		if r < 0xd800 || r > 0xdfff {
			continue
		}
		rest := data[i+1:]
		if r >= 0xdc00 || len(rest) < 6 || rest[4] != '\\' || rest[5] != 'u' {
			return errors.New("half of a surrogate pair in a string")
		}
		if low := hex4(rest[6:]); low < 0xdc00 || low > 0xdfff {
			return errors.New("half of a surrogate pair in a string")
		}
		i += 10
	}
	return nil
}

// hex4 is the value of four hex digits, or 0 when they are not there.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return 0
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	if err != nil {
		return 0
	}
	return rune(n)
}
