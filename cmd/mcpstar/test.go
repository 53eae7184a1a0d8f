package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/mcpstar/mcpstar/golden"
	"github.com/mcpstar/mcpstar/golden/cover"
	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// testFlags are the flags of mcpstar test.
type testFlags struct {
	update    bool
	only      string
	verbose   bool
	json      bool
	transport string
	cover     bool
	imports   string
	server    string
}

func newTest(s streams) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [PATH ...]",
		Short: "Run the transcripts and Starlark tests at or below a path",
		Long: `Run the transcripts (*.txtar) and Starlark tests (*_test.star) at or below the
paths, or below the current folder.

Exit status: 0 when all pass, 1 when a test fails, 2 when a file can't be read.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.imports != "" {
				return importExport(s, f.imports, f.server)
			}
			return runTests(cmd.Context(), s, args, &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.update, "update", false, "write what the servers say now into the transcripts")
	flags.StringVar(&f.only, "run", "", "only the tests whose FILE/NAME matches this regular expression")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "name the tests that pass, too")
	flags.BoolVar(&f.json, "json", false, "print a JSON object for each test")
	flags.StringVar(&f.transport, "transport", "", "how to reach the servers: memory, stdio or http (default memory)")
	flags.BoolVar(&f.cover, "cover", false, "say which lines, tools and resolver branches no test reached")
	flags.StringVar(&f.imports, "import", "", "turn a protocol export of the MCP Inspector into a transcript, on standard output")
	flags.StringVar(&f.server, "server", "", "with --import: the server to name in the transcript, a path relative to it")
	return cmd
}

func runTests(ctx context.Context, s streams, paths []string, f *testFlags) error {
	o := golden.Options{
		Transport: f.transport, Update: f.update, Color: colorful(s),
		Host: starhost.Options{Version: version},
	}
	switch f.transport {
	case "", golden.Memory, golden.Stdio, golden.HTTP:
	default:
		return fmt.Errorf("--transport is memory, stdio or http, got %q", f.transport)
	}
	if f.only != "" {
		only, err := regexp.Compile(f.only)
		if err != nil {
			return fmt.Errorf("--run: %w", err)
		}
		o.Only = only
	}
	if f.cover {
		o.Cover = new(cover.Coverage)
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	files, err := golden.Find(paths...)
	if err != nil {
		return err
	}
	tally := &tally{streams: s, flags: f}
	for _, done := range inParallel(ctx, files, o) {
		tally.file(<-done)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return tally.end(o.Cover)
}

// colorful reports whether standard output shows colours: a terminal does where
// standard error may have them, a file never.
func colorful(s streams) bool {
	if f, ok := s.out.(*os.File); ok && !term.IsTerminal(int(f.Fd())) {
		return false
	}
	return s.color
}

// A tested is a file that has been run.
type tested struct {
	file     string
	outcomes []golden.Outcome
	err      error
}

// inParallel runs the files, as many at a time as there are processors. What comes
// of them can be had in the order of the files.
func inParallel(ctx context.Context, files []string, o golden.Options) []chan tested {
	results := make([]chan tested, len(files))
	for i := range results {
		results[i] = make(chan tested, 1)
	}
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range files {
			next <- i
		}
	}()
	for range min(len(files), max(2, runtime.GOMAXPROCS(0))) {
		go func() {
			for i := range next {
				outcomes, err := golden.RunFile(ctx, files[i], o)
				results[i] <- tested{files[i], outcomes, err}
			}
		}()
	}
	return results
}

// tally counts and prints what comes of tests.
type tally struct {
	streams streams
	flags   *testFlags

	counts     map[golden.Status]int
	unreadable int
	once       sync.Once
}

func (t *tally) file(r tested) {
	t.once.Do(func() { t.counts = map[golden.Status]int{} })
	for _, out := range r.outcomes {
		t.counts[out.Status]++
		t.print(out)
	}
	if r.err == nil {
		return
	}
	t.unreadable++
	if t.flags.json {
		t.json(map[string]any{"file": r.file, "status": "unreadable", "text": r.err.Error()})
		return
	}
	var problems *report.Error
	if errors.As(r.err, &problems) {
		fmt.Fprintf(t.streams.err, "mcpstar: %s:\n", r.file)
	}
	t.streams.complain(r.err)
}

func (t *tally) print(out golden.Outcome) {
	if t.flags.json {
		t.json(map[string]any{
			"file": out.File, "name": out.Name, "status": out.Status, "line": out.Line, "text": out.Text,
			"ms": out.Took.Milliseconds(),
		})
		return
	}
	switch {
	case out.Status == golden.Failed:
		fmt.Fprintf(t.streams.out, "FAIL %s %s\n", out.File, out.Name)
		fmt.Fprint(t.streams.out, indented(out.Text))
	case out.Status == golden.Updated:
		fmt.Fprintf(t.streams.out, "updated %s %s\n", out.File, out.Name)
	case t.flags.verbose && out.Status == golden.Skipped:
		fmt.Fprintf(t.streams.out, "skip %s %s: %s\n", out.File, out.Name, out.Text)
	case t.flags.verbose:
		fmt.Fprintf(t.streams.out, "ok   %s %s\n", out.File, out.Name)
		fmt.Fprint(t.streams.out, indented(out.Text))
	}
}

func indented(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

func (t *tally) json(v map[string]any) {
	line, err := json.Marshal(v)
	if err != nil {
		line = []byte("{}")
	}
	fmt.Fprintf(t.streams.out, "%s\n", line)
}

// end prints the sum and says with which status to end.
func (t *tally) end(c *cover.Coverage) error {
	if c != nil {
		to := io.Writer(t.streams.out)
		if t.flags.json {
			to = t.streams.err
		}
		if err := c.Report(to); err != nil {
			return err
		}
	}
	if !t.flags.json {
		var parts []string
		for _, status := range []golden.Status{golden.Passed, golden.Failed, golden.Updated, golden.Skipped} {
			if n := t.counts[status]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, status))
			}
		}
		if t.unreadable > 0 {
			parts = append(parts, fmt.Sprintf("%d unreadable", t.unreadable))
		}
		if len(parts) == 0 {
			parts = []string{"no test has that name"}
		}
		fmt.Fprintln(t.streams.out, strings.Join(parts, ", "))
	}
	switch {
	case t.unreadable > 0:
		return exit(exitUsage)
	case t.counts[golden.Failed] > 0:
		return exit(exitError)
	}
	return nil
}
