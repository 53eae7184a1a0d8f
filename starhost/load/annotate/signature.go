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

// A frame is an open bracket.
type frame struct {
	open    tokens.Token
	closer  byte
	lambdas int // those whose colon is still to come
}

// A param is what was read of the parameter at hand.
type param struct {
	phase              phase
	star, name         tokens.Token
	colon, first, last tokens.Token // of the type
	broken             bool         // the type holds a string without an end
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
	s.frames = append(s.frames, frame{open: open, closer: closer})
}

func (s *signature) top() *frame { return &s.frames[len(s.frames)-1] }

// pop closes the bracket that closer belongs to, and reports those within it
// that have no end. It is false, and does nothing, when there is no such bracket.
func (s *signature) pop(closer tokens.Token) bool {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if s.frames[i].closer != closer.Text[0] {
			continue
		}
		for _, f := range s.frames[i+1:] {
			s.unclosed(f.open)
		}
		s.frames = s.frames[:i]
		return true
	}
	return false
}

// params reads up to the parenthesis that closes the parameters. It is false
// when there is none.
func (s *signature) params() (closer tokens.Token, ok bool) {
	for {
		if t := s.peek(); t.Kind == tokens.EOF || t.Kind == tokens.Newline {
			s.unclosed(s.frames[0].open)
			s.finish("):")
			return t, false
		}
		t := s.next()
		switch _, opens := t.Opens(); {
		case opens:
			s.take(t)
			s.push(t)
		case t.Closes():
			if !s.pop(t) {
				s.finish("")
				return t, false
			}
			if len(s.frames) == 0 {
				s.scan.SetDepth(0)
				s.finish("")
				return t, true
			}
			s.take(t)
		case t.Is("lambda"):
			s.top().lambdas++
			s.take(t)
		case s.top().lambdas > 0:
			if t.Is(":") {
				s.top().lambdas--
			}
			s.take(t)
		case len(s.frames) > 1:
			s.take(t)
		case t.Is(","):
			s.finish("")
			s.param = param{}
		case t.Is("="):
			s.finish("")
			s.param.phase = inDefault
		case t.Is(":"):
			if s.peek().First && s.param.phase != inName {
				s.scan.SetDepth(0)
				s.openAt(t)
				return t, false
			}
			s.colon(t)
		default:
			s.take(t)
		}
	}
}

// openAt ends parameters whose parenthesis is missing before the colon at the
// end of the def's line. Behind a default the parser says so itself.
func (s *signature) openAt(colon tokens.Token) {
	if s.param.phase == inDefault {
		return
	}
	s.report("unclosed-bracket",
		fmt.Sprintf("the parenthesis of def %s is not closed before the colon", s.name),
		engine.Label{Span: s.span(colon, colon), Text: "a ) is missing here"},
		"write ): at the end of the line",
		engine.Label{Span: s.span(s.frames[0].open, s.frames[0].open), Text: "opened here"})
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
			p.broken = true
			s.brokenString(t)
		}
	}
}

func (s *signature) brokenString(t tokens.Token) {
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
	last := s.param.last
	s.report("missing-comma",
		fmt.Sprintf("there is no comma between the type of %s and %s", s.param.name.Text, t.Text),
		engine.Label{Span: engine.Span{Start: s.end(last), End: s.end(last)}, Text: "a comma is missing here"},
		fmt.Sprintf("write %s: %s, %s", s.param.name.Text, s.oneLine(s.param.first, last), t.Text))
	s.finish(",")
	s.param = param{name: t}
}

// finish replaces the type of the parameter at hand, where it has one, and
// records it or says what is wrong with it.
func (s *signature) finish(tail string) {
	p := &s.param
	defer func() { p.phase = inName }()
	if p.phase != inType && p.phase != inLate {
		return
	}
	end := p.last
	if p.first.End == 0 {
		end = p.colon
	}
	s.edits = append(s.edits, edit{start: p.colon.Start, end: end.End, tail: tail})
	at := engine.Label{Span: s.span(p.colon, end)}
	switch {
	case p.name.End == 0 && p.star.End != 0:
		s.report("annotation-without-name", fmt.Sprintf("a bare %s takes no type", p.star.Text), at,
			fmt.Sprintf("give it a name: %sargs: list[str]", p.star.Text))
	case p.name.End == 0:
		s.report("annotation-without-name", "no parameter stands before this colon", at,
			"write NAME: TYPE")
	case p.phase == inLate:
		s.report("late-annotation", fmt.Sprintf("the type of %s stands behind its default", p.name.Text), at,
			fmt.Sprintf("the type comes first: %s: %s = DEFAULT", p.name.Text, s.typeOr(p.first, p.last)))
	case p.first.End == 0:
		s.report("missing-type", fmt.Sprintf("no type follows the colon of %s", p.name.Text), at,
			fmt.Sprintf("write %s: str, or leave the colon out", p.name.Text))
	case !p.broken:
		s.annotate(p.name.Text, p.colon, s.start(p.colon), p.first, p.last)
	}
}

// annotate records an annotation that reads well so far. Its own bracket stands
// on the last rune of mark.
func (s *signature) annotate(param string, mark tokens.Token, bracket syntax.Position, first, last tokens.Token) {
	s.annotations = append(s.annotations, Annotation{
		Def:   s.def,
		Func:  s.name,
		Param: param,
		Text:  s.src[first.Start:last.End],
		Pos:   s.start(mark),
		Span:  s.span(first, last),
		portion: syntax.FilePortion{
			Content:   []byte("(" + s.src[mark.End:last.End] + ")"),
			FirstLine: bracket.Line,
			FirstCol:  bracket.Col,
		},
	})
}

// unclosed reports a bracket without an end.
func (s *signature) unclosed(open tokens.Token) {
	message := fmt.Sprintf("this %s is not closed", open.Text)
	if open.Start == s.frames[0].open.Start {
		message = fmt.Sprintf("the parenthesis of def %s is not closed", s.name)
	}
	closer, _ := open.Opens()
	s.report("unclosed-bracket", message, engine.Label{Span: s.span(open, open), Text: "opened here"},
		fmt.Sprintf("close it with %c", closer))
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
