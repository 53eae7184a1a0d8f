package annotate

import (
	"fmt"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// A signature reads the parameters and the result of one def. Brackets are kept
// in a slice, so depth costs memory and no stack.
type signature struct {
	*rewriter
	def    syntax.Position
	name   string
	frames []frame
	param  param
}

// A frame is an open bracket, kept small since hostile files have many.
type frame struct {
	start, line, col int32
	closer           byte
	lambdas          int32 // those whose colon is still to come
}

// deepest is how many brackets the parser lets nest. A signature that nests more
// is left to it.
const deepest = 1000

// A param is what was read of the parameter at hand.
type param struct {
	phase              phase
	star, name         tokens.Token
	colon, first, last tokens.Token // of the type
	broken             bool         // the type holds a string or a bracket without an end, which was told
}

type phase uint8

const (
	inName    phase = iota
	inType          // behind the colon
	inDefault       // behind the =
	inLate          // behind a colon that follows a default
)

func (s *signature) push(open tokens.Token) {
	closer, _ := open.Opens()
	s.frames = append(s.frames, frame{start: int32(open.Start), line: open.Line, col: open.Col, closer: closer})
}

func (s *signature) top() *frame { return &s.frames[len(s.frames)-1] }

// pop closes the bracket that closer belongs to, and reports those within it
// that have no end. It is false, and does nothing, when there is no such bracket.
func (s *signature) pop(closer tokens.Token) bool {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if s.frames[i].closer != closer.Text[0] {
			continue
		}
		s.unclosedFrom(i + 1)
		s.frames = s.frames[:i]
		return true
	}
	return false
}

// params reads up to the parenthesis that closes the parameters. It is false
// when there is none.
func (s *signature) params() (closer tokens.Token, ok bool) {
	for {
		switch t := s.peek(); {
		case t.Kind == tokens.EOF, t.Kind == tokens.Newline:
			if s.param.first.End != 0 {
				s.unclosed(s.frames[0], fmt.Sprintf("the parenthesis of `def %s` is not closed", s.name))
			}
			s.finish("):")
			return t, false
		case len(s.frames) > deepest:
			s.tooDeep(t)
			s.finish("")
			return t, false
		}
		t := s.next()
		switch _, opens := t.Opens(); {
		case opens:
			s.take(t)
			s.push(t)
		case !t.Closes():
			if s.separate(t) {
				return t, false
			}
		case !s.pop(t):
			s.finish("")
			return t, false
		case len(s.frames) == 0:
			s.scan.SetDepth(0)
			s.finish("")
			return t, true
		default:
			s.take(t)
		}
	}
}

// separate looks at a token that is no bracket. It is true where the parameters
// have ended without one.
func (s *signature) separate(t tokens.Token) (ended bool) {
	switch top := s.top(); {
	case t.Is("lambda"):
		top.lambdas++
		s.take(t)
	case top.lambdas > 0:
		if t.Is(":") {
			top.lambdas--
		}
		s.take(t)
	case len(s.frames) > 1:
		s.take(t)
	case t.Is(","):
		s.finish("")
		s.param = param{}
	case t.Is("="):
		s.finish("")
		s.param = param{phase: inDefault, star: s.param.star, name: s.param.name}
	case t.Is(":") && s.param.phase != inName && s.peek().First:
		s.scan.SetDepth(0)
		s.openAt(t)
		return true
	case t.Is(":"):
		s.colon(t)
	default:
		s.take(t)
	}
	return false
}

// tooDeep gives up a type with more brackets than anybody means, or the parser
// reads. Elsewhere the parser says so.
func (s *signature) tooDeep(t tokens.Token) {
	if s.param.phase == inType || s.param.phase == inLate {
		s.param.broken = true
		s.report("bad-annotation", "the brackets of this type nest too deeply",
			engine.Label{Span: s.span(t, t)}, "give its parts names of their own")
	}
}

// openAt ends parameters whose parenthesis is missing before the colon at the
// end of the def's line. Behind a default the parser says so itself.
func (s *signature) openAt(colon tokens.Token) {
	if s.param.phase == inDefault {
		return
	}
	s.report("unclosed-bracket",
		fmt.Sprintf("the parenthesis of `def %s` is not closed before the colon", s.name),
		engine.Label{Span: s.span(colon, colon), Text: "a `)` is missing here"},
		"write `):` at the end of the line",
		s.opened(s.frames[0]))
	s.finish(")")
}

func (s *signature) colon(t tokens.Token) {
	switch s.param.phase {
	case inName:
		s.param.phase, s.param.colon = inType, t
	case inDefault:
		s.param.phase, s.param.colon = inLate, t
	default:
		s.take(t)
	}
}

