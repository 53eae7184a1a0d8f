package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// README shows only what happens: its commands are run here, with what they
// print, its script is the example's, its JSON is JSON.
func TestREADMEShowsWhatHappens(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	blocks := codeBlocks(string(text))
	require.NotEmpty(t, blocks["console"])
	for _, block := range blocks["console"] {
		for _, session := range sessions(block) {
			t.Run(session.command, func(t *testing.T) { session.check(t) })
		}
	}
	for _, block := range blocks["json"] {
		require.True(t, json.Valid([]byte(block)), block)
	}
	require.Len(t, blocks["python"], 1)
	example, err := os.ReadFile("examples/bookshop/backorder.star")
	require.NoError(t, err)
	require.Equal(t, blocks["python"][0], withoutHead(string(example)))
}

// Every link of README and of the pages leads to a file that is there.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), m[1]))
			require.NoErrorf(t, err, "%s links to %s", page, m[1])
		}
	}
}

// codeBlocks are the fenced blocks of a page, by language.
func codeBlocks(page string) map[string][]string {
	blocks := map[string][]string{}
	for _, b := range fenced(page) {
		blocks[b.language] = append(blocks[b.language], b.text)
	}
	return blocks
}

// withoutHead is a script without the comment at its top.
func withoutHead(script string) string {
	_, body, _ := strings.Cut(script, "\n\n")
	return body
}

// A session is a command of a console block and what it prints.
type session struct{ command, output string }

func sessions(block string) []session {
	var list []session
	for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
		command, output, _ := strings.Cut(part, "\n")
		list = append(list, session{command, strings.TrimSuffix(output, "\n")})
	}
	return list
}

func (s session) check(t *testing.T) {
	words := shellWords(s.command)
	switch {
	case s.command == "go test ./...":
		require.Empty(t, s.output) // this is it
		return
	case len(words) > 3 && words[0] == "go" && words[1] == "run" && words[2] == "./cmd/mcpstar":
		words = words[3:]
	default:
		require.Equal(t, "mcpstar", words[0])
		words = words[1:]
	}
	for i, w := range words {
		words[i] = strings.Replace(w, "127.0.0.1:8080", "127.0.0.1:0", 1)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &transcript{when: "listening on", do: cancel}
	run(ctx, words, streams{in: strings.NewReader(""), out: out, err: out})
	got := regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(out.String(), "127.0.0.1:8080")
	require.Equal(t, strings.TrimRight(s.output, "\n"), strings.TrimRight(got, "\n"))
}

// A transcript keeps what is written to it, and does something when a text comes.
type transcript struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	when string
	do   func()
}

func (o *transcript) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if bytes.Contains(p, []byte(o.when)) {
		o.do()
	}
	return o.buf.Write(p)
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// shellWords splits a command as a shell would that knows only single quotes.
func shellWords(command string) []string {
	var words []string
	var word strings.Builder
	quoted := false
	for _, r := range command {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return append(words, word.String())
}
