package engine

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"go.starlark.net/syntax"
)

// A Span is a stretch of a script: from Start up to, not including, End.
// Columns count runes from 1. A Span whose End is not after its Start is a point.
type Span struct{ Start, End syntax.Position }

// At is the span of a piece of text that starts at p and stays on its line.
func At(p syntax.Position, text string) Span {
	end := p
	end.Col += int32(utf8.RuneCountInString(text))
	return Span{Start: p, End: end}
}

// SpanOf is the span of a node of the syntax tree.
func SpanOf(n syntax.Node) Span {
	start, end := n.Span()
	return Span{Start: start, End: end}
}

// A Label is a span with a few words for its reader. Text may be empty.
type Label struct {
	Span Span
	Text string
}

// A Problem is something an author wrote that can't work, found while loading:
// what, where, and what to write instead.
type Problem struct {
	// Code is a stable short name for programs and for looking things up:
	// "unknown-parameter", "cycle".
	Code string
	// Message is one sentence, without the place.
	Message string
	// At is the place to look at first.
	At Label
	// Also holds the other places that matter: the first of two duplicates,
	// the further edges of a cycle.
	Also []Label
	// Help says what to write instead; empty when there is nothing to say.
	Help string
	// Notes add context.
	Notes []string
	// Warning marks a problem that does not stop a server from starting.
	Warning bool
}

// SortProblems orders problems by file, line and column, keeping the order of
// problems at one place.
func SortProblems(problems []*Problem) {
	slices.SortStableFunc(problems, func(a, b *Problem) int {
		p, q := a.At.Span.Start, b.At.Span.Start
		return cmp.Or(
			cmp.Compare(p.Filename(), q.Filename()),
			cmp.Compare(p.Line, q.Line),
			cmp.Compare(p.Col, q.Col),
		)
	})
}
