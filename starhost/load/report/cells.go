package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

const (
	// maxWidth is how much of a source line is shown, in columns of the terminal.
	maxWidth = 160
	// maxBefore is how much of it stands before the first label when it is cut.
	maxBefore = 60
	// maxText is how much is shown of a message or any other text, in bytes.
	maxText = 4000

	tab = "    "
)

// A cell is what a terminal shows as one character: a letter with its accents, an
// emoji of several runes, a tab made of spaces.
type cell struct {
	text  string
	runes int // of the source
	width int // in columns of the terminal
}

// cells takes text apart. Nothing in them moves a cursor: see escape.
func cells(text string) []cell {
	list := make([]cell, 0, len(text))
	for len(text) > 0 {
		n := 0
		for n < len(text) && text[n] >= ' ' && text[n] < 0x7f {
			n++
		}
		if n < len(text) && text[n] >= utf8.RuneSelf && n > 0 {
			n-- // the last letter may carry an accent
		}
		for i := range n {
			list = append(list, cell{text: text[i : i+1], runes: 1, width: 1})
		}
		if text = text[n:]; text == "" {
			break
		}
		if shown, size := escape(text); size > 0 {
			list = append(list, cell{text: shown, runes: 1, width: displaywidth.String(shown)})
			text = text[size:]
			continue
		}
		c := cluster(text)
		list = append(list, c)
		text = text[len(c.text):]
	}
	return list
}

// cluster is the first cell of text, which begins with a rune that may be shown
// as it is. It ends before the first that may not.
func cluster(text string) cell {
	const longest = 32 // runes: more accents than that are cells of their own
	end, runes := 0, 0
	for end < len(text) && runes < longest {
		if _, size := escape(text[end:]); size > 0 {
			break
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
		runes++
	}
	graphemes := displaywidth.StringGraphemes(text[:end])
	graphemes.Next()
	value := graphemes.Value()
	return cell{text: value, runes: utf8.RuneCountInString(value), width: graphemes.Width()}
}

// escape says what is shown in place of the first rune of text, and how many bytes
// that rune has; 0 when it is shown as it is.
func escape(text string) (shown string, size int) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size <= 1:
		return "\ufffd", size
	case r == '\t':
		return tab, size
	case r < ' ':
		return string('\u2400' + r), size // ␀ ␁ … ␛
	case r == 0x7f:
		return "\u2421", size
	case r == '\u200d' || r == '\u200c': // join emoji, and letters in some scripts
		return "", 0
	case !unicode.IsGraphic(r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		// What turns the direction of text, or can't be seen: an author needs to
		// know of it, and a terminal must not obey it.
		return fmt.Sprintf("<U+%04X>", r), size
	}
	return "", 0
}

// visible is text in which no character moves a cursor, changes a colour or hides:
// it can be written to a terminal. Very long text is cut.
func visible(text string) string {
	text = clip(text)
	var b strings.Builder
	for len(text) > 0 {
		shown, size := escape(text)
		if size == 0 {
			_, size = utf8.DecodeRuneInString(text)
			shown = text[:size]
		}
		b.WriteString(shown)
		text = text[size:]
	}
	return b.String()
}

// clip cuts very long text, between two runes.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// A view is the part of a source line that is shown.
type view struct {
	text  string // with … where something is left out
	from  int    // the first column of the source in it
	to    int    // the column after the last
	whole bool   // to is the end of the line
	at    []int  // where each column from…to starts on the terminal
}

// viewOf shows l, around the column focus where it is too long.
func viewOf(l *line, focus int) view {
	focus = min(focus, l.runes)
	lo, hi := max(0, focus-maxWidth), min(l.runes, focus+2*maxWidth)
	list := cells(l.part(lo, hi))
	first, last, width := 0, len(list), 0
	for _, c := range list {
		width += c.width
	}
	if lo > 0 || hi < l.runes || width > maxWidth {
		first, last = around(list, focus-lo)
	}
	for _, c := range list[:first] {
		lo += c.runes
	}
	v := view{from: lo, to: lo}
	var b strings.Builder
	column := 0
	if v.from > 0 {
		b.WriteString("…")
		column++
	}
	for _, c := range list[first:last] {
		b.WriteString(c.text)
		for range c.runes {
			v.at = append(v.at, column)
		}
		v.to += c.runes
		column += c.width
	}
	v.at = append(v.at, column)
	v.whole = v.to == l.runes
	if !v.whole {
		b.WriteString("…")
	}
	v.text = b.String()
	return v
}

// around picks the cells to show so that the rune focus is among them.
func around(list []cell, focus int) (first, last int) {
	at, seen := 0, 0
	for at < len(list) && seen+list[at].runes <= focus {
		seen += list[at].runes
		at++
	}
	first, last = at, at
	used := 0
	grow := func(limit int) {
		for last < len(list) && used+list[last].width <= limit {
			used += list[last].width
			last++
		}
	}
	grow(maxWidth - maxBefore)
	for first > 0 && used+list[first-1].width <= maxWidth {
		first--
		used += list[first].width
	}
	grow(maxWidth)
	return first, last
}

// column is where the given column of the source starts on the terminal.
func (v view) column(source int) int {
	return v.at[min(max(source-v.from, 0), len(v.at)-1)]
}
