package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

func TestRecordWantsToKnowWhatAndWhere(t *testing.T) {
	there := filepath.Join(t.TempDir(), "a.txtar")
	require.NoError(t, os.WriteFile(there, nil, 0o644))
	for says, args := range map[string][]string{
		"-o NAME.txtar":              {"record", "--", "true"},
		"say which server":           {"record", "-o", "x.txtar"},
		"which server is it":         {"record", "-o", "x.txtar", "--http", "http://x/", "--", "true"},
		"is there already":           {"record", "-o", there, "--", "true"},
		"--http wants a URL":         {"record", "-o", "x.txtar", "--http", "nonsense"},
		"listens on this machine":    {"record", "-o", "x.txtar", "--http", "http://127.0.0.1:1/mcp", "--listen", "0.0.0.0:0"},
		"executable file not found":  {"record", "-o", "x.txtar", "--", "no-such-command-here"},
		"nothing was said, nothing ": {"record", "-o", "x.txtar", "--", "true"},
	} {
		got := mcpstar(t, nil, args...)
		require.Contains(t, got.err, says)
		if !strings.HasPrefix(says, "nothing") {
			require.Equal(t, 2, got.status, says)
		}
	}
	require.NoFileExists(t, "x.txtar")
}

func TestRecordWritesWhatACommandSays(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.txtar")
	t.Setenv("SHOP_API_KEY", "a-value-that-nobody-may-see")
	var stdout, stderr bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	status := run(t.Context(), []string{"record", "-o", out, "--", "sh", "-c",
		`read line; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"key\":\"$SHOP_API_KEY\"}}"`}, streams{in: strings.NewReader(in), out: &stdout, err: &stderr})
	require.Equal(t, 0, status, stderr.String())
	require.Contains(t, stdout.String(), "a-value-that-nobody-may-see", "the client gets what it gets")
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Contains(t, string(text), `command: ["sh","-c",`)
	require.Contains(t, string(text), `<-- 1 {"key": "${any}"}`)
	info, err := os.Stat(out)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "for one's own eyes first")
}

func TestRecordNamesTheScriptOfAServer(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "shop.star"), nil, 0o644))
	path := filepath.Join(folder, "shop.star")
	script, words := serverOf([]string{"mcpstar", "serve", path}, filepath.Join(folder, "tests", "a.txtar"))
	require.Equal(t, "../shop.star", script)
	require.Nil(t, words)
	script, words = serverOf([]string{"npx", "serve", "nothing.star"}, "a.txtar")
	require.Empty(t, script)
	require.Equal(t, []string{"npx", "serve", "nothing.star"}, words)
}

func TestRecordListensBeforeAServer(t *testing.T) {
	host, err := starhost.LoadDir(t.Context(), example("reserve.star"), starhost.Options{})
	require.NoError(t, err)
	server := httptest.NewServer(host.Handler())
	defer server.Close()
	file := filepath.Join(t.TempDir(), "a.txtar")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	listening := make(chan struct{}, 1)
	stderr := &transcript{when: "listening on", do: func() { listening <- struct{}{} }}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"record", "-o", file, "--http", server.URL + "/mcp"}, streams{in: strings.NewReader(""), out: stderr, err: stderr})
	}()
	<-listening
	url := regexp.MustCompile(`http://\S+`).FindString(eventually(stderr))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Authorization": "Bearer hush",
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)
	cancel()
	require.Equal(t, 0, <-ended, stderr.String())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "--> 1 tools/list {}\n<-- 1 {\n")
	require.NotContains(t, string(text), "hush")
}

// eventually is what was written when the writer has let go of it.
func eventually(o *transcript) string {
	for {
		if text := o.String(); strings.Contains(text, "\n") {
			return text
		}
	}
}
