package declare

import (
	"regexp"
	"strings"
)

// A Doc is a docstring taken apart.
type Doc struct {
	// Description is everything but the Args: section, without the indentation
	// of the code around it.
	Description string
	// Params are the descriptions in the Args: section, in the order in which
	// they stand there.
	Params []ParamDoc
}

// A ParamDoc is one entry of an Args: section.
type ParamDoc struct{ Name, Text string }

// Param is the description of a parameter, or "".
func (d *Doc) Param(name string) string {
	for _, p := range d.Params {
		if p.Name == name {
			return p.Text
		}
	}
	return ""
}

var (
	argsHeading = regexp.MustCompile(`^(Args|Arguments|Parameters|Params):\s*$`)
	anyHeading  = regexp.MustCompile(`^[A-Z][A-Za-z ]*:\s*$`)
	argsEntry   = regexp.MustCompile(`^\*{0,2}([\p{L}\p{N}_]+)\s*(?:\([^)]*\))?\s*:(?:\s+(.*))?$`)
)

// ParseDoc takes a docstring apart. Without an Args: section the description is
// the docstring as Python gives it since 3.13: common indentation removed, a
// trailing newline kept. With one, what stands before and behind it is the
// description, without the space around.
func ParseDoc(doc string) Doc {
	lines := dedent(doc)
	at := -1
	for i, line := range lines {
		if argsHeading.MatchString(line) {
			at = i
			break
		}
	}
	if at < 0 {
		return Doc{Description: strings.Join(lines, "\n")}
	}
	params, end := parseArgs(lines, at)
	head := strings.TrimSpace(strings.Join(lines[:at], "\n"))
	tail := strings.TrimSpace(strings.Join(lines[end:], "\n"))
	if head != "" && tail != "" {
		head += "\n\n"
	}
	return Doc{Description: head + tail, Params: params}
}

// parseArgs reads the entries below the heading at line i, and says where they end.
func parseArgs(lines []string, heading int) ([]ParamDoc, int) {
	var params []ParamDoc
	entryIndent, blank := -1, false
	i := heading + 1
	for ; i < len(lines); i++ {
		text := strings.TrimSpace(lines[i])
		if text == "" {
			blank = true
			continue
		}
		indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " "))
		if ends(lines[i], indent, heading) {
			break
		}
		if entryIndent < 0 {
			entryIndent = indent
		}
		m := argsEntry.FindStringSubmatch(text)
		switch {
		case m != nil && indent <= entryIndent:
			params = append(params, ParamDoc{Name: m[1], Text: m[2]})
		case len(params) > 0:
			last := &params[len(params)-1]
			space := " "
			if blank {
				space = "\n\n"
			}
			last.Text = strings.TrimSpace(last.Text + space + text)
		}
		blank = false
	}
	return params, i
}

// ends reports whether a line is no longer of the section. The indentation of the
// first line of a docstring is not known, so what follows a heading there ends
// with the next one.
func ends(line string, indent, heading int) bool {
	if heading == 0 {
		return anyHeading.MatchString(line)
	}
	return indent == 0
}

// dedent removes the indentation that all lines but the first share, to the letter
// as Python does: tabs are 8 columns, and a line of spaces only shortens.
func dedent(doc string) []string {
	lines := strings.Split(strings.ReplaceAll(doc, "\r\n", "\n"), "\n")
	margin := -1
	for i := range lines {
		lines[i] = expandTabs(lines[i])
		if stripped := strings.TrimLeft(lines[i], " "); i > 0 && stripped != "" {
			if indent := len(lines[i]) - len(stripped); margin < 0 || indent < margin {
				margin = indent
			}
		}
	}
	lines[0] = strings.TrimLeft(lines[0], " ")
	for i := 1; i < len(lines); i++ {
		indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " "))
		lines[i] = lines[i][min(indent, max(margin, 0)):]
	}
	return lines
}

// expandTabs replaces the tabs of a line by spaces, up to each eighth column.
func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	col := 0
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			col++
			continue
		}
		n := 8 - col%8
		b.WriteString(strings.Repeat(" ", n))
		col += n
	}
	return b.String()
}
