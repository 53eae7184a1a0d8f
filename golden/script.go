package golden

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpstar/mcpstar/golden/script"
	"github.com/mcpstar/mcpstar/starhost"
)

// runScript runs the functions test_* of a Starlark test.
func runScript(ctx context.Context, file string, o Options) ([]Outcome, error) {
	results, err := script.Run(ctx, file, script.Options{
		Host:  o.Host,
		Wants: func(name string) bool { return o.wants(file, name) },
		Open: func(ctx context.Context, path string, options starhost.Options) (*starhost.Host, error) {
			return openFile(ctx, path, options, o.Cover)
		},
	})
	var outcomes []Outcome
	for _, r := range results {
		out := Outcome{File: file, Name: r.Name, Status: Passed, Took: r.Took}
		var text strings.Builder
		if r.Failed {
			out.Status, out.Line = Failed, r.Line
			fmt.Fprintf(&text, "%s:%d: %s\n", file, r.Line, r.Text)
		}
		text.WriteString(r.Printed)
		out.Text = text.String()
		outcomes = append(outcomes, out)
	}
	return outcomes, err
}
