package annotate

import (
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// result reads from the arrow up to the colon of the def. closer is the
// parenthesis before the arrow.
func (s *signature) result(closer tokens.Token) {
	r := result{closer: closer, arrow: s.next()}
	s.frames, s.param = append(s.frames[:0], frame{}), param{phase: inType}
	for {
		switch t := s.peek(); {
		case t.Kind == tokens.EOF, t.Kind == tokens.Newline:
			s.unclosedFrom(1)
			if len(s.frames) == 1 && r.first.End != 0 {
				s.noColon(r)
			}
			s.finishResult(r, ":")
			return
		case len(s.frames) > deepest:
			s.tooDeep(t)
			s.finishResult(r, "")
			return
		case t.Is(":") && len(s.frames) == 1 && s.top().lambdas == 0:
			s.finishResult(r, "")
			return
		}
		t := s.next()
		if t.Is(":") && s.endsLine() {
			s.unclosedFrom(1)
			s.scan.SetDepth(0)
			s.finishResult(r, "")
			return
		}
		switch _, opens := t.Opens(); {
		case opens:
			s.push(t)
		case t.Closes():
			if !s.pop(t) {
				s.finishResult(r, "")
				return
			}
		case t.Is("lambda"):
			s.top().lambdas++
		case t.Is(":") && s.top().lambdas > 0:
			s.top().lambdas--
		}
		r.take(s, t)
	}
}

// endsLine reports whether the colon just read ends the line of the def, with
// brackets of the type still open: no type has a colon at the end of a line but
// within braces, or behind a lambda.
func (s *signature) endsLine() bool {
	if top := s.top(); top.closer == '}' || top.lambdas > 0 {
		return false
	}
	after := s.peek()
	return after.First || after.Kind == tokens.Newline
}

// A result is what was read of the type behind the arrow.
type result struct{ closer, arrow, first, last tokens.Token }

func (r *result) take(s *signature, t tokens.Token) {
	if r.first.End == 0 {
		r.first = t
	}
	r.last = t
	if t.Broken {
		s.brokenString(t)
	}
}

func (s *signature) noColon(r result) {
	s.report("missing-colon", fmt.Sprintf("there is no colon at the end of `def %s`", s.name),
		engine.Label{Span: engine.Span{Start: s.end(r.last), End: s.end(r.last)}, Text: "a colon is missing here"},
		fmt.Sprintf("write `-> %s:`", s.oneLine(r.first, r.last)))
}

// finishResult replaces the arrow and the type. Where they span lines, the
// parenthesis moves behind them: newlines count outside of brackets.
func (s *signature) finishResult(r result, tail string) {
	if r.first.End == 0 {
		s.edits = append(s.edits, edit{start: r.arrow.Start, end: r.arrow.End, tail: tail})
		s.report("missing-type", "no type follows the arrow", engine.Label{Span: s.span(r.arrow, r.arrow)},
			"write `-> str:`, or leave the arrow out")
		return
	}
	start := r.arrow.Start
	if r.closer.Line != r.last.EndLine {
		start, tail = r.closer.Start, ")"+tail
	}
	s.edits = append(s.edits, edit{start: start, end: r.last.End, tail: tail})
	if !s.param.broken {
		s.annotate("", r.arrow, r.first, r.last)
	}
}
