package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

const callHello = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":{"name":"hush"},` + envelope + `}}`

const helloServer = `
def greeting(name): return "hello " + name
def hello(name: str, text: resolve(greeting)) -> str: return text
tool(hello)
`

// An announcer keeps what is written to it, and does something when a text comes.
type announcer struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	when string
	do   func()
}

func (a *announcer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.buf.Write(p)
	if a.do != nil && strings.Contains(a.buf.String(), a.when) {
		a.do()
		a.do = nil
	}
	return len(p), nil
}

// await does something when a text comes, or has come.
func (a *announcer) await(when string, do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if strings.Contains(a.buf.String(), when) {
		do()
		return
	}
	a.when, a.do = when, do
}

func (a *announcer) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.buf.String()
}

// serving runs mcpstar serve over HTTP until the test ends, and gives what it has
// printed when it listens.
func serving(t *testing.T, args ...string) (printed string, stop func() (status int, all string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	listening, ended := make(chan struct{}), make(chan int, 1)
	out := &announcer{when: "listening on", do: func() { close(listening) }}
	go func() {
		ended <- run(ctx, append([]string{"serve", "--http", "127.0.0.1:0"}, args...), streams{in: strings.NewReader(""), out: out, err: out})
	}()
	select {
	case <-listening:
	case status := <-ended:
		require.FailNow(t, "the server has ended", "%d\n%s", status, out)
	}
	stopped := false
	stop = func() (int, string) {
		stopped = true
		cancel()
		status := <-ended
		return status, out.String()
	}
	t.Cleanup(func() {
		if !stopped {
			stop()
		}
	})
	return out.String(), stop
}

// postModern sends one message of 2026-07-28.
func postModern(t *testing.T, url, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"hello"}}
	return fetch(t, r)
}

func fetch(t *testing.T, r *http.Request) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(text)
}

func TestServeShowsOperatorsWhatItDoes(t *testing.T) {
	spans := filepath.Join(t.TempDir(), "spans")
	printed, stop := serving(t, script(t, helloServer), "--admin", "0", "--trace-file", spans, "--log-level", "info", "--log-format", "json")
	serves := regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(printed)
	metrics := regexp.MustCompile(`metrics at (\S+)`).FindStringSubmatch(printed)
	require.NotNil(t, serves, printed)
	require.NotNil(t, metrics, printed)
	require.Contains(t, postModern(t, serves[1], callHello), "hello hush")

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, metrics[1], nil)
	require.NoError(t, err)
	scraped := fetch(t, r)
	require.Contains(t, scraped, `mcpstar_calls_total{method="tools/call",name="hello",outcome="result"} 1`+"\n")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	require.NoError(t, err)
	ours := regexp.MustCompile(`mcpstar_[a-z]+(_[a-z]+)*`)
	for _, name := range ours.FindAllString(string(page), -1) {
		require.Contains(t, scraped, name, "the page names it")
	}
	for _, typed := range regexp.MustCompile(`# TYPE (mcpstar_\S+)`).FindAllStringSubmatch(scraped, -1) {
		require.Contains(t, string(page), "`"+typed[1]+"`", "the page knows every metric")
	}

	status, all := stop()
	require.Zero(t, status, all)
	require.Regexp(t, `"msg":"call","method":"tools/call","tool":"hello","revision":"2026-07-28","call":"[^"]+","round":1,"resolvers":1,"questions":0,"outcome":"result"`, all)
	require.NotContains(t, all, "hush")

	text, err := os.ReadFile(spans)
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var names []string
	for _, line := range lines {
		var span struct{ Name string }
		require.NoError(t, json.Unmarshal(line, &span))
		names = append(names, span.Name)
	}
	require.Equal(t, []string{"resolver shop:greeting", "tools/call hello"}, names)
	require.NotContains(t, string(text), "hush")
}

func TestServeSaysWhyItCanNotObserve(t *testing.T) {
	path := script(t, helloServer)
	for flag, value := range map[string]string{"--admin": "127.0.0.1:999999", "--trace-file": filepath.Join(t.TempDir(), "none", "x")} {
		got := mcpstar(t, nil, "serve", path, flag, value)
		require.Equal(t, exitUsage, got.status)
		require.Contains(t, got.err, flag+": ")
	}
}
