package report

import (
	"cmp"
	"slices"
	"strings"
)

// A mark is a spot on the terminal: columns from, up to and not including to.
type mark struct {
	from, to int
	text     string
	main     bool
	tone     style
}

// marks gives the lines to write under v: carets and dashes, and what they mean.
// The text of the rightmost mark stands beside it, the others hang below theirs:
//
//	---   ^^^ declared twice
//	|
//	first declared here
func (r *renderer) marks(v view, spots []spot) []string {
	list := make([]mark, len(spots))
	for i, s := range spots {
		list[i] = v.mark(s)
	}
	// From left to right; of two that start at one column, the problem's own place
	// counts as the right one.
	slices.SortStableFunc(list, func(a, b mark) int {
		if c := cmp.Compare(a.from, b.from); c != 0 {
			return c
		}
		return cmp.Compare(order(a.main), order(b.main))
	})

	under := canvas{palette: r.palette}
	for _, main := range []bool{false, true} { // carets on top of dashes
		for _, m := range list {
			if m.main == main {
				under.draw(m)
			}
		}
	}
	hanging := slices.DeleteFunc(list, func(m mark) bool { return m.text == "" })
	beside := ""
	if n := len(hanging) - 1; n >= 0 && hanging[n].to >= len(under.glyphs) {
		beside = " " + r.paint(hanging[n].tone, hanging[n].text)
		hanging = hanging[:n]
	}
	rows := []string{under.String() + beside}
	if len(hanging) > 0 {
		rows = append(rows, r.bars(hanging).String())
	}
	for i := len(hanging) - 1; i >= 0; i-- {
		m := hanging[i]
		left := slices.DeleteFunc(slices.Clone(hanging[:i]), func(o mark) bool { return o.from == m.from })
		bars := r.bars(left)
		bars.pad(m.from)
		rows = append(rows, bars.String()+r.paint(m.tone, m.text))
	}
	return rows
}

// words is text on one line.
func words(text string) string { return visible(strings.Join(strings.Fields(clip(text)), " ")) }

func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mark is where s stands on the terminal: one column at least.
func (v view) mark(s spot) mark {
	from := v.column(s.from)
	to := v.column(s.to)
	for next := s.to; to == from && next < v.to; {
		next++ // the end is within what the terminal shows as one character
		to = v.column(next)
	}
	return mark{from: from, to: max(to, from+1), text: words(s.text), main: s.main, tone: s.tone}
}

// A canvas is a line that is drawn on.
type canvas struct {
	palette
	glyphs []glyph
}

type glyph struct {
	char byte
	tone style
}

func (c *canvas) pad(width int) {
	for len(c.glyphs) < width {
		c.glyphs = append(c.glyphs, glyph{char: ' '})
	}
}

func (c *canvas) draw(m mark) {
	char := byte('-')
	if m.main {
		char = '^'
	}
	c.pad(m.to)
	for i := m.from; i < m.to; i++ {
		c.glyphs[i] = glyph{char, m.tone}
	}
}

// bars is a line with a bar under the start of each mark.
func (r *renderer) bars(marks []mark) canvas {
	c := canvas{palette: r.palette}
	for _, m := range marks {
		c.pad(m.from + 1)
		c.glyphs[m.from] = glyph{'|', m.tone}
	}
	return c
}

// String is the line, each run of one colour painted once.
func (c canvas) String() string {
	var b strings.Builder
	for i := 0; i < len(c.glyphs); {
		tone := c.glyphs[i].tone
		var run []byte
		for ; i < len(c.glyphs) && c.glyphs[i].tone == tone; i++ {
			run = append(run, c.glyphs[i].char)
		}
		b.WriteString(c.paint(tone, string(run)))
	}
	return b.String()
}
