package starhost_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// serve loads a server of one script, shop.star.
func serve(t testing.TB, script string) *starhost.Host {
	t.Helper()
	return serveWith(t, script, starhost.Options{})
}

// serveWith loads a server of one script with options.
func serveWith(t testing.TB, script string, options starhost.Options) *starhost.Host {
	t.Helper()
	if *isolated && crosses(options) {
		return serveIsolated(t, script, options)
	}
	return serveHere(t, script, options)
}

// serveHere loads a script into this process. In a bubble of synctest it is the only
// way.
func serveHere(t testing.TB, script string, options starhost.Options) *starhost.Host {
	t.Helper()
	options.Entry = "shop.star"
	host, err := starhost.Load(context.Background(), files(script), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close(context.Background())) })
	return host
}

// files is a folder with shop.star.
func files(script string) fstest.MapFS {
	return fstest.MapFS{"shop.star": {Data: []byte(script)}}
}

// refusal is the load report of a script.
func refusal(t testing.TB, script string) string {
	t.Helper()
	_, err := starhost.Load(context.Background(), files(script), starhost.Options{Entry: "shop.star"})
	require.Error(t, err)
	return err.Error()
}

// onBoth tries a script on both revisions, each time with a server of its own.
func onBoth(t *testing.T, script string, test func(t *testing.T, c *client)) {
	t.Helper()
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) { test(t, connect(t, serve(t, script), revision)) })
	}
}

// A printout collects what scripts print, line by line.
type printout struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printout) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

// take gives the lines since the last take.
func (p *printout) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.TrimSuffix(p.text.String(), "\n")
	p.text.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// onBothPrinting is onBoth with what the script prints.
func onBothPrinting(t *testing.T, script string, test func(t *testing.T, c *client, out *printout)) {
	t.Helper()
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) {
			out := new(printout)
			host := serveWith(t, script, starhost.Options{Output: out})
			out.take()
			test(t, connect(t, host, revision), out)
		})
	}
}

// logTo is a logger that writes to out.
func logTo(out *printout) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// serveFolder loads a server of several files.
func serveFolder(t testing.TB, texts map[string]string, entry string) *starhost.Host {
	t.Helper()
	folder := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return serveDir(t, filepath.Join(folder, filepath.FromSlash(entry)))
}

// serveDir loads the server at a path.
func serveDir(t testing.TB, path string) *starhost.Host {
	t.Helper()
	options := starhost.Options{}
	if *isolated {
		options.Isolate = isolation(t, path, options)
	}
	host, err := starhost.LoadDir(context.Background(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close(context.Background())) })
	return host
}
