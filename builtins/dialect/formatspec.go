package dialect

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A spec is a format specification, taken apart.
type spec struct {
	text        string // the whole, for errors
	of          string // the type of the value, for errors
	fill        string // one character
	align       byte   // < > = ^
	sign        byte   // + - space; 0: none given
	noMinusZero bool   // z: what rounds to -0.0 is written as 0.0
	alternate   bool   // #
	width       int    // 0: none given
	group       byte   // , or _; 0: none given
	precision   int    // -1: none given
	kind        byte   // the type; 0: none given
}

// parseSpec reads a specification for a value of the type named of, which stands
// at align (< or >) unless the specification says otherwise.
func parseSpec(text, of string, align byte) (spec, error) {
	s := spec{text: text, of: of, fill: " ", align: align, precision: -1}
	rest, filled := s.alignment(text)
	placed := len(rest) < len(text)
	if rest != "" && strings.IndexByte("+- ", rest[0]) >= 0 {
		s.sign, rest = rest[0], rest[1:]
	}
	rest, s.noMinusZero = strings.CutPrefix(rest, "z")
	rest, s.alternate = strings.CutPrefix(rest, "#")
	if !filled && strings.HasPrefix(rest, "0") {
		s.fill, rest = "0", rest[1:]
		if !placed && align == '>' {
			s.align = '='
		}
	}
	rest, err := s.sizes(rest)
	if err != nil {
		return s, err
	}
	if len(rest) > 1 {
		return s, s.problem("%s does not belong there", quote(rest))
	}
	if rest != "" {
		s.kind = rest[0]
	}
	return s, s.checkGroup()
}

// alignment reads [[fill]align]. It reports whether there was a fill.
func (s *spec) alignment(text string) (rest string, filled bool) {
	isAlign := func(i int) bool { return i < len(text) && strings.IndexByte("<>=^", text[i]) >= 0 }
	if _, size := utf8.DecodeRuneInString(text); size > 0 && isAlign(size) {
		s.fill, s.align = text[:size], text[size]
		return text[size+1:], true
	}
	if isAlign(0) {
		s.align = text[0]
		return text[1:], false
	}
	return text, false
}

// sizes reads [width][, or _][.precision].
func (s *spec) sizes(text string) (rest string, err error) {
	if s.width, rest, err = s.decimal(text, "width"); err != nil {
		return "", err
	}
	s.width = max(s.width, 0)
	for rest != "" && (rest[0] == ',' || rest[0] == '_') {
		if s.group != 0 {
			return "", s.problem("it groups digits twice")
		}
		s.group, rest = rest[0], rest[1:]
	}
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		if s.precision, rest, err = s.decimal(fraction, "precision"); err != nil {
			return "", err
		}
		if s.precision < 0 {
			return "", s.problem("no digits follow its point")
		}
	}
	return rest, nil
}

// decimal reads digits; -1 means there are none.
func (s *spec) decimal(text, what string) (int, string, error) {
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	if end == 0 {
		return -1, text, nil
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil || n > maxText {
		return 0, "", s.problem("its %s is over the limit of %d", what, maxText)
	}
	return n, text[end:], nil
}

func (s *spec) checkGroup() error {
	switch {
	case s.group == 0, s.kind == 0, strings.IndexByte("deEfFgG%", s.kind) >= 0:
		return nil
	case s.group == '_' && strings.IndexByte("boxX", s.kind) >= 0:
		return nil
	}
	return s.problem("%s does not go with %s", quote(string(s.group)), quote(string(s.kind)))
}

// refuse is the error for the first of the given things that the specification
// has and the value can't have.
func (s *spec) refuse(has ...bool) error {
	for i, what := range []string{"a sign", "z", "#", "a precision"} {
		if i < len(has) && has[i] {
			return s.problem("%s is not for %s", what, s.subject())
		}
	}
	return nil
}

func (s *spec) subject() string {
	if s.kind == 0 {
		return "a value of type " + s.of
	}
	return fmt.Sprintf("%s of type %s", quote(string(s.kind)), s.of)
}

// unknownKind is the error for a type that is not among those for the value.
func (s *spec) unknownKind(known string) error {
	return s.problem("%s is not for a value of type %s, which takes %s", quote(string(s.kind)), s.of, known)
}

func (s *spec) problem(format string, args ...any) error {
	return fmt.Errorf("in the specification %s, %s", quote(s.text), fmt.Sprintf(format, args...))
}

// quote is s as a script writes it, cut where it is long.
func quote(s string) string {
	if len(s) > 40 {
		return engine.Describe(starlark.String(s))
	}
	return starlark.String(s).String()
}
