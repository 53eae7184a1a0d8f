package tokens

// A Kind says what a token is.
type Kind uint8

const (
	EOF     Kind = iota // the end of the input, again and again
	Newline             // the end of a statement's line; none inside brackets or after an empty line
	Name                // an identifier or a keyword
	Number              // 1, 0x1f, 1.5e3
	String              // a literal with its prefix and its quotes
	Punct               // an operator or a bracket; "->" is one token here
	Illegal             // a rune that begins no token of Starlark, such as $ or !
)

// A Token is a piece of the source. Its zero value is the end of an empty file.
type Token struct {
	Kind Kind
	// First says that nothing stands before the token on its line of the file.
	First bool
	// Broken marks a String without its end, and the Newline made up where a
	// new statement began although brackets were still open.
	Broken bool
	// Text is the token as written; a Newline's is empty.
	Text string
	// Start and End are byte offsets.
	Start, End int
	// Line and Col are the place of the first rune, EndLine and EndCol that of
	// the rune after the last. Both count from 1, columns in runes.
	Line, Col, EndLine, EndCol int32
}

// Is reports whether the token is the keyword, name or operator text.
func (t Token) Is(text string) bool {
	return (t.Kind == Name || t.Kind == Punct) && t.Text == text
}

// Touches reports whether next begins where t ends, with nothing in between.
func (t Token) Touches(next Token) bool { return t.End == next.Start }

// Opens reports whether the token is an opening bracket, and which one closes it.
func (t Token) Opens() (closer byte, ok bool) {
	if t.Kind != Punct || len(t.Text) != 1 {
		return 0, false
	}
	switch t.Text[0] {
	case '(':
		return ')', true
	case '[':
		return ']', true
	case '{':
		return '}', true
	}
	return 0, false
}

// Closes reports whether the token is a closing bracket.
func (t Token) Closes() bool {
	return t.Kind == Punct && len(t.Text) == 1 && (t.Text == ")" || t.Text == "]" || t.Text == "}")
}

// EndsOperand reports whether an expression can end with the token, so that
// another operand can't follow it.
func (t Token) EndsOperand() bool {
	switch t.Kind {
	case Name:
		return !Reserved(t.Text)
	case Number, String:
		return true
	}
	return t.Closes()
}

// BeginsOperand reports whether the token can only be the beginning of another
// operand: a name or a literal, but not a bracket, which may be a call.
func (t Token) BeginsOperand() bool {
	return t.Kind == Name && !Reserved(t.Text) || t.Kind == Number || t.Kind == String
}

// Reserved reports whether Starlark keeps word for itself, so that nothing can
// be named so: its keywords, and the words of Python that it has set aside.
func Reserved(word string) bool {
	switch word {
	case "and", "break", "continue", "def", "elif", "else", "for", "if", "in",
		"lambda", "load", "not", "or", "pass", "return", "while",
		"as", "async", "await", "class", "del", "except", "finally", "from",
		"global", "import", "is", "nonlocal", "raise", "try", "with", "yield":
		return true
	}
	return false
}

// beginsStatement reports whether word stands only at the beginning of a
// statement, so that at the beginning of a line it can't be inside brackets.
func beginsStatement(word string) bool {
	switch word {
	case "break", "continue", "def", "elif", "load", "pass", "return", "while":
		return true
	}
	return false
}
