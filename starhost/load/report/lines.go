package report

import (
	"strings"
	"unicode/utf8"
)

// A file is a source text that gives its lines and columns quickly, however the
// text is built.
type file struct {
	text   string
	starts []int // of each line
	lines  map[int]*line
}

func newFile(text string) *file {
	// A byte order mark is no part of the script: the loader does not count it.
	text = strings.TrimPrefix(text, "\ufeff")
	f := &file{text: text, starts: make([]int, 1, 2+strings.Count(text, "\n")), lines: map[int]*line{}}
	end := func(s string) int { return strings.IndexAny(s, "\r\n") }
	if !strings.Contains(text, "\r") { // then there is a much faster way
		end = func(s string) int { return strings.IndexByte(s, '\n') }
	}
	for i := 0; ; {
		n := end(text[i:])
		if n < 0 {
			break
		}
		i += n + 1
		if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
		f.starts = append(f.starts, i)
	}
	return f
}

// line gives the n-th line, from 1, or nil where there is none.
func (f *file) line(n int) *line {
	if f == nil || n < 1 || n > len(f.starts) {
		return nil
	}
	l := f.lines[n]
	if l == nil {
		end := len(f.text)
		if n < len(f.starts) {
			end = f.starts[n]
		}
		l = newLine(strings.TrimRight(f.text[f.starts[n-1]:end], "\r\n"))
		f.lines[n] = l
	}
	return l
}

// A line is one line of a source text, without its end. Columns in it count runes,
// as Starlark does, here from 0; a byte that is not valid UTF-8 is a rune.
type line struct {
	text  string
	runes int
	ascii bool
	marks []int // the offset of each markEvery-th rune, unless ascii
}

const markEvery = 1024

func newLine(text string) *line {
	l := &line{text: text, ascii: true}
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			l.ascii = false
			break
		}
	}
	if l.ascii {
		l.runes = len(text)
		return l
	}
	for i := range text {
		if l.runes%markEvery == 0 {
			l.marks = append(l.marks, i)
		}
		l.runes++
	}
	return l
}

// offset is where the rune of that column starts; the end, for columns beyond.
func (l *line) offset(column int) int {
	switch {
	case column <= 0:
		return 0
	case column >= l.runes:
		return len(l.text)
	case l.ascii:
		return column
	}
	at := l.marks[column/markEvery]
	for range column % markEvery {
		_, size := utf8.DecodeRuneInString(l.text[at:])
		at += size
	}
	return at
}

// part is the text of the columns from, up to and not including to.
func (l *line) part(from, to int) string { return l.text[l.offset(from):l.offset(to)] }

// indent is the column of the first character that is not a blank.
func (l *line) indent() int {
	return len(l.text) - len(strings.TrimLeft(l.text, " \t"))
}
