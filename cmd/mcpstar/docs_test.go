package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every script in the pages loads, and every command prints what the page says.
// A script names its file in its first line, and so does a transcript; a part of a
// transcript is what stands in the file by then. A text that names a file is that
// file.
func TestPagesShowWhatHappens(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	named := regexp.MustCompile(`^# (\S+\.\w+)\n`)
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			t.Chdir(t.TempDir())
			for _, block := range fenced(string(text)) {
				switch block.language {
				case "python":
					first, _, _ := strings.Cut(block.text, "\n")
					name, ok := strings.CutPrefix(first, "# ")
					require.Truef(t, ok, "%s: a script has to name its file: %s", page, first)
					require.NoError(t, os.WriteFile(name, []byte(block.text), 0o644))
					if strings.HasSuffix(name, "_test.star") {
						continue // it is run, which loads it
					}
					got := mcpstar(t, nil, "check", name)
					require.Equalf(t, 0, got.status, "%s\n%s", name, got.err)
				case "text":
					if m := named.FindStringSubmatch(block.text); m != nil {
						require.NoError(t, os.WriteFile(m[1], []byte(block.text), 0o644))
					}
				case "txtar":
					first, rest, _ := strings.Cut(block.text, "\n")
					if name, part := strings.CutPrefix(first, "# part of "); part {
						whole, err := os.ReadFile(name)
						require.NoError(t, err)
						require.Contains(t, string(whole), rest)
						continue
					}
					name, ok := strings.CutPrefix(first, "# ")
					require.Truef(t, ok, "%s: a transcript has to name its file: %s", page, first)
					require.NoError(t, os.WriteFile(name, []byte(rest), 0o644))
				case "console":
					for _, s := range sessions(block.text) {
						s.check(t)
					}
				}
			}
		})
	}
}

// A block is a fenced block of a page.
type block struct{ language, text string }

// fenced are the fenced blocks of a page in order.
func fenced(page string) []block {
	var blocks []block
	fence := regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```")
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	return blocks
}
