package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
)

// An Error is a load that failed. Its text is the whole report, without colour.
type Error struct {
	Problems []*engine.Problem // all that were found, warnings too
	Sources  Sources           // the files they are in
}

// New is an *[Error] with all the problems when one of them is more than a warning,
// and nil when none is.
func New(problems []*engine.Problem, sources Sources) error {
	if !slices.ContainsFunc(problems, func(p *engine.Problem) bool { return !p.Warning }) {
		return nil
	}
	return &Error{Problems: problems, Sources: sources}
}

func (e *Error) Error() string {
	var b strings.Builder
	_ = Render(&b, e.Problems, e.Sources, Options{}) // a Builder takes everything
	return strings.TrimSuffix(b.String(), "\n")
}

// Summary says how much is wrong in a few words: "3 problems in 2 files".
func Summary(problems []*engine.Problem) string {
	if len(problems) == 0 {
		return "no problems"
	}
	files := map[string]bool{}
	for _, p := range problems {
		if start := p.At.Span.Start; start.IsValid() {
			files[start.Filename()] = true
		}
	}
	text := count(len(problems), "problem")
	if len(files) > 0 {
		text += " in " + count(len(files), "file")
	}
	return text
}

// total is the last line of a report: "2 errors, 1 warning".
func total(problems []*engine.Problem) string {
	warnings := 0
	for _, p := range problems {
		if p.Warning {
			warnings++
		}
	}
	var parts []string
	if errors := len(problems) - warnings; errors > 0 {
		parts = append(parts, count(errors, "error"))
	}
	if warnings > 0 {
		parts = append(parts, count(warnings, "warning"))
	}
	return strings.Join(parts, ", ")
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
