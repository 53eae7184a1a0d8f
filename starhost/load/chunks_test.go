package load_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/load/report"

	"go.starlark.net/starlark"
)

// The files testdata/*.star are made of servers, one a chunk:
//
//	# What this chunk is about.
//	load("lib/stock.star", "check")
//	tool(chek)                          ### "undefined: chek .*did you mean check"
//	--- file lib/stock.star
//	def check(): return 1
//	---
//	# The next one.
//
// A chunk ends at a line of three dashes; "--- file PATH" begins another file of
// the same server, whose first file is server.star. A comment of three #, behind
// the line that causes a problem, expects one there: a regular expression in
// quotes that matches "CODE: MESSAGE (HELP)", as it is or without the backquotes
// that set code off. There may be several on a line, and `### warning "..."`
// expects a warning.
type server struct {
	line  int // of the chunk in its file
	files fstest.MapFS
	wants []*want
}

type want struct {
	place   string // file:line
	warning bool
	pattern *regexp.Regexp
	met     bool
}

func (w *want) matches(text string) bool {
	return w.pattern.MatchString(text) || w.pattern.MatchString(strings.ReplaceAll(text, "`", ""))
}

const entry = "server.star"

var (
	newFile     = regexp.MustCompile(`^--- file (\S+)$`)
	expectation = regexp.MustCompile("### (warning )?(\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)")
)

// servers cuts a file of testdata into its servers.
func servers(t testing.TB, path string) []*server {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var list []*server
	var s *server
	var file string
	var text []string
	end := func() {
		if s != nil {
			s.files[file] = &fstest.MapFile{Data: []byte(strings.Join(text, ""))}
		}
		text = nil
	}
	begin := func(line int) {
		end()
		s, file = &server{line: line, files: fstest.MapFS{}}, entry
		list = append(list, s)
	}
	begin(1)
	for i, line := range strings.SplitAfter(string(data), "\n") {
		bare := strings.TrimRight(line, "\r\n")
		if m := newFile.FindStringSubmatch(bare); m != nil {
			end()
			file = m[1]
			continue
		}
		if bare == "---" {
			begin(i + 2)
			continue
		}
		text = append(text, line)
		s.expect(t, fmt.Sprintf("%s:%d", file, len(text)), line, fmt.Sprintf("%s:%d", path, i+1))
	}
	end()
	return list
}

func (s *server) expect(t testing.TB, place, line, where string) {
	t.Helper()
	found := expectation.FindAllStringSubmatch(line, -1)
	require.Len(t, found, strings.Count(line, "###"), "%s: an expectation is not a quoted string", where)
	for _, m := range found {
		text, err := strconv.Unquote(m[2])
		require.NoError(t, err, where)
		pattern, err := regexp.Compile(text)
		require.NoError(t, err, where)
		s.wants = append(s.wants, &want{place: place, warning: m[1] != "", pattern: pattern})
	}
}

// check compares the problems with the expectations: each problem needs one of its
// own, and each expectation a problem.
func (s *server) check(t *testing.T, problems []*engine.Problem) {
	t.Helper()
problems:
	for _, p := range problems {
		start := p.At.Span.Start
		place := fmt.Sprintf("%s:%d", start.Filename(), start.Line)
		text := fmt.Sprintf("%s: %s (%s)", p.Code, p.Message, p.Help)
		for _, w := range s.wants {
			if !w.met && w.place == place && w.warning == p.Warning && w.matches(text) {
				w.met = true
				continue problems
			}
		}
		t.Errorf("unexpected at %s: %s", place, text)
	}
	for _, w := range s.wants {
		if !w.met {
			t.Errorf("missing at %s: %s", w.place, w.pattern)
		}
	}
}

// goWords are what a host written in Go adds to the scripts of these tests.
func goWords() (starlark.StringDict, []*graph.Func) {
	nothing := func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return starlark.None, nil
	}
	user := starlark.NewBuiltin("current_user", nothing)
	return starlark.StringDict{"current_user": user, "send_mail": starlark.NewBuiltin("send_mail", nothing)},
		[]*graph.Func{{Name: "current_user", Call: user}}
}

func optionsFor(files fs.FS) load.Options {
	words, resolvers := goWords()
	return load.Options{
		Root: files, Entry: entry, Words: words, Resolvers: resolvers, Version: "0.3.0",
		Limits:  engine.Limits{Steps: 1_000_000},
		Timeout: 2 * time.Minute, // steps and sizes are what the chunks are about
	}
}

// problemsOf are all problems of a server, of one that starts its warnings.
func problemsOf(t *testing.T, options load.Options) []*engine.Problem {
	t.Helper()
	snapshot, err := load.Load(context.Background(), options)
	var bad *report.Error
	if errors.As(err, &bad) {
		require.Nil(t, snapshot)
		return bad.Problems
	}
	require.NoError(t, err)
	return snapshot.Warnings
}

func TestEveryProblemIsReportedAtItsLine(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.star")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	messages := map[string]bool{} // without names, so that they count once
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".star"), func(t *testing.T) {
			for _, s := range servers(t, path) {
				t.Run(fmt.Sprintf("line %d", s.line), func(t *testing.T) {
					problems := problemsOf(t, optionsFor(s.files))
					s.check(t, problems)
					for _, p := range problems {
						messages[p.Code+" "+names.ReplaceAllString(p.Message, "…")] = true
					}
				})
			}
		})
	}
	require.Greater(t, len(messages), 150)
}

// names are what messages quote or call.
var names = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|[\\w/.@]+\\.star|\\w+\\(\\)|undefined: \\w+|\\d+")
