package load

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// maxGrammarErrors is how many grammar errors of one file are looked for; each
// costs another parse.
const maxGrammarErrors = 20

// dialect is the Starlark that scripts are written in.
func dialect() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
}

// parse parses a file. Starlark's parser stops at its first error, so the
// statement with the error is blanked, newlines kept, and the file parsed again:
// one error for each statement at the top of the file. Statements on which
// habits has spoken already get no second word.
func parse(name string, text []byte, habits []*engine.Problem) (*syntax.File, []*engine.Problem) {
	statements := topLevel(string(text))
	problems := unclosed(name, statements)
	for range maxGrammarErrors {
		file, err := dialect().Parse(name, text, 0)
		if err == nil {
			if len(problems) > 0 || mentioned(habits, statements) {
				return nil, problems
			}
			return file, nil
		}
		var bad syntax.Error
		if !errors.As(err, &bad) {
			return nil, append(problems, &engine.Problem{Code: "syntax", Message: err.Error(), At: engine.Label{Span: startOf(name)}})
		}
		at := statementAt(statements, bad.Pos.Line)
		if at < 0 {
			return nil, append(problems, grammarProblem(bad))
		}
		s := &statements[at]
		if !s.blanked && !s.unclosed && !spoken(habits, s) {
			problems = append(problems, grammarProblem(bad))
		}
		if s.blanked {
			return nil, problems
		}
		s.blanked = true
		text = blank(text, s.start, s.end)
	}
	return nil, problems
}

// A statement is one at the top of a file, from its first line to its last.
type statement struct {
	firstLine, lastLine int32
	start, end          int // byte offsets
	opener              *tokens.Token
	unclosed, blanked   bool
}

// topLevel splits a file into the statements at its top.
func topLevel(text string) []statement {
	var list []statement
	var open []tokens.Token
	scan := tokens.New(text)
	fresh := true // the next token begins a line of code
	for {
		t := scan.Next()
		if t.Kind == tokens.EOF {
			break
		}
		if fresh && t.Col == 1 && t.Kind != tokens.Newline && !t.Is("else") && !t.Is("elif") {
			list = append(list, statement{firstLine: t.Line, start: t.Start})
		}
		fresh = t.Kind == tokens.Newline
		if len(list) == 0 {
			list = append(list, statement{firstLine: t.Line, start: t.Start})
		}
		s := &list[len(list)-1]
		s.lastLine, s.end = max(s.lastLine, t.EndLine), max(s.end, t.End)
		switch _, opens := t.Opens(); {
		case opens:
			open = append(open, t)
		case t.Closes() && len(open) > 0:
			open = open[:len(open)-1]
		case t.Kind == tokens.Newline:
			if t.Broken && len(open) > 0 {
				opener := open[len(open)-1]
				s.opener, s.unclosed = &opener, true
			}
			open = open[:0]
		}
	}
	return list
}

// unclosed reports brackets that are still open where a new statement begins.
func unclosed(name string, statements []statement) []*engine.Problem {
	var problems []*engine.Problem
	for i := range statements {
		s := &statements[i]
		if !s.unclosed {
			continue
		}
		pos := syntax.MakePosition(&name, s.opener.Line, s.opener.Col)
		closer, _ := s.opener.Opens()
		problems = append(problems, &engine.Problem{
			Code:    "unclosed",
			Message: fmt.Sprintf("this %s is never closed", s.opener.Text),
			At:      engine.Label{Span: engine.At(pos, s.opener.Text), Text: "opened here"},
			Help:    fmt.Sprintf("close it with %c", closer),
		})
		if len(problems) == maxGrammarErrors {
			break
		}
	}
	return problems
}

func statementAt(statements []statement, line int32) int {
	found := -1
	for i := range statements {
		if statements[i].firstLine <= line {
			found = i
		}
	}
	return found
}

// spoken reports whether a habit was reported within the statement.
func spoken(habits []*engine.Problem, s *statement) bool {
	for _, h := range habits {
		if line := h.At.Span.Start.Line; s.firstLine <= line && line <= s.lastLine {
			return true
		}
	}
	return false
}

// mentioned reports whether a blanked statement went without a word, because a
// habit had its own.
func mentioned(habits []*engine.Problem, statements []statement) bool {
	for i := range statements {
		if statements[i].blanked && (statements[i].unclosed || spoken(habits, &statements[i])) {
			return true
		}
	}
	return false
}

// blank overwrites text[start:end] with spaces, so that nothing else moves.
func blank(text []byte, start, end int) []byte {
	out := bytes.Clone(text)
	for i := start; i < end && i < len(out); i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
	return out
}

// grammarProblem words one of the parser's errors for an author.
func grammarProblem(e syntax.Error) *engine.Problem {
	msg := strings.TrimPrefix(e.Msg, "got ")
	p := &engine.Problem{Code: "syntax", Message: e.Msg, At: engine.Label{Span: engine.Span{Start: e.Pos, End: e.Pos}}}
	if msg != e.Msg {
		got, want, ok := strings.Cut(msg, ", want ")
		p.Message = "unexpected " + got
		if ok {
			p.At.Text = "expected " + want
		}
	}
	switch {
	case strings.Contains(e.Msg, "unindent does not match"), strings.Contains(e.Msg, "inconsistent indentation"):
		p.Help = "indent the lines of one block alike, with spaces or with tabs"
	case strings.Contains(e.Msg, "want indent"):
		p.Help = "indent the body, or write `pass`"
	case strings.Contains(e.Msg, "got indent"):
		p.Help = "this line is indented further than the one before it"
	case strings.Contains(e.Msg, "unexpected EOF in string"), strings.Contains(e.Msg, "unexpected newline in string"):
		p.Code, p.Help = "open-string", `close the text with the quote it began with; text over several lines wants """`
	case strings.Contains(e.Msg, "invalid escape sequence"):
		p.Help = `write \\ for a backslash, or r"..." for text without escapes`
	case strings.Contains(e.Msg, "got '=', want"):
		p.Help = "a comparison is written =="
	case strings.Contains(e.Msg, "want ':'"):
		p.Help = "a def, if, for or while line ends with a colon"
	case strings.Contains(e.Msg, "keyword argument"), strings.Contains(e.Msg, "positional argument"):
		p.Help = "arguments without a name come first: f(1, x = 2)"
	}
	return p
}
