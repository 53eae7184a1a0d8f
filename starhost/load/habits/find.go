package habits

import (
	"fmt"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// Find gives the habits in a file in the order in which they stand. Annotations
// belong to the language and are none. The code of each problem is a short
// stable name, such as no-f-strings, and its span covers what is to be replaced,
// as far as that can be told.
//
// Of a file with very many, the first are told. Find takes time in proportion
// to the file's length.
func Find(filename string, src []byte) []*engine.Problem {
	f := &finder{file: &filename, src: string(src)}
	f.scan = tokens.New(f.src)
	f.newLine()
	for len(f.problems) < mostProblems && f.next() {
	}
	engine.SortProblems(f.problems)
	return f.problems
}

// mostProblems is how many habits of a file are told. Nobody reads more.
const mostProblems = 100

// A finder goes through the tokens of a file once.
type finder struct {
	file  *string
	src   string
	scan  *tokens.Scanner
	queue []tokens.Token // what peek has read

	// The tokens at hand, of one logical line: those behind are empty at its
	// beginning.
	before, prev, cur tokens.Token

	stmt   statement
	class  tokens.Token // the last class whose body did not end yet
	member int32        // the column of its body; 0: not seen yet
	frames []frame      // the open brackets; frames[0] is the statement itself

	line       []*engine.Problem // of the logical line at hand
	broken     bool              // the line holds a string without an end
	odd        bool              // an odd character in the line was told
	skip       bool              // the rest of the line is not Starlark
	run        *engine.Problem   // the last string that stood beside another
	decorators []decorator
	problems   []*engine.Problem
}

// next looks at one more token. It is false at the end of the file.
func (f *finder) next() bool {
	switch t := f.read(); t.Kind {
	case tokens.EOF:
		f.endLine()
		f.decorate()
		return false
	case tokens.Newline:
		f.endLine()
	default:
		f.cur = t
		f.token()
		f.before, f.prev = f.prev, t
	}
	return true
}

func (f *finder) read() tokens.Token {
	if len(f.queue) == 0 {
		return f.scan.Next()
	}
	t := f.queue[0]
	f.queue = append(f.queue[:0], f.queue[1:]...)
	return t
}

// peek is the n-th token behind the one at hand, from 0.
func (f *finder) peek(n int) tokens.Token {
	for len(f.queue) <= n {
		f.queue = append(f.queue, f.scan.Next())
	}
	return f.queue[n]
}

// token looks for everything that can begin with the token at hand.
func (f *finder) token() {
	t := f.cur
	if f.skip {
		return
	}
	f.broken = f.broken || t.Broken
	if len(f.line) == mostProblems {
		return
	}
	if f.stmt.fresh {
		f.beginStatement()
	} else if f.collected() {
		return
	}
	switch t.Kind {
	case tokens.String:
		f.string()
	case tokens.Number:
		f.number()
	case tokens.Illegal:
		f.illegal()
	case tokens.Name:
		f.name()
	}
	f.stmt.follow(f)
	f.structure()
}

// collected takes the token for a decorator or an import, of which no part is
// looked at on its own.
func (f *finder) collected() bool {
	const most = 200 // an unclosed bracket can make the line endless
	switch s := &f.stmt; {
	case s.first.Text == "@":
		f.decorators[len(f.decorators)-1].collect(f.cur)
	case len(s.names) > 0 && f.cur.Is(";"):
		f.endStatement()
	case len(s.names) > 0:
		if len(s.names) < most {
			s.names = append(s.names, f.cur)
		}
	default:
		return false
	}
	return true
}

func (f *finder) newLine() {
	f.before, f.prev, f.cur = tokens.Token{}, tokens.Token{}, tokens.Token{}
	f.line, f.broken, f.odd, f.skip, f.run = nil, false, false, false, nil
	f.newStatement()
}

func (f *finder) endLine() {
	f.endStatement()
	if !f.broken {
		f.settle(f.line...)
	}
	f.newLine()
}

// report adds a habit that stands from one token to another to the line's.
func (f *finder) report(code string, from, to tokens.Token, message, help string) *engine.Problem {
	p := f.problem(code, from, to, message, help)
	if len(f.line) < mostProblems {
		f.line = append(f.line, p)
	}
	return p
}

func (f *finder) problem(code string, from, to tokens.Token, message, help string) *engine.Problem {
	return &engine.Problem{Code: code, Message: message, At: engine.Label{Span: f.span(from, to)}, Help: help}
}

// settle adds habits that are certain to those of the file.
func (f *finder) settle(found ...*engine.Problem) {
	room := mostProblems - len(f.problems)
	f.problems = append(f.problems, found[:min(len(found), room)]...)
}

func (f *finder) span(from, to tokens.Token) engine.Span {
	return engine.Span{
		Start: syntax.MakePosition(f.file, from.Line, from.Col),
		End:   syntax.MakePosition(f.file, to.EndLine, to.EndCol),
	}
}

// text is the source from one token to another for a message, or other where it
// is too long or spans lines.
func (f *finder) text(from, to tokens.Token, other string) string {
	const longest = 60
	if from.Line != to.EndLine || to.End-from.Start > longest || to.End <= from.Start {
		return other
	}
	return f.src[from.Start:to.End]
}

// sprintf is for helps that are put together.
func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }
