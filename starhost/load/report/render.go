package report

import (
	"fmt"
	"io"
	"strings"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// Sources are the texts of files, as their authors wrote them, by the name that
// positions in them have. Only their lines are shown.
type Sources map[string]string

// Options say how a report looks. The zero value is plain text.
type Options struct {
	Color bool // with escape sequences for a terminal
}

// Render writes problems for people, in the order given (see
// [engine.SortProblems]), and how many there are. It writes nothing when there are
// none.
//
// Positions may be anything: what has no line in src is shown without one. No
// control character of a source, a message or a name is written as it is. The
// error is the writer's.
func Render(w io.Writer, problems []*engine.Problem, src Sources, opts Options) error {
	r := renderer{palette: palette(opts.Color), sources: src, files: map[string]*file{}}
	for _, p := range problems {
		r.problem(p)
		r.out.WriteByte('\n')
		if err := r.flush(w); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		fmt.Fprintln(&r.out, r.paint(strong, total(problems)))
	}
	return r.flush(w)
}

type renderer struct {
	palette
	sources Sources
	files   map[string]*file // those that were needed so far
	out     strings.Builder
}

func (r *renderer) flush(w io.Writer) error {
	_, err := io.WriteString(w, r.out.String())
	r.out.Reset()
	return err
}

// file is the source text of that name, or nil.
func (r *renderer) file(name string) *file {
	f, ok := r.files[name]
	if !ok {
		if text, ok := r.sources[name]; ok {
			f = newFile(text)
		}
		r.files[name] = f
	}
	return f
}

func (r *renderer) problem(p *engine.Problem) {
	word, tone := "error", red
	if p.Warning {
		word, tone = "warning", yellow
	}
	if p.Code != "" {
		word += "[" + visible(p.Code) + "]"
	}
	message := lines(p.Message)
	fmt.Fprintf(&r.out, "%s%s\n", r.paint(tone, word), r.paint(strong, ": "+message[0]))
	for _, more := range message[1:] {
		fmt.Fprintf(&r.out, "%s%s\n", strings.Repeat(" ", len("error: ")), r.paint(strong, more))
	}

	excerpts := r.excerpts(p, tone)
	gutter := 1
	for _, e := range excerpts {
		gutter = max(gutter, len(fmt.Sprint(e.lastLine())))
	}
	for i, e := range excerpts {
		r.excerpt(e, i == 0, gutter)
	}
	r.remarks(p, gutter, len(excerpts) > 0)
}

// remarks writes notes and help under a problem.
func (r *renderer) remarks(p *engine.Problem, gutter int, after bool) {
	remark := func(kind, text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		margin := strings.Repeat(" ", gutter+1)
		for i, line := range lines(text) {
			if i == 0 {
				fmt.Fprintf(&r.out, "%s%s %s %s\n", margin, r.paint(blue, "="), r.paint(strong, kind+":"), line)
				continue
			}
			r.out.WriteString(strings.TrimRight(margin+strings.Repeat(" ", len("= "+kind+": "))+line, " ") + "\n")
		}
	}
	if after && (len(p.Notes) > 0 || p.Help != "") {
		r.margin(gutter)
	}
	for _, note := range p.Notes {
		remark("note", note)
	}
	remark("help", p.Help)
}

// margin writes a line that has nothing but the line between numbers and text.
func (r *renderer) margin(gutter int) { r.row(gutter, "", "") }

// row writes a line with a number, or none, and text.
func (r *renderer) row(gutter int, number, text string) {
	head := fmt.Sprintf("%*s |", gutter, number)
	if text != "" {
		text = " " + text
	}
	fmt.Fprintf(&r.out, "%s%s\n", r.paint(blue, head), text)
}

// lines are the lines of a text, each visible; at least one.
func lines(text string) []string {
	const most = 50
	text = strings.TrimRight(strings.ReplaceAll(clip(text), "\r\n", "\n"), "\n")
	list := strings.SplitN(text, "\n", most+1)
	if len(list) > most {
		list[most] = "…"
	}
	for i := range list {
		list[i] = visible(list[i])
	}
	return list
}

// place is how people and editors write a position: file:line:column.
func place(p syntax.Position) string {
	name := visible(filename(p))
	switch {
	case name == "":
		name = "(no file)"
	case p.Line > 0 && p.Col > 0:
		return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Col)
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", name, p.Line)
	}
	return name
}
