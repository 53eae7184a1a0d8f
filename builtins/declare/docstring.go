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
	argsEntry   = regexp.MustCompile(`^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$`)
)

// ParseDoc takes a docstring apart. Without an Args: section the description is
// the docstring as Python 3.13 would give it: common indentation removed, a
// trailing newline kept.
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
	params, end := parseArgs(lines, at+1)
	head := strings.TrimSpace(strings.Join(lines[:at], "\n"))
	tail := strings.TrimSpace(strings.Join(lines[end:], "\n"))
	if head != "" && tail != "" {
		head += "\n\n"
	}
	return Doc{Description: head + tail, Params: params}
}

// parseArgs reads the indented entries from line i on, and says where they end.
func parseArgs(lines []string, i int) ([]ParamDoc, int) {
	var params []ParamDoc
	entryIndent := 0
	for ; i < len(lines); i++ {
		text := strings.TrimSpace(lines[i])
		if text == "" {
			continue
		}
		indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " \t"))
		if indent == 0 {
			break // the next section
		}
		if entryIndent == 0 {
			entryIndent = indent
		}
		m := argsEntry.FindStringSubmatch(text)
		switch {
		case m != nil && indent <= entryIndent:
			params = append(params, ParamDoc{Name: m[1], Text: m[2]})
		case len(params) > 0:
			last := &params[len(params)-1]
			last.Text = strings.TrimSpace(last.Text + " " + text)
		}
	}
	return params, i
}

// dedent removes the indentation that all lines but the first share.
func dedent(doc string) []string {
	lines := strings.Split(strings.ReplaceAll(doc, "\r\n", "\n"), "\n")
	margin := -1
	for _, line := range lines[1:] {
		if stripped := strings.TrimLeft(line, " \t"); stripped != "" {
			if indent := len(line) - len(stripped); margin < 0 || indent < margin {
				margin = indent
			}
		}
	}
	lines[0] = strings.TrimLeft(lines[0], " \t")
	for i, line := range lines[1:] {
		switch {
		case strings.TrimSpace(line) == "":
			lines[i+1] = ""
		case margin > 0:
			lines[i+1] = line[margin:]
		}
	}
	return lines
}
