package transcript

import (
	"strconv"
	"strings"
)

// width is how long a line of JSON may be before it is broken.
const width = 100

// Write is an entry as lines.
func (e *Entry) Write() []string {
	if e.Raw != "" {
		return []string{"--> raw " + e.Raw}
	}
	words := []string{map[Direction]string{Send: "-->", Receive: "<--", Free: "<~~"}[e.Direction]}
	if e.ID != "" {
		words = append(words, e.ID)
	}
	if e.HTTP != 0 {
		words = append(words, "HTTP", strconv.Itoa(e.HTTP))
	}
	if e.Method != "" {
		words = append(words, e.Method)
	}
	if e.Error {
		words = append(words, "error", strconv.FormatInt(e.Code, 10))
	}
	head := strings.Join(words, " ")
	if e.Params == nil {
		return []string{head}
	}
	return strings.Split(head+" "+pretty(e.Params, "", len(head)+1), "\n")
}

// pretty is JSON in wire order: on one line where it fits, else a member a line
// with an indent of two.
func pretty(v *Value, indent string, used int) string {
	short := v.line()
	if used+len(short) <= width || len(v.Members)+len(v.Elements) == 0 {
		return short
	}
	inner := indent + "  "
	var out strings.Builder
	end := "}"
	if v.Kind == Object {
		out.WriteString("{\n")
		for i, m := range v.Members {
			key := inner + quote(m.Name) + ": "
			out.WriteString(key + pretty(m.Value, inner, len(key)+1) + comma(i, len(v.Members)))
		}
	} else {
		end = "]"
		out.WriteString("[\n")
		for i, e := range v.Elements {
			out.WriteString(inner + pretty(e, inner, len(inner)+1) + comma(i, len(v.Elements)))
		}
	}
	out.WriteString(indent + end)
	return out.String()
}

func comma(i, n int) string {
	if i < n-1 {
		return ",\n"
	}
	return "\n"
}

// A Said is one message of a story as it was played.
type Said struct {
	// Entry is what was said. For a send it is the written entry itself, or one
	// that the play has added.
	Entry *Entry
	// Written is the entry that it stands for, or nil for one that is new.
	Written *Entry
	// Same says that it matches what is written.
	Same bool
}

// Rewrite is the section as it would be written after a play: entries that match
// keep their lines, comments keep their places, and what is free (<~~ and groups)
// keeps its order. It is never nil: a section may have no lines.
func (t *Transcript) Rewrite(s *Section, said []Said) []string {
	said = settle(s, said)
	index := map[*Entry]int{}
	for i, e := range s.Entries {
		index[e] = i
	}
	out := []string{}
	next := 0 // the first written entry whose margin has not been written
	margins := func(upto int) {
		for ; next <= upto; next++ {
			out = append(out, s.above[next].lines...)
		}
	}
	for _, m := range said {
		if m.Written != nil {
			if i := index[m.Written]; i >= next {
				margins(i)
			}
		}
		if m.Written != nil && m.Same {
			out = append(out, m.Written.Lines...)
			continue
		}
		out = append(out, m.Entry.Write()...)
	}
	margins(len(s.Entries))
	return out
}

// settle puts what matches and is free into the places where it is written.
func settle(s *Section, said []Said) []Said {
	free := func(m Said) bool {
		return m.Written != nil && m.Same && (m.Written.Direction == Free || m.Written.Group != 0)
	}
	place := map[*Entry]int{}
	for i, e := range s.Entries {
		place[e] = i
	}
	out := append([]Said{}, said...)
	for i := range out {
		if !free(out[i]) {
			continue
		}
		m := out[i]
		to := target(s, out, i, place)
		if to < 0 || to == i {
			continue
		}
		out = append(out[:i], out[i+1:]...)
		if to > i {
			to--
		}
		out = append(out[:to], append([]Said{m}, out[to:]...)...)
	}
	return out
}

// target is where the free message out[i] may stand: after everything that is
// written before it and before everything that is written after it, as long as
// that does not carry it past its request or its answer.
func target(s *Section, out []Said, i int, place map[*Entry]int) int {
	mine := out[i].Written
	group := func(e *Entry) bool { return mine.Group != 0 && e.Group == mine.Group }
	to := 0
	for j, m := range out {
		if j != i && m.Written != nil && place[m.Written] < place[mine] {
			to = j + 1
		}
	}
	lo, hi := min(to, i), max(to, i)
	for j := lo; j < hi && j < len(out); j++ {
		m := out[j]
		if j == i || m.Written != nil && group(m.Written) {
			continue
		}
		if mine.Direction == Free {
			// It may pass other messages of the server's, but not the answer that
			// ends the request it belongs to, nor the next request.
			if m.Entry.Direction == Send && m.Entry.Request() || m.Entry.Direction == Receive && m.Entry.Answer() {
				return -1
			}
			continue
		}
		return -1
	}
	return to
}
