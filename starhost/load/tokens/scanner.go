package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Scanner gives the tokens of a source one by one. It uses no more memory for
// a deeply nested file than for a flat one, and time in proportion to the length.
type Scanner struct {
	src       string
	at        int
	line, col int32
	depth     int  // of open brackets
	first     bool // nothing but space since the beginning of the line
	statement bool // there were tokens since the last Newline
}

// New is a scanner at the beginning of src, which should have no byte order mark.
func New(src string) *Scanner {
	return &Scanner{src: src, line: 1, col: 1, first: true}
}

// Depth is how many brackets are open.
func (s *Scanner) Depth() int { return s.depth }

// SetDepth corrects the number of open brackets, for a reader who knows better
// which of them were meant to be closed.
func (s *Scanner) SetDepth(n int) { s.depth = n }

// Next is the next token. After the last one it is EOF, for ever.
func (s *Scanner) Next() Token {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; c {
		case ' ', '\t':
			s.advance()
		case '#':
			for s.at < len(s.src) && !isNewline(s.src[s.at]) {
				s.advance()
			}
		case '\n', '\r':
			t := s.begin()
			s.advance()
			s.first = true
			if s.statement && s.depth == 0 {
				s.statement = false
				return t
			}
		case '\\':
			if s.at+1 < len(s.src) && isNewline(s.src[s.at+1]) {
				s.advance()
				s.advance()
				s.first = true
				continue
			}
			return s.token(c)
		default:
			return s.token(c)
		}
	}
	t := s.begin()
	if s.statement {
		t.Broken = s.depth > 0
		s.statement, s.depth = false, 0
		return t
	}
	t.Kind = EOF
	return t
}

// begin is an empty token here, a Newline until it is said to be something else.
func (s *Scanner) begin() Token {
	return Token{Kind: Newline, Start: s.at, End: s.at, Line: s.line, Col: s.col, EndLine: s.line, EndCol: s.col, First: s.first}
}

func (s *Scanner) token(c byte) Token {
	t := s.begin()
	switch {
	case isQuote(c):
		t.Kind, t.Broken = String, !s.str()
	case isDigit(c) || c == '.' && isDigit(s.byteAt(1)):
		s.number()
		t.Kind = Number
	case s.prefixed(c):
		for !isQuote(s.src[s.at]) {
			s.advance()
		}
		t.Kind, t.Broken = String, !s.str()
	case s.nameRune(s.at) > 0:
		end := s.nameEnd()
		if s.first && s.depth > 0 && beginsStatement(s.src[s.at:end]) {
			s.depth, s.statement = 0, false
			t.Broken = true
			return t
		}
		for s.at < end {
			s.advance()
		}
		t.Kind = Name
	default:
		t.Kind = s.punct(c)
	}
	s.first, s.statement = false, true
	t.End, t.EndLine, t.EndCol = s.at, s.line, s.col
	t.Text = s.src[t.Start:t.End]
	return t
}

// advance moves over one rune; CR LF counts as one.
func (s *Scanner) advance() {
	c := s.src[s.at]
	switch {
	case isNewline(c):
		s.at++
		if c == '\r' && s.at < len(s.src) && s.src[s.at] == '\n' {
			s.at++
		}
		s.line++
		s.col = 1
	case c < utf8.RuneSelf:
		s.at++
		s.col++
	default:
		_, size := utf8.DecodeRuneInString(s.src[s.at:])
		s.at += size
		s.col++
	}
}

// prefixed reports whether a string with one of Starlark's prefixes begins here.
func (s *Scanner) prefixed(c byte) bool {
	if c == 'r' && s.byteAt(1) == 'b' {
		return isQuote(s.byteAt(2))
	}
	return (c == 'r' || c == 'b') && isQuote(s.byteAt(1))
}

// str moves over a string literal from its first quote, and reports whether it
// has an end. A backslash hides the rune after it in raw strings as well.
func (s *Scanner) str() bool {
	quote := s.src[s.at]
	triple := len(s.src) >= s.at+3 && s.src[s.at+1] == quote && s.src[s.at+2] == quote
	s.advance()
	if triple {
		s.advance()
		s.advance()
	}
	for quotes := 0; s.at < len(s.src); {
		c := s.src[s.at]
		if isNewline(c) && !triple {
			return false
		}
		s.advance()
		switch {
		case c == quote:
			quotes++
			if !triple || quotes == 3 {
				return true
			}
			continue
		case c == '\\' && s.at < len(s.src):
			s.advance()
		}
		quotes = 0
	}
	return false
}

// nameEnd is where the name that begins here ends.
func (s *Scanner) nameEnd() int {
	i := s.at
	for i < len(s.src) {
		size := s.nameRune(i)
		if size == 0 && !isDigit(s.src[i]) {
			break
		}
		i += max(size, 1)
	}
	return i
}

// nameRune is the size of the rune at i if a name can begin with it, else 0.
func (s *Scanner) nameRune(i int) int {
	c := s.src[i]
	switch {
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_':
		return 1
	case c < utf8.RuneSelf:
		return 0
	}
	if r, size := utf8.DecodeRuneInString(s.src[i:]); unicode.IsLetter(r) {
		return size
	}
	return 0
}

func (s *Scanner) number() {
	digits := func(ok func(byte) bool) {
		for s.at < len(s.src) && ok(s.src[s.at]) {
			s.advance()
		}
	}
	has := func(set string) bool { return s.at < len(s.src) && strings.IndexByte(set, s.src[s.at]) >= 0 }
	if s.src[s.at] == '0' {
		s.advance()
		var digit func(byte) bool
		switch {
		case has("xX"):
			digit = isHexDigit
		case has("oO"):
			digit = isOctalDigit
		case has("bB"):
			digit = isBinaryDigit
		}
		if digit != nil {
			s.advance()
			digits(digit)
			return
		}
	}
	digits(isDigit)
	if has(".") {
		s.advance()
		digits(isDigit)
	}
	if has("eE") {
		s.advance()
		if has("+-") {
			s.advance()
		}
		digits(isDigit)
	}
}

// punct moves over an operator or a bracket, or over a rune that is neither.
func (s *Scanner) punct(c byte) Kind {
	size := 1
	switch c {
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth = max(0, s.depth-1)
	case '.', ',', ';', ':', '~':
	case '*', '/', '<', '>':
		// ** has no assignment, unlike // << >>
		if s.byteAt(1) == c {
			size = 2
		}
		if s.byteAt(size) == '=' && (c != '*' || size == 1) {
			size++
		}
	case '-':
		if next := s.byteAt(1); next == '=' || next == '>' {
			size = 2
		}
	case '+', '%', '&', '|', '^', '=':
		if s.byteAt(1) == '=' {
			size = 2
		}
	case '!':
		if s.byteAt(1) != '=' {
			s.advance()
			return Illegal
		}
		size = 2
	default:
		s.advance()
		return Illegal
	}
	s.at += size
	s.col += int32(size)
	return Punct
}

// byteAt is the byte n behind the next one, 0 behind the end.
func (s *Scanner) byteAt(n int) byte {
	if s.at+n < len(s.src) {
		return s.src[s.at+n]
	}
	return 0
}

func isNewline(c byte) bool     { return c == '\n' || c == '\r' }
func isQuote(c byte) bool       { return c == '"' || c == '\'' }
func isDigit(c byte) bool       { return '0' <= c && c <= '9' }
func isOctalDigit(c byte) bool  { return '0' <= c && c <= '7' }
func isBinaryDigit(c byte) bool { return c == '0' || c == '1' }

func isHexDigit(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
