package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// An excerpt is what a problem shows of one file.
type excerpt struct {
	file  *file
	at    syntax.Position // named on the line that begins it
	label string          // what to say there: the label has no line to stand under
	spots []spot          // by line, those of a line in the order of the labels
}

// A spot is a stretch of one line that gets marks under it. Columns count runes
// from 0; there is at least one, which may be the place after the line's end.
type spot struct {
	line     int
	from, to int
	text     string
	main     bool // of the problem's own place, not of another one that matters
	tone     style
}

func (e excerpt) lastLine() int {
	last := 0
	for _, s := range e.spots {
		last = max(last, s.line)
	}
	return last
}

// excerpts is what to show of a problem: the file of its place first, then others
// in the order in which the labels name them. A label that has no line to stand
// under is an excerpt without spots.
func (r *renderer) excerpts(p *engine.Problem, tone style) []excerpt {
	var list []excerpt
	byFile := map[string]int{}
	for i, label := range append([]engine.Label{p.At}, p.Also...) {
		start, end := extent(label.Span)
		name := filename(start)
		f := r.file(name)
		if f.line(int(start.Line)) == nil {
			// Nothing known and nothing to say: not worth a line.
			if start.Line > 0 || name != "" || label.Text != "" {
				list = append(list, excerpt{at: start, label: label.Text})
			}
			continue
		}
		n, ok := byFile[name]
		if !ok {
			n = len(list)
			byFile[name] = n
			list = append(list, excerpt{file: f, at: start})
		}
		mark := spot{text: label.Text, main: i == 0, tone: blue}
		if mark.main {
			mark.tone = tone
		}
		list[n].spots = append(list[n].spots, mark.over(f, start, end)...)
	}
	for _, e := range list {
		slices.SortStableFunc(e.spots, func(a, b spot) int { return cmp.Compare(a.line, b.line) })
	}
	return list
}

// over gives the spots of a span: one, or for a span over several lines one on its
// first line, with the text, and one on its last.
func (s spot) over(f *file, start, end syntax.Position) []spot {
	first := f.line(int(start.Line))
	s.line = int(start.Line)
	s.from, s.to = min(int(start.Col)-1, first.runes), first.runes
	if start.Col == 0 { // the line is all that is known
		s.from = first.indent()
	}
	if end.Line == start.Line && start.Col > 0 {
		s.to = min(int(end.Col)-1, first.runes)
	}
	s.to = max(s.to, s.from+1)

	last := f.line(int(end.Line))
	if end.Line == start.Line || last == nil || end.Col <= 1 {
		return []spot{s}
	}
	tail := s
	tail.line = int(end.Line)
	if tail.text != "" {
		tail.text = "to here"
	}
	tail.to = min(int(end.Col)-1, last.runes)
	tail.from = min(last.indent(), max(tail.to-1, 0))
	tail.to = max(tail.to, tail.from+1)
	return []spot{s, tail}
}

func (r *renderer) excerpt(e excerpt, first bool, gutter int) {
	arrow := ":::"
	if first {
		arrow = "-->"
	}
	text := place(e.at)
	if label := words(e.label); label != "" {
		text += ": " + label
	}
	fmt.Fprintf(&r.out, "%s%s %s\n", strings.Repeat(" ", gutter), r.paint(blue, arrow), text)
	if len(e.spots) == 0 {
		return
	}
	r.margin(gutter)
	before := 0
	for rest := e.spots; len(rest) > 0; {
		n := onOneLine(rest)
		number := rest[0].line
		switch {
		case before == 0 || number == before+1:
		case number == before+2: // as long as dots would be
			r.row(gutter, strconv.Itoa(before+1), viewOf(e.file.line(before+1), 0).text)
		default:
			fmt.Fprintln(&r.out, r.paint(blue, "..."))
		}
		r.marked(e.file.line(number), rest[:n], gutter)
		before, rest = number, rest[n:]
	}
}

// onOneLine is how many of spots, from the first, are on the line of the first.
func onOneLine(spots []spot) int {
	n := 1
	for n < len(spots) && spots[n].line == spots[0].line {
		n++
	}
	return n
}

// marked writes a source line with the marks under it. A line that is too long is
// written once for each part of it that has marks.
func (r *renderer) marked(l *line, spots []spot, gutter int) {
	spots = slices.Clone(spots)
	slices.SortStableFunc(spots, func(a, b spot) int { return cmp.Compare(a.from, b.from) })
	for len(spots) > 0 {
		v := viewOf(l, spots[0].from)
		n := 1
		for n < len(spots) && (spots[n].from < v.to || v.whole) {
			n++
		}
		r.row(gutter, strconv.Itoa(spots[0].line), v.text)
		for _, text := range r.marks(v, spots[:n]) {
			r.row(gutter, "", text)
		}
		spots = spots[n:]
	}
}
