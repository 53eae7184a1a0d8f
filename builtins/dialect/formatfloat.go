package dialect

import (
	"math"
	"strconv"
	"strings"
)

// formatFloat writes a float.
func formatFloat(f float64, text string) (string, error) {
	spec, err := parseSpec(text, "float", '>')
	if err != nil {
		return "", err
	}
	switch spec.kind {
	case 0, 'e', 'E', 'f', 'F', 'g', 'G', 'n', '%':
		return spec.float(f)
	}
	return "", spec.unknownKind("e, E, f, F, g, G, n and %")
}

// float writes f, which may have been an int, as s says.
func (s *spec) float(f float64) (string, error) {
	rest := ""
	if s.kind == '%' {
		f, rest = f*100, "%"
	}
	negative := math.Signbit(f) && !math.IsNaN(f)
	text := s.magnitude(math.Abs(f))
	if s.noMinusZero && strings.Trim(text, "0.eE+-") == "" {
		negative = false
	}
	if s.kind == 'E' || s.kind == 'F' || s.kind == 'G' {
		text = strings.ToUpper(text)
	}
	whole := 0
	for whole < len(text) && '0' <= text[whole] && text[whole] <= '9' {
		whole++
	}
	return s.number(negative, "", text[:whole], text[whole:]+rest)
}

// magnitude is the text of f, which has no sign.
func (s *spec) magnitude(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return "inf"
	}
	precision := s.precision
	if precision < 0 && s.kind != 0 {
		precision = 6
	}
	switch s.kind {
	case 'f', 'F', '%':
		text := strconv.FormatFloat(f, 'f', precision, 64)
		if precision == 0 && s.alternate {
			text += "."
		}
		return text
	case 'e', 'E':
		text := strconv.FormatFloat(f, 'e', precision, 64)
		if precision == 0 && s.alternate {
			text = strings.Replace(text, "e", ".e", 1)
		}
		return text
	case 0:
		if precision < 0 {
			return s.general(f, -1, 16)
		}
		precision = max(precision, 1)
		return s.general(f, precision, precision-1) // room for ".0"
	}
	precision = max(precision, 1)
	return s.general(f, precision, precision)
}

// general writes f with that many significant digits (-1: as many as it takes to
// read it back). It takes an exponent when more than most digits stand before
// the point, or four zeros follow it.
func (s *spec) general(f float64, precision, most int) string {
	text := strconv.FormatFloat(f, 'e', max(precision-1, -1), 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	exp, _ := strconv.Atoi(exponent)
	digits := strings.Replace(mantissa, ".", "", 1)
	if !s.alternate {
		digits = strings.TrimRight(digits[1:], "0")
		digits = mantissa[:1] + digits
	}
	point := exp + 1 // where the point stands in digits
	if point <= -4 || point > most {
		return s.pointed(digits[:1], digits[1:]) + "e" + exponent
	}
	if point <= 0 {
		return s.pointed("0", strings.Repeat("0", -point)+digits)
	}
	if len(digits) < point {
		digits += strings.Repeat("0", point-len(digits))
	}
	if s.kind == 0 && len(digits) == point {
		digits += "0"
	}
	return s.pointed(digits[:point], digits[point:])
}

func (s *spec) pointed(whole, fraction string) string {
	if fraction == "" && !s.alternate {
		return whole
	}
	return whole + "." + fraction
}
