package dialect

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// format(value, spec="") writes a number or a text after a format specification
// of Python's: format(3.14159, ".2f"), format(1234567, ","), format("a", ">5").
//
// spec is [[fill]align][sign][z][#][0][width][, or _][.precision][type], with the
// types b c d e E f F g G n o s x X %. Other values take only an empty spec, and
// give what str gives. n knows no locale. Width, precision and result are at most
// 8 MiB, ints have at most 100,000 bits.
func format(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	var text string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &v, &text); err != nil {
		return nil, err
	}
	out, err := formatted(v, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	charge(thread, len(out))
	return starlark.String(out), nil
}

func formatted(v starlark.Value, text string) (string, error) {
	if f, ok := v.(starlark.Float); ok {
		return formatFloat(float64(f), text)
	}
	if text == "" {
		return show(v)
	}
	switch v := v.(type) {
	case starlark.Bool: // a number, as in Python
		return formatInt(truth(v), text)
	case starlark.Int:
		return formatInt(v, text)
	case starlark.String:
		return formatString(string(v), text)
	}
	return "", fmt.Errorf("a %s takes no specification; format(str(x), %s)", v.Type(), quote(text))
}

func formatString(s, text string) (string, error) {
	spec, err := parseSpec(text, "str", '<')
	if err != nil {
		return "", err
	}
	if spec.kind != 0 && spec.kind != 's' {
		return "", spec.unknownKind("s")
	}
	if err := spec.refuse(spec.sign != 0, spec.noMinusZero, spec.alternate); err != nil {
		return "", err
	}
	switch {
	case spec.align == '=':
		return "", spec.problem("= is not for a value of type str, which takes <, > and ^")
	case spec.group != 0:
		return "", spec.problem("%s is not for a value of type str", quote(string(spec.group)))
	}
	if spec.precision >= 0 {
		s = first(s, spec.precision)
	}
	return aligned(s, spec.width, spec.align, spec.fill)
}

// aligned fills s up to width characters, with s at the left (<), at the right
// (>) or in the middle (^) of them.
func aligned(s string, width int, align byte, fill string) (string, error) {
	missing := max(width-utf8.RuneCountInString(s), 0)
	if missing > maxText || missing*len(fill)+len(s) > maxText {
		return "", fmt.Errorf("more than %d bytes of text", maxText)
	}
	before := 0
	switch align {
	case '>':
		before = missing
	case '^':
		before = missing / 2
	}
	return strings.Repeat(fill, before) + s + strings.Repeat(fill, missing-before), nil
}
