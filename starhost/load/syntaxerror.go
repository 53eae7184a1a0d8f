package load

import (
	"errors"
	"strings"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// portionOf is the whole of a text.
func portionOf(text []byte) syntax.FilePortion {
	return syntax.FilePortion{Content: text, FirstLine: 1, FirstCol: 1}
}

// grammarProblem words one of the parser's errors for an author, and puts it under
// the token that the parser stopped at.
func grammarProblem(name string, in syntax.FilePortion, err error) *engine.Problem {
	var e syntax.Error
	if !errors.As(err, &e) {
		return &engine.Problem{Code: "syntax", Message: err.Error(), At: engine.Label{Span: startOf(name)}}
	}
	p := &engine.Problem{Code: "syntax"}
	p.Message, p.Help = splitRemedy(e.Msg)
	found := stoppedAt(in, e)
	p.At.Span = found.span(name)
	if got, is := strings.CutPrefix(e.Msg, "got "); is {
		got, want, _ := strings.Cut(got, ", want ")
		p.Message = "unexpected " + tokenName(got, found.token)
		p.At.Text = "expected " + tokenName(want, tokens.Token{})
	}
	mend(p, e.Msg, grammarRemedies)
	if p.Code == "unclosed-string" && strings.HasPrefix(strings.TrimLeft(found.token.Text, "rb"), "'''") {
		p.Help = "close it with the `'''` it began with"
	}
	if strings.Contains(e.Msg, "want indent") && found.header.Line > 0 {
		p.At = engine.Label{Span: spanOf(name, found.header), Text: "nothing is indented below"}
	}
	return p
}

// A stop is where the parser stopped. A token that isn't known is zero.
type stop struct {
	pos    syntax.Position
	token  tokens.Token // what it stopped at
	header tokens.Token // the last one on the line of code before that
}

// stoppedAt finds the token. The parser mostly gives the place behind it, which
// for the end of a line is on another line.
func stoppedAt(in syntax.FilePortion, e syntax.Error) stop {
	found := stop{pos: e.Pos}
	behind := isBehind(e.Msg)
	scan := tokens.New(string(in.Content))
	var last tokens.Token
	for t := scan.Next(); t.Kind != tokens.EOF; t = scan.Next() {
		move(&t, in)
		if behind && t.Kind == tokens.Newline && !isAtLineEnd(e.Msg) {
			continue
		}
		switch {
		case behind && beyond(t.EndLine, t.EndCol, e.Pos):
			found.token = last
			return found
		case !behind && t.Line == e.Pos.Line && t.Col == e.Pos.Col:
			found.token = t
			return found
		case !behind && beyond(t.Line, t.Col, e.Pos):
			return found
		}
		if t.Kind == tokens.Newline {
			found.header = last
		}
		last = t
	}
	if behind {
		found.token = last
	}
	return found
}

// span is the token's, as far as it is on one line.
func (s stop) span(name string) engine.Span {
	if s.token.Line == 0 {
		pos := syntax.MakePosition(&name, s.pos.Line, s.pos.Col)
		return engine.Span{Start: pos, End: pos}
	}
	return spanOf(name, s.token)
}

func spanOf(name string, t tokens.Token) engine.Span {
	start := syntax.MakePosition(&name, t.Line, t.Col)
	if t.EndLine != t.Line {
		return engine.Span{Start: start, End: start}
	}
	return engine.Span{Start: start, End: syntax.MakePosition(&name, t.EndLine, t.EndCol)}
}

// isBehind reports whether the parser's message comes with the place behind the
// token that it is about.
func isBehind(msg string) bool {
	if strings.HasPrefix(msg, "got ") {
		return !strings.HasSuffix(msg, "want primary expression")
	}
	for _, begins := range []string{
		"not an identifier", "first operand of load", "load operand", "original name of", "keyword argument must have form",
		"excessive nesting", "stray backslash", "obsolete form of octal",
	} {
		if strings.HasPrefix(msg, begins) {
			return true
		}
	}
	return strings.Contains(msg, "does not associate")
}

// isAtLineEnd reports whether the token that the message is about has no text.
func isAtLineEnd(msg string) bool {
	for _, name := range []string{"got newline", "got indent", "got outdent", "got end of file"} {
		if strings.HasPrefix(msg, name) {
			return true
		}
	}
	return strings.Contains(msg, "want indent")
}

// move puts a token where it is in the file.
func move(t *tokens.Token, in syntax.FilePortion) {
	if t.Line == 1 {
		t.Col += in.FirstCol - 1
	}
	if t.EndLine == 1 {
		t.EndCol += in.FirstCol - 1
	}
	t.Line += in.FirstLine - 1
	t.EndLine += in.FirstLine - 1
}

func beyond(line, col int32, p syntax.Position) bool {
	return line > p.Line || line == p.Line && col > p.Col
}

// tokenName is what the parser calls a token, for people; t is the token, if there
// is one to quote.
func tokenName(name string, t tokens.Token) string {
	switch name {
	case "newline":
		return "end of line"
	case "indent":
		return "indentation"
	case "outdent":
		return "end of the indented block"
	case "end of file":
		return "end of the statement"
	case "primary expression":
		return "a value"
	case "identifier", "int literal", "float literal", "string literal":
		if t.Text != "" && len(t.Text) <= 40 && t.EndLine == t.Line {
			return t.Text
		}
		if name == "identifier" {
			return "a name"
		}
	}
	return name
}

// A remedy is what to write where the parser or the resolver says something.
type remedy struct {
	says                string // part of its message
	code, message, help string // "" leaves what is there
}

// mend says a problem in our words, by the first remedy for what was said.
func mend(p *engine.Problem, said string, remedies []remedy) {
	for _, r := range remedies {
		if !strings.Contains(said, r.says) {
			continue
		}
		if r.code != "" {
			p.Code = r.code
		}
		if r.message != "" {
			p.Message = r.message
		}
		p.Help = r.help
		return
	}
}

var grammarRemedies = []remedy{
	{says: "excessive nesting", code: "too-large", message: "this is nested too deeply", help: "give the inner parts names of their own"},
	{says: "unindent does not match", message: "this line is indented like none of the lines above it", help: "indent the lines of one block alike, with spaces or with tabs"},
	{says: "want indent", message: "a body must follow this line", help: "indent the lines that belong to it, or write `pass`"},
	{says: "got indent", help: "this line is indented further than the one before it"},
	{says: "unexpected EOF in string", code: "unclosed-string", message: "this text is never closed", help: "close it with the `\"\"\"` it began with"},
	{says: "unexpected newline in string", code: "unclosed-string", message: "this text is not closed on its line", help: "close it with the quote it began with; text over several lines wants `\"\"\"`"},
	{says: "invalid escape sequence", help: "write `\\\\` for a backslash, or `r\"...\"` for text without escapes"},
	{says: "not an identifier", message: "a name is wanted here"},
	{says: "invalid int literal", help: "a number has no leading zeros; an octal one begins with `0o`"},
	{says: "unexpected ')'", help: "no `(` is open here"},
	{says: "unexpected ']'", help: "no `[` is open here"},
	{says: "unexpected '}'", help: "no `{` is open here"},
	{says: "stray backslash", message: "a stray backslash", help: "a backslash continues a line only when it is the last character on it"},
	{says: "got '=', want", help: "a comparison is written `==`"},
	{says: "want ':'", help: "a line of def, if, for or while ends with a colon"},
	{says: "keyword argument must have form", message: "an argument's name is a plain name", help: "write `f(x = 1)`"},
	{says: "does not associate", message: "comparisons can't be chained", help: "write both: `a < b and b < c`"},
	{says: "conditional expression without else", message: "this `if` has no `else`", help: "write both values: `a if condition else b`"},
	{says: "unparenthesized tuple with trailing comma", message: "a comma without anything behind it", help: "drop the comma, or write the tuple in parentheses: `(x,)`"},
	{says: "first operand of load", message: "load() wants the path of a file first", help: "write `load(\"lib/stock.star\", \"check\")`"},
	{says: "load operand must be", message: "load() wants names in quotes", help: "write `load(\"lib/stock.star\", \"check\")`, or `load(\"lib/stock.star\", my_check = \"check\")`"},
	{says: "original name of loaded symbol", message: "load() wants names in quotes", help: "write `load(\"lib/stock.star\", my_check = \"check\")`"},
	{says: "must import at least 1", message: "this load() names nothing to load", help: "write `load(\"lib/stock.star\", \"check\")`"},
}
