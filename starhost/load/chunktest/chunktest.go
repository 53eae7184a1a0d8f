package chunktest

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
)

// A Chunk is one script of a file.
type Chunk struct {
	// Source is the script behind as many empty lines as it has above it in
	// the file, with its expectations, which are comments.
	Source []byte
	// Line is the first line of the script in the file.
	Line int

	file  string
	wants []want
}

type want struct {
	line    int
	pattern *regexp.Regexp
}

// marker begins an expectation. The pattern behind it is a Go string literal.
const marker = "###"

// Read cuts the file into its chunks. A bad expectation ends the test.
func Read(t testing.TB, file string) []*Chunk {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var chunks []*Chunk
	chunk := &Chunk{file: file, Line: 1}
	for i, line := range bytes.SplitAfter(data, []byte("\n")) {
		if strings.TrimRight(string(line), "\r\n") == "---" {
			chunks = append(chunks, chunk)
			chunk = &Chunk{file: file, Line: i + 2, Source: bytes.Repeat([]byte("\n"), i+1)}
			continue
		}
		chunk.Source = append(chunk.Source, line...)
		for _, text := range strings.Split(string(line), marker)[1:] {
			pattern, err := strconv.Unquote(strings.TrimSpace(text))
			require.NoError(t, err, "%s:%d: the expectation is not a quoted string", file, i+1)
			re, err := regexp.Compile(pattern)
			require.NoError(t, err, "%s:%d", file, i+1)
			chunk.wants = append(chunk.wants, want{line: i + 1, pattern: re})
		}
	}
	return append(chunks, chunk)
}

// Name is a name for the chunk's subtest.
func (c *Chunk) Name() string { return fmt.Sprintf("line %d", c.Line) }

// Check compares the problems with the expectations: each problem needs one of
// its own on the line it begins at, which matches "CODE: MESSAGE (HELP)". The
// backquotes that set off code in a message are left out of that text, so that
// patterns stay readable.
func (c *Chunk) Check(t testing.TB, problems []*engine.Problem) {
	t.Helper()
	open := append([]want(nil), c.wants...)
problems:
	for _, p := range problems {
		text := strings.ReplaceAll(fmt.Sprintf("%s: %s (%s)", p.Code, p.Message, p.Help), "`", "")
		line := int(p.At.Span.Start.Line)
		for i, w := range open {
			if w.line == line && w.pattern.MatchString(text) {
				open = append(open[:i], open[i+1:]...)
				continue problems
			}
		}
		t.Errorf("%s:%d: unexpected problem %s", c.file, line, text)
	}
	for _, w := range open {
		t.Errorf("%s:%d: no problem matches %q", c.file, w.line, w.pattern)
	}
}
