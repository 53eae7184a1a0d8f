package transcript

import (
	"fmt"
	"strings"
)

// context is how many lines are shown around a difference.
const context = 3

// Diff shows what differs between what is written, which begins at that line of
// the file, and what was said: as a unified diff, or "" when nothing does. With
// color it is for a terminal.
func Diff(name string, line int, written, said []string, color bool) string {
	edits := compare(written, said)
	var out strings.Builder
	for _, h := range hunks(edits) {
		if out.Len() == 0 {
			paint(&out, color, bold, fmt.Sprintf("--- %s (written)", name))
			paint(&out, color, bold, fmt.Sprintf("+++ %s (said)", name))
		}
		old, added := h.counts()
		paint(&out, color, cyan, fmt.Sprintf("@@ -%d,%d +%d,%d @@", line+h.old, old, line+h.new, added))
		for _, e := range h.edits {
			shade := ""
			switch e.sign {
			case '-':
				shade = red
			case '+':
				shade = green
			}
			paint(&out, color, shade, string(e.sign)+e.text)
		}
	}
	return out.String()
}

const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	plain = "\x1b[0m"
)

func paint(out *strings.Builder, color bool, shade, text string) {
	if color && shade != "" {
		text = shade + text + plain
	}
	out.WriteString(text + "\n")
}

// An edit is a line that both have (' '), or one of them ('-', '+').
type edit struct {
	sign rune
	text string
}

// compare finds the fewest edits that turn one text into the other.
func compare(a, b []string) []edit {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	var edits []edit
	for _, line := range a[:start] {
		edits = append(edits, edit{' ', line})
	}
	edits = append(edits, middle(a[start:endA], b[start:endB])...)
	for _, line := range a[endA:] {
		edits = append(edits, edit{' ', line})
	}
	return edits
}

// maxTable bounds the work for two long texts that have little in common.
const maxTable = 4_000_000

// middle is the longest common subsequence, by the table.
func middle(a, b []string) []edit {
	if len(a)*len(b) > maxTable {
		return replaced(a, b)
	}
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var edits []edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	return edits
}

// replaced is all of the one text out, and all of the other in.
func replaced(a, b []string) []edit {
	edits := make([]edit, 0, len(a)+len(b))
	for _, line := range a {
		edits = append(edits, edit{'-', line})
	}
	for _, line := range b {
		edits = append(edits, edit{'+', line})
	}
	return edits
}

// A hunk is a run of edits with what stands around it.
type hunk struct {
	old, new int // lines before it
	edits    []edit
}

func (h hunk) counts() (old, added int) { return lengths(h.edits) }

// lengths are how many lines of the one and of the other text edits cover.
func lengths(edits []edit) (old, added int) {
	for _, e := range edits {
		if e.sign != '+' {
			old++
		}
		if e.sign != '-' {
			added++
		}
	}
	return old, added
}

func hunks(edits []edit) []hunk {
	var list []hunk
	for at := 0; at < len(edits); {
		if edits[at].sign == ' ' {
			at++
			continue
		}
		end := at // behind the last difference of this hunk
		for i := at; i < len(edits) && i-end <= 2*context; i++ {
			if edits[i].sign != ' ' {
				end = i + 1
			}
		}
		from := max(0, at-context)
		old, added := lengths(edits[:from])
		list = append(list, hunk{old, added, edits[from:min(len(edits), end+context)]})
		at = end
	}
	return list
}
