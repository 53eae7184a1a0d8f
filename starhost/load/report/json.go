package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

type problemJSON struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	placeJSON
	Help    string      `json:"help,omitempty"`
	Notes   []string    `json:"notes,omitempty"`
	Related []placeJSON `json:"related"`
}

type placeJSON struct {
	File      string `json:"file"`
	Line      int32  `json:"line"`
	Column    int32  `json:"column"`
	EndLine   int32  `json:"endLine"`
	EndColumn int32  `json:"endColumn"`
	Label     string `json:"label,omitempty"`
}

// JSON is the report for programs: a list with an object for each problem, in the
// order given.
//
//	{"code": "cycle", "severity": "error" or "warning", "message": …,
//	 "file": …, "line": 8, "column": 17, "endLine": 8, "endColumn": 34, "label": …,
//	 "help": …, "notes": […], "related": [{"file": …, …, "label": …}]}
//
// Lines and columns count from 1, columns in Unicode code points; an end is the
// place after the last character, and equals the start where only a point is known. A place that is
// not known has the line 0, and perhaps an empty file. label, help and notes are
// left out when there are none.
func JSON(problems []*engine.Problem) ([]byte, error) {
	list := make([]problemJSON, len(problems))
	for i, p := range problems {
		severity := "error"
		if p.Warning {
			severity = "warning"
		}
		list[i] = problemJSON{
			Code: p.Code, Severity: severity, Message: p.Message,
			placeJSON: placeOf(p.At),
			Help:      p.Help, Notes: p.Notes,
			Related: make([]placeJSON, len(p.Also)),
		}
		for j, label := range p.Also {
			list[i].Related[j] = placeOf(label)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		return nil, err
	}
	return spelled(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// spelled spells out in data, which is JSON, what encoding/json leaves as it is
// although a terminal may act on it or hide it.
func spelled(data []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(data) { // outside of strings, JSON of ours is graphic
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.Bytes()
}

func placeOf(l engine.Label) placeJSON {
	start, end := extent(l.Span)
	return placeJSON{
		File: filename(start), Line: start.Line, Column: start.Col,
		EndLine: end.Line, EndColumn: end.Col, Label: l.Text,
	}
}

// filename is where p is, or "".
func filename(p syntax.Position) string {
	if !p.IsValid() {
		return ""
	}
	return p.Filename()
}

// extent makes something of every span: numbers are not negative, and the end is
// in the file of the start and not before it.
func extent(s engine.Span) (start, end syntax.Position) {
	start, end = s.Start, s.End
	start.Line, start.Col = max(start.Line, 0), max(start.Col, 0)
	if start.Line == 0 {
		start.Col = 0
	}
	before := end.Line < start.Line || end.Line == start.Line && end.Col < start.Col
	if before || start.Line == 0 || filename(end) != filename(start) {
		end = start
	}
	return start, end
}
