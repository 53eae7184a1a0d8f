package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// A layout is a problem and the sources it is about.
type layout struct {
	name    string
	at      engine.Label
	also    []engine.Label
	sources report.Sources
	notes   []string
	help    string
}

const (
	call  = "f(alpha, beta, gamma)\n"
	lines = "one\ntwo two\n\nfour\n  five\n\nseven\n  eight\n)\n"
)

func inCall(text, label string) engine.Label  { return find("a.star", call, text, 1, label) }
func inLines(text, label string) engine.Label { return find("b.star", lines, text, 1, label) }
func point(name string, line, col int32, label string) engine.Label {
	p := pos(name, line, col)
	return engine.Label{Span: engine.Span{Start: p, End: p}, Text: label}
}

func layouts() []layout {
	src := report.Sources{"a.star": call, "b.star": lines}
	list := []layout{
		{name: "one mark", at: inCall("beta", "this")},
		{name: "one mark without a text", at: inCall("beta", "")},
		{name: "a point", at: point("a.star", 1, 10, "this letter")},
		{name: "two on a line", at: inCall("gamma", "this one"), also: []engine.Label{inCall("alpha", "and this")}},
		{name: "two on a line, the place first", at: inCall("alpha", "this one"), also: []engine.Label{inCall("gamma", "and this")}},
		{name: "three on a line", at: inCall("beta", "second"), also: []engine.Label{inCall("gamma", "third"), inCall("alpha", "first")}},
		{name: "one with a text, one without", at: inCall("alpha", "this one"), also: []engine.Label{inCall("gamma", "")}},
		{name: "neighbours", at: inCall("alpha", "a name"), also: []engine.Label{inCall("(", "opens"), inCall(", ", "goes on")}},
		{name: "one inside another", at: inCall("beta", "this argument"), also: []engine.Label{inCall("f(alpha, beta, gamma)", "of this call")}},
		{name: "around another", at: inCall("f(alpha, beta, gamma)", "this call"), also: []engine.Label{inCall("beta", "has this argument")}},
		{name: "overlapping", at: inCall("alpha, beta", "these two"), also: []engine.Label{inCall("beta, gamma", "those two")}},
		{name: "the same start", at: inCall("alpha, beta", "long"), also: []engine.Label{inCall("alpha", "short")}},
		{name: "the same place", at: inCall("alpha", "used here"), also: []engine.Label{inCall("alpha", "defined here"), inCall("alpha", "and also this")}},
		{name: "one that ends where another does", at: inCall("gamma)", "the end"), also: []engine.Label{inCall("beta, gamma)", "and more")}},

		{name: "neighbouring lines", at: inLines("two", "here"), also: []engine.Label{inLines("one", "and there")}},
		{name: "one line apart", at: inLines("four", "here"), also: []engine.Label{inLines("two", "and there")}},
		{name: "far apart", at: inLines("four", "here"), also: []engine.Label{inLines("one", "before"), inLines("eight", "after")}},
		{name: "over two lines", at: inLines("two\n\nfour", "from here on")},
		{name: "over many lines", at: inLines("seven\n  eight\n)", "from here on"), also: []engine.Label{inLines("two two\n\nfour\n  five", "and these")}},
		{name: "over lines, with others inside", at: inLines("eight", "this"), also: []engine.Label{inLines("five\n\nseven\n  eight\n)", "in this")}},
		{name: "up to the end of a line", at: inLines("four\n", "the line")},
		{name: "an empty line", at: point("b.star", 3, 1, "nothing here")},

		{name: "after the end of a line", at: point("a.star", 1, 22, "something is missing")},
		{name: "far after the end of a line", at: point("a.star", 1, 9000, "something is missing")},
		{name: "ends far after the line", at: engine.Label{Span: engine.Span{Start: pos("a.star", 1, 16), End: pos("a.star", 1, 9000)}, Text: "all this"}},
		{name: "ends far after the file", at: engine.Label{Span: engine.Span{Start: pos("a.star", 1, 16), End: pos("a.star", 9000, 1)}, Text: "all this"}},
		{name: "at the end of the file", at: point("a.star", 2, 1, "something is missing")},
		{name: "after the end of the file", at: point("a.star", 3, 1, "something is missing"), help: "write more"},
		{name: "ends before it starts", at: engine.Label{Span: engine.Span{Start: pos("a.star", 1, 10), End: pos("a.star", 1, 3)}, Text: "here"}},
		{name: "ends in another file", at: engine.Label{Span: engine.Span{Start: pos("a.star", 1, 10), End: pos("b.star", 1, 15)}, Text: "here"}},
		{name: "only the line is known", at: engine.Label{Span: engine.Span{Start: pos("b.star", 5, 0)}, Text: "somewhere here"}},
		{name: "only the file is known", at: engine.Label{Span: engine.Span{Start: pos("b.star", 0, 0)}, Text: "somewhere in it"}, also: []engine.Label{inCall("beta", "because of this")}},
		{name: "nothing is known", help: "look around"},
		{name: "nothing but a text is known", at: engine.Label{Text: "somewhere"}, help: "look around"},
		{name: "negative numbers", at: point("a.star", -1, -1, "somewhere")},

		{name: "two files", at: inCall("beta", "this"), also: []engine.Label{inLines("four", "and that"), inCall("alpha", "and this"), inLines("one", "and the other")}},
		{name: "a file without its text", at: point("c.star", 7, 3, "the text of this file is not at hand"), also: []engine.Label{inCall("beta", "used here"), point("c.star", 9, 1, "")}, notes: []string{"noted"}},
		{name: "wide numbers", at: point("n.star", 99, 1, "here"), also: []engine.Label{point("n.star", 1000, 1, "and there"), point("n.star", 7, 1, "and before")}},
		{name: "texts of several lines", at: inCall("beta", "a label\nof two lines"), notes: []string{"first\nsecond\n", ""}, help: "write\r\n\r\n    tool(f)\n"},
		{name: "a message\nof two lines\r\n", at: inCall("beta", "this")},
		{name: "carriage returns", at: find("d.star", "a\r\nb(c)\rd\n", "c", 1, "line 2"), also: []engine.Label{find("d.star", "a\r\nb(c)\rd\n", "d", 1, "line 3")}},
		{name: "a byte order mark", at: point("e.star", 1, 1, "the first letter")},
	}
	numbered := strings.Repeat("pass\n", 1000)
	for i := range list {
		list[i].sources = report.Sources{"d.star": "a\r\nb(c)\rd\n", "e.star": "\ufeffabc", "n.star": numbered}
		for name, text := range src {
			list[i].sources[name] = text
		}
	}
	return list
}

func TestLayouts(t *testing.T) {
	var b strings.Builder
	for _, l := range layouts() {
		p := &engine.Problem{Message: l.name, At: l.at, Also: l.also, Notes: l.notes, Help: l.help}
		text := render(t, []*engine.Problem{p}, l.sources, report.Options{})
		fmt.Fprint(&b, strings.TrimSuffix(text, "1 error\n"))
		colored := render(t, []*engine.Problem{p}, l.sources, report.Options{Color: true})
		require.Equal(t, text, withoutColor(colored), "colour changes nothing else")
	}
	golden(t, "layouts.txt", b.String())
}
