package annotate

import (
	"bytes"
	"unicode/utf8"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// Rewrite replaces every annotation in the file by spaces, one for each rune;
// line ends stay. So text has the lines and columns of src, and is plain
// Starlark where src is Starlark with annotations. Without annotations text is
// src itself. A file that does not parse is rewritten as far as its defs can be
// read, and what is wrong with it otherwise is left to the parser.
//
// The problems are those of which the parser would not find, or not understand,
// the cause. Their text is replaced too, so that the parser does not report it
// again in its own words.
func Rewrite(filename string, src []byte) (text []byte, annotations []Annotation, problems []*engine.Problem) {
	defs := bytes.Count(src, []byte("def"))
	if defs == 0 {
		return src, nil, nil
	}
	r := &rewriter{
		file:        &filename,
		src:         string(src),
		edits:       make([]edit, 0, defs),
		annotations: make([]Annotation, 0, defs),
	}
	r.scan = tokens.New(r.src)
	for t := r.next(); t.Kind != tokens.EOF; t = r.next() {
		if t.Is("def") {
			r.def(t)
		}
	}
	if len(r.edits) == 0 {
		return src, nil, r.problems
	}
	return r.text(src), r.annotations, r.problems
}

// A rewriter walks the tokens once. The token it may look ahead is read no
// earlier than asked for, since closing a bracket can change what it is.
type rewriter struct {
	file  *string
	src   string
	scan  *tokens.Scanner
	ahead tokens.Token
	has   bool // ahead has been read

	frames []frame // room for the brackets of the def at hand

	edits       []edit
	annotations []Annotation
	problems    []*engine.Problem
}

// An edit replaces the runes from start up to end by spaces, and writes tail
// over the last of them.
type edit struct {
	start, end int
	tail       string
}

func (r *rewriter) peek() tokens.Token {
	if !r.has {
		r.ahead, r.has = r.scan.Next(), true
	}
	return r.ahead
}

func (r *rewriter) next() tokens.Token {
	if r.has {
		r.has = false
		return r.ahead
	}
	return r.scan.Next()
}

// def reads a function's head from behind its keyword up to the colon.
func (r *rewriter) def(def tokens.Token) {
	if name := r.peek(); name.Kind != tokens.Name || tokens.Reserved(name.Text) {
		return
	}
	name := r.next()
	if !r.peek().Is("(") {
		return
	}
	s := &signature{rewriter: r, def: r.start(def), name: name.Text, frames: r.frames[:0]}
	s.push(r.next())
	if closer, ok := s.params(); ok && r.peek().Is("->") {
		s.result(closer)
	}
	r.frames = s.frames
}

// text is src with the edits made. The edits are in the order of the file and
// do not overlap. A tail is left out where there is no room for it on the line.
func (r *rewriter) text(src []byte) []byte {
	out := make([]byte, 0, len(src))
	at := 0
	for _, e := range r.edits {
		out = append(out, src[at:e.start]...)
		from := len(out)
		out = blank(out, src[e.start:e.end])
		if room := out[max(from, len(out)-len(e.tail)):]; string(room) == "  "[:len(e.tail)] {
			copy(room, e.tail)
		}
		at = e.end
	}
	return append(out, src[at:]...)
}

// blank appends a space for every rune of src, and its line ends.
func blank(out, src []byte) []byte {
	for len(src) > 0 {
		if c := src[0]; c == '\n' || c == '\r' {
			out, src = append(out, c), src[1:]
			continue
		}
		_, size := utf8.DecodeRune(src)
		out, src = append(out, ' '), src[size:]
	}
	return out
}

func (r *rewriter) start(t tokens.Token) syntax.Position {
	return syntax.MakePosition(r.file, t.Line, t.Col)
}

func (r *rewriter) end(t tokens.Token) syntax.Position {
	return syntax.MakePosition(r.file, t.EndLine, t.EndCol)
}

func (r *rewriter) span(from, to tokens.Token) engine.Span {
	return engine.Span{Start: r.start(from), End: r.end(to)}
}

// mostProblems is how many problems of a file are told. Nobody reads more, and
// a file of nothing else should not cost more.
const mostProblems = 100

// full says that no more problems are told, so that they need not be written.
func (r *rewriter) full() bool { return len(r.problems) == mostProblems }

func (r *rewriter) report(code, message string, at engine.Label, help string, also ...engine.Label) {
	if !r.full() {
		r.problems = append(r.problems, &engine.Problem{Code: code, Message: message, At: at, Help: help, Also: also})
	}
}