// take adds a token that separates nothing to the parameter at hand.
func (s *signature) take(t tokens.Token) {
	p := &s.param
	switch p.phase {
	case inName:
		if t.Kind == tokens.Name && len(s.frames) == 1 {
			p.name = t
		} else if t.Is("*") || t.Is("**") {
			p.star = t
		}
	case inType, inLate:
		if p.phase == inType && len(s.frames) == 1 && t.Kind == tokens.Name && p.last.EndsOperand() && t.BeginsOperand() && s.endsName() {
			s.noComma(t)
			return
		}
		if p.first.End == 0 {
			p.first = t
		}
		p.last = t
		if t.Broken {
			s.brokenString(t)
		}
	}
}

func (s *signature) brokenString(t tokens.Token) {
	s.param.broken = true
	s.report("unclosed-string", "the string is not closed",
		engine.Label{Span: s.span(t, t)}, "end it with the quote it begins with")
}

// endsName reports whether what follows can follow the name of a parameter.
func (s *signature) endsName() bool {
	t := s.peek()
	return t.Is(":") || t.Is("=") || t.Is(",") || t.Is(")")
}

// noComma begins a parameter that no comma separates from the type before it.
func (s *signature) noComma(t tokens.Token) {
	if last := s.param.last; !s.full() {
		s.report("missing-comma",
			fmt.Sprintf("there is no comma between the type of `%s` and `%s`", s.param.name.Text, t.Text),
			engine.Label{Span: engine.Span{Start: s.end(last), End: s.end(last)}, Text: "a comma is missing here"},
			fmt.Sprintf("write `%s: %s, %s`", s.param.name.Text, s.oneLine(s.param.first, last), t.Text))
	}
	s.finish(",")
	s.param = param{name: t}
}

// finish replaces the type of the parameter at hand, where it has one, and
// records it or says what is wrong with it.
func (s *signature) finish(tail string) {
	p := s.param
	s.param.phase = inName
	if p.phase != inType && p.phase != inLate {
		return
	}
	end := p.last
	if p.first.End == 0 {
		end = p.colon
	}
	s.edits = append(s.edits, edit{start: p.colon.Start, end: end.End, tail: tail})
	if p.name.End != 0 && p.first.End != 0 && p.phase == inType {
		if !p.broken {
			s.annotate(p.name.Text, p.colon, p.first, p.last)
		}
		return
	}
	if !s.full() {
		s.noAnnotation(&p, engine.Label{Span: s.span(p.colon, end)})
	}
}

// noAnnotation says why what stands behind the colon is no annotation.
func (s *signature) noAnnotation(p *param, at engine.Label) {
	switch {
	case p.name.End == 0 && p.star.End != 0:
		s.report("annotation-without-name", fmt.Sprintf("a bare `%s` takes no type", p.star.Text), at,
			fmt.Sprintf("give it a name: `%sargs: list[str]`", p.star.Text))
	case p.name.End == 0:
		s.report("annotation-without-name", "no parameter stands before this colon", at,
			"write `NAME: TYPE`")
	case p.phase == inLate:
		s.report("late-annotation", fmt.Sprintf("the type of `%s` stands behind its default", p.name.Text), at,
			fmt.Sprintf("the type comes first: `%s: %s = DEFAULT`", p.name.Text, s.typeOr(p.first, p.last)))
	default:
		s.report("missing-type", fmt.Sprintf("no type follows the colon of `%s`", p.name.Text), at,
			fmt.Sprintf("write `%s: str`, or leave the colon out", p.name.Text))
	}
}

// annotate records an annotation that reads well so far. mark is the colon or
// the arrow.
func (s *signature) annotate(param string, mark, first, last tokens.Token) {
	s.annotations = append(s.annotations, Annotation{
		Def:   s.def,
		Func:  s.name,
		Param: param,
		Text:  s.src[first.Start:last.End],
		Pos:   s.start(mark),
		Span:  s.span(first, last),
		inner: s.src[mark.End:last.End],
		line:  mark.EndLine,
		col:   mark.EndCol - 1,
	})
}

// unclosedFrom reports the brackets from the i-th inwards, which have no end.
// Outside of types the parser does that itself.
func (s *signature) unclosedFrom(i int) {
	if s.param.phase != inType && s.param.phase != inLate {
		return
	}
	for _, f := range s.frames[i:] {
		s.param.broken = true
		if s.full() {
			return
		}
		s.unclosed(f, fmt.Sprintf("this `%c` is not closed", s.src[f.start]))
	}
}

func (s *signature) unclosed(open frame, message string) {
	s.report("unclosed-bracket", message, s.opened(open), fmt.Sprintf("close it with `%c`", open.closer))
}

func (s *signature) opened(open frame) engine.Label {
	return engine.Label{Span: engine.At(syntax.MakePosition(s.file, open.line, open.col), "("), Text: "opened here"}
}

func (s *signature) typeOr(first, last tokens.Token) string {
	if first.End == 0 {
		return "TYPE"
	}
	return s.oneLine(first, last)
}

// oneLine is a short piece of the source for a message.
func (s *signature) oneLine(first, last tokens.Token) string {
	if first.Line != last.EndLine || last.End-first.Start > 40 {
		return "TYPE"
	}
	return s.src[first.Start:last.End]
}
