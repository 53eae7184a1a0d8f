package load

import (
	"fmt"
	"strings"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// maxGrammarErrors is how many grammar errors of one file are told.
const maxGrammarErrors = 20

// dialect is the Starlark that scripts are written in.
func dialect() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
}

// A parsed is what could be read of a file.
type parsed struct {
	file *syntax.File // all statements, or those that are well formed
	// whole says that nothing was left out. What was left out may define names,
	// so the words in it are not undefined elsewhere.
	whole bool
	words map[string]bool
	// tooLarge are the lines of statements that may not even be parsed.
	tooLarge []lines
}

// lines are those from the first to the last.
type lines struct{ first, last int32 }

func (l lines) has(line int32) bool { return l.first <= line && line <= l.last }

// parse parses a file, whose text is as Rewrite made it. Starlark's parser stops at
// its first error, so when there is one the statements at the top of the file are
// parsed one by one: an error for each, and a tree of the others. Statements on
// which habits have spoken already get no second word, and those that large is
// about are not parsed at all.
func parse(name string, text []byte, habits, large []*engine.Problem) (*parsed, []*engine.Problem) {
	p := &parsed{file: &syntax.File{Path: name, Options: dialect()}, words: map[string]bool{}}
	statements := topLevel(name, string(text))
	var problems []*engine.Problem
	for i := range statements {
		s := &statements[i]
		if at := about(large, s.lines); at != nil {
			s.problem = at
			p.tooLarge = append(p.tooLarge, s.lines)
		}
		if s.problem != nil {
			problems = append(problems, s.problem)
		}
	}
	var err error
	if len(problems) == 0 {
		var file *syntax.File
		if file, err = dialect().Parse(name, text, 0); err == nil {
			return &parsed{file: file, whole: true}, nil
		}
	}
	left := 0
	for i := range statements {
		s := &statements[i]
		problem := s.parse(p, name, text)
		if problem == nil {
			continue
		}
		left++
		p.leave(string(text[s.start:s.end]))
		if s.problem == nil && about(habits, s.lines) == nil {
			problems = append(problems, problem)
		}
	}
	if left == 0 && err != nil { // only the file as a whole is wrong
		problems = append(problems, grammarProblem(name, portionOf(text), err))
	}
	return p, atMost(maxGrammarErrors, problems)
}

// atMost cuts a list of problems, and says so at the last one.
func atMost(n int, problems []*engine.Problem) []*engine.Problem {
	if len(problems) <= n {
		return problems
	}
	last := problems[n-1]
	last.Notes = append(last.Notes, fmt.Sprintf("this file has %d more problems, which are not shown", len(problems)-n))
	return problems[:n]
}

// parse adds the statement to the tree, or says what is wrong with it.
func (s *statement) parse(p *parsed, name string, text []byte) *engine.Problem {
	if s.problem != nil {
		return s.problem
	}
	portion := syntax.FilePortion{Content: text[s.start:s.end], FirstLine: s.first, FirstCol: s.firstCol}
	file, err := dialect().Parse(name, portion, 0)
	if err != nil {
		return grammarProblem(name, portion, err)
	}
	p.file.Stmts = append(p.file.Stmts, file.Stmts...)
	return nil
}

// leave remembers the words of a statement that is left out.
func (p *parsed) leave(text string) {
	scan := tokens.New(text)
	for t := scan.Next(); t.Kind != tokens.EOF; t = scan.Next() {
		switch t.Kind {
		case tokens.Name:
			p.words[t.Text] = true
		case tokens.String: // load("lib.star", "check")
			p.words[strings.Trim(t.Text, `"'`)] = true
		}
	}
}

// A statement is one at the top of a file, from its first token to the end of
// its last line.
type statement struct {
	lines
	firstCol   int32
	start, end int             // byte offsets
	problem    *engine.Problem // it needs no parser to see this
}

// topLevel splits a file into the statements at its top.
func topLevel(name, text string) []statement {
	var list []statement
	var open []tokens.Token
	scan := tokens.New(text)
	fresh := true // the next token begins a line of code
	for {
		t := scan.Next()
		if t.Kind == tokens.EOF {
			break
		}
		begins := fresh && t.Col == 1 && t.Kind != tokens.Newline && !t.Is("else") && !t.Is("elif")
		if begins || len(list) == 0 {
			list = append(list, statement{lines: lines{first: t.Line}, firstCol: t.Col, start: t.Start})
		}
		fresh = t.Kind == tokens.Newline
		s := &list[len(list)-1]
		s.last, s.end = max(s.last, t.EndLine), max(s.end, t.End)
		switch _, opens := t.Opens(); {
		case opens:
			open = append(open, t)
		case t.Closes() && len(open) > 0:
			open = open[:len(open)-1]
		case t.Kind == tokens.Newline:
			if t.Broken && len(open) > 0 && s.problem == nil {
				s.problem = unclosed(name, open[len(open)-1])
			}
			open = open[:0]
		}
	}
	for i := range list { // to the end of the line, for the parser to end there
		s := &list[i]
		for s.end < len(text) && text[s.end-1] != '\n' && text[s.end-1] != '\r' {
			s.end++
		}
	}
	return list
}

// unclosed is the problem of a bracket that is still open where a new statement
// begins.
func unclosed(name string, opener tokens.Token) *engine.Problem {
	closer, _ := opener.Opens()
	pos := syntax.MakePosition(&name, opener.Line, opener.Col)
	return &engine.Problem{
		Code:    "unclosed-bracket",
		Message: fmt.Sprintf("this `%s` is never closed", opener.Text),
		At:      engine.Label{Span: engine.At(pos, opener.Text), Text: "opened here"},
		Help:    fmt.Sprintf("close it with `%c`", closer),
	}
}

// about is the first of the problems that lies within the lines, or nil.
func about(problems []*engine.Problem, within lines) *engine.Problem {
	for _, p := range problems {
		if within.has(p.At.Span.Start.Line) {
			return p
		}
	}
	return nil
}
