package dialect

import (
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// formatInt writes an int.
func formatInt(i starlark.Int, text string) (string, error) {
	if err := checkBits(i); err != nil {
		return "", err
	}
	spec, err := parseSpec(text, "int", '>')
	if err != nil {
		return "", err
	}
	base := 10
	prefix := ""
	switch spec.kind {
	case 0, 'd', 'n':
	case 'b':
		base, prefix = 2, "0b"
	case 'o':
		base, prefix = 8, "0o"
	case 'x', 'X':
		base, prefix = 16, "0"+string(spec.kind)
	case 'c':
		return formatCharacter(i, spec)
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		f, err := number{i}.float()
		if err != nil {
			return "", err
		}
		return spec.float(f)
	default:
		return "", spec.unknownKind("b, c, d, e, E, f, F, g, G, n, o, x, X and %")
	}
	if err := spec.refuse(false, spec.noMinusZero, false, spec.precision >= 0); err != nil {
		return "", err
	}
	if !spec.alternate {
		prefix = ""
	}
	digits, negative := strings.CutPrefix(i.BigInt().Text(base), "-")
	if spec.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	return spec.number(negative, prefix, digits, "")
}

// formatCharacter writes the character with the code point i.
func formatCharacter(i starlark.Int, spec spec) (string, error) {
	if err := spec.refuse(spec.sign != 0, spec.noMinusZero, spec.alternate, spec.precision >= 0); err != nil {
		return "", err
	}
	code, ok := i.Int64()
	if !ok || code < 0 || code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
		return "", spec.problem("c is for the code point of a character: 0 to 0x10ffff, without 0xd800 to 0xdfff")
	}
	return spec.number(false, "", "", string(rune(code)))
}

// number puts a number together: sign and prefix (0x), the digits before the
// point, and the rest.
func (s *spec) number(negative bool, prefix, digits, rest string) (string, error) {
	head := s.signOf(negative) + prefix
	least := 0 // digits and separators
	if s.fill == "0" && s.align == '=' {
		least = s.width - len(head) - utf8.RuneCountInString(rest)
	}
	body := s.grouped(digits, least) + rest
	if s.align != '=' {
		return aligned(head+body, s.width, s.align, s.fill)
	}
	body, err := aligned(body, s.width-len(head), '>', s.fill)
	return head + body, err
}

func (s *spec) signOf(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.sign == '+', s.sign == ' ':
		return string(s.sign)
	}
	return ""
}

// grouped is digits with separators, and with zeros in front up to a length of
// least, which is one more where a separator would come first.
func (s *spec) grouped(digits string, least int) string {
	if digits == "" { // a character, inf, nan
		return ""
	}
	if s.group == 0 {
		return strings.Repeat("0", max(least-len(digits), 0)) + digits
	}
	size := 3
	if s.kind != 0 && strings.IndexByte("boxX", s.kind) >= 0 {
		size = 4
	}
	// A number of that many digits has (digits-1)/size separators.
	count := len(digits)
	for count+(count-1)/size < least {
		count++
	}
	var out strings.Builder
	for i := count; i > 0; i-- {
		if i > len(digits) {
			out.WriteByte('0')
		} else {
			out.WriteByte(digits[len(digits)-i])
		}
		if i > 1 && (i-1)%size == 0 {
			out.WriteByte(s.group)
		}
	}
	return out.String()
}
