package record

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/golden/transcript"
	"github.com/mcpstar/mcpstar/starhost"
)

// TestMain lets the test binary be a server on its standard streams: a command to
// record.
func TestMain(m *testing.M) {
	if path := os.Getenv("RECORD_TEST_SERVER"); path != "" {
		host, err := starhost.LoadDir(context.Background(), path, starhost.Options{})
		if err == nil {
			err = host.ServeStdio(context.Background(), os.Stdin, os.Stdout)
		}
		if err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const shop = `
server(name = "Shop", version = "1")
Yes = model(yes = bool)
def confirm(): return elicit("Sure?", Yes)
def order(yes: resolve(confirm), ctx) -> str:
    ctx.progress(1, 2)
    return "ordered"
tool(order)
`

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"2"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

func script(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.star")
	require.NoError(t, os.WriteFile(path, []byte(shop), 0o644))
	return path
}

// conversation is a client: it sends a line for each that is given, with what
// came before in reach, and waits for an answer where one is due.
func TestACommandIsRecordedAsItRuns(t *testing.T) {
	t.Setenv("RECORD_TEST_SERVER", script(t))
	fromClient, client := io.Pipe()
	answers, toClient := io.Pipe()
	saved := make(chan string, 10)
	r := New(Options{Server: "shop.star", Transport: "stdio", Changed: func(text []byte) { saved <- string(text) }})
	ended := make(chan error, 1)
	go func() {
		ended <- Stdio(t.Context(), r, []string{os.Args[0]}, fromClient, toClient, io.Discard)
		_ = toClient.Close()
	}()
	lines := newLines(t, answers)
	say := func(text string) { _, err := io.WriteString(client, text+"\n"); require.NoError(t, err) }
	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"a client","version":"1"}}}`)
	require.Contains(t, lines.next(), `"serverInfo"`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(`{"jsonrpc":"2.0","id":"odd id","method":"tools/call","params":{"name":"order","arguments":{},"_meta":{"progressToken":"t1"}}}`)
	asked := lines.next()
	require.Contains(t, asked, "elicitation/create")
	id := must(t, asked).Get("id")
	say(`{"jsonrpc":"2.0","id":` + string(id.Compact()) + `,"result":{"action":"accept","content":{"yes":true}}}`)
	require.Contains(t, lines.next(), "notifications/progress")
	require.Contains(t, lines.next(), "ordered")
	require.NoError(t, client.Close())
	require.NoError(t, <-ended)

	text := string(r.Transcript())
	require.Equal(t, `Recorded from a client 1 with Shop 1.
eras: 2025-11-25        transports: stdio http
server: shop.star

-- client --
capabilities {"elicitation":{}}
-- 2025-11-25 --
--> r1 tools/call {"name": "order", "arguments": {}, "_meta": {"progressToken": "t1"}}
<-- s1 elicitation/create {
  "mode": "form",
  "message": "Sure?",
  "requestedSchema": {
    "properties": {"yes": {"title": "Yes", "type": "boolean"}},
    "required": ["yes"],
    "title": "Yes",
    "type": "object"
  }
}
--> s1 {"action": "accept", "content": {"yes": true}}
<~~ notifications/progress {"progressToken": "t1", "progress": 1, "total": 2}
<-- r1 {
  "content": [{"type": "text", "text": "ordered"}],
  "structuredContent": {"result": "ordered"},
  "isError": false
}
`, text)
	last := ""
	for len(saved) > 0 {
		last = <-saved
	}
	require.Equal(t, text, last, "what is on the disk when all is answered")
	_, err := transcript.Parse("x", []byte(text))
	require.NoError(t, err)
}

func must(t *testing.T, text string) *transcript.Value {
	t.Helper()
	v, err := transcript.ParseJSON([]byte(text))
	require.NoError(t, err)
	return v
}

type lines struct {
	t    *testing.T
	from io.Reader
	rest []byte
}

func newLines(t *testing.T, from io.Reader) *lines { return &lines{t: t, from: from} }

func (l *lines) next() string {
	for {
		if line, rest, ok := bytes.Cut(l.rest, []byte("\n")); ok {
			l.rest = rest
			return string(line)
		}
		p := make([]byte, 4096)
		n, err := l.from.Read(p)
		require.NoError(l.t, err)
		l.rest = append(l.rest, p[:n]...)
	}
}

func TestHTTPIsRecordedOnBothRevisions(t *testing.T) {
	host, err := starhost.LoadDir(t.Context(), script(t), starhost.Options{})
	require.NoError(t, err)
	server := httptest.NewServer(host.Handler())
	defer server.Close()
	target, err := url.Parse(server.URL)
	require.NoError(t, err)
	r := New(Options{Server: "shop.star", Transport: "http"})
	proxy := httptest.NewServer(HTTP(r, target))
	defer proxy.Close()

	post := func(body string, headers map[string]string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, proxy.URL+"/mcp", strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", "Bearer abcdefghijklmnop")
		for name, value := range headers {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(text)
	}
	call := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "order"}
	asked := must(t, post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order","arguments":{},`+meta+`}}`, call))
	state := asked.Get("result").Get("requestState").Text
	require.Contains(t, post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"order","arguments":{},"requestState":"`+state+`","inputResponses":{"shop:confirm":{"action":"decline"}},`+meta+`}}`, call), "decline")
	require.Contains(t, post(`{"jsonrpc":"2.0","id":3,"method":"nope","params":{`+meta+`}}`, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "nope"}), "-32601")

	text := string(r.Transcript())
	require.NotContains(t, text, "abcdefghijklmnop")
	require.NotContains(t, text, state)
	require.Contains(t, text, "Recorded from c 2 with Shop 1.\neras: 2026-07-28")
	require.Contains(t, text, `--> 1 tools/call {"name": "order", "arguments": {}}`+"\n")
	require.Contains(t, text, `"requestState": "${state:1}"`+"\n}\n\n--> 2 tools/call {\n")
	require.Contains(t, text, `"inputResponses": {"shop:confirm": {"action": "decline"}}`)
	require.Contains(t, text, `<-- 3 HTTP 404 error -32601 {"message": "Method not found", "data": "nope"}`)
	_, err = transcript.Parse("x", []byte(text))
	require.NoError(t, err)
}

func TestSecretsDoNotReachTheTranscript(t *testing.T) {
	secrets := []string{
		"Bearer aaaabbbbcccc", "sk-abcdefghijklmnopqrst", "ghp_abcdefghijklmnopqrstuvwxyz0123", "AKIAABCDEFGHIJKLMNOP",
		"eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl", "xoxb-1234567890-abc", "glpat-abcdefghijklmnopqrst", "://ann:hunter2@",
		"the declared one",
	}
	r := New(Options{Secrets: []string{"the declared one"}, Command: []string{"run", "--api-key", "K1", "--token=K2", "TOKEN=K3", "sk-abcdefghijklmnopqrst", "plain"}})
	for i, secret := range secrets {
		text := string(transcript.Text("before " + secret + " after").Compact())
		id := string(rune('1' + i))
		r.Client([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"x","arguments":{"q":` + text + `}}}`))
		r.Server([]byte(`{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[{"type":"text","text":`+text+`}]}}`), 0)
	}
	r.Client([]byte(`{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"arguments":{"password":"P1","apiKey":"P2","nested":{"access_token":"P3","PIN_SECRET":12345},"tokens":3,"token":null},"_meta":{"progressToken":"keep"}}}`))
	r.Server([]byte(`{"jsonrpc":"2.0","id":"n","result":{"structuredContent":{"client_secret":"P4","nextPageToken":"keep2"}}}`), 0)
	text := string(r.Transcript())
	for _, secret := range append(secrets, "P1", "P2", "P3", "P4", "12345", "K1", "K2", "K3") {
		require.NotContains(t, text, secret)
	}
	for _, kept := range []string{"keep", "keep2", `"tokens": 3`, `"token": null`, "before [redacted] after", `"before ${any} after"`, `"client_secret": "${any}"`, `"plain"]`} {
		require.Contains(t, text, kept)
	}
	_, err := transcript.Parse("x", []byte(text))
	require.NoError(t, err)
}

func TestAnswersThatOvertakeEachOtherAreAGroup(t *testing.T) {
	r := New(Options{})
	r.Client([]byte(`{"jsonrpc":"2.0","id":1,"method":"a/b"}`))
	r.Client([]byte(`{"jsonrpc":"2.0","id":2,"method":"a/b"}`))
	r.Server([]byte(`{"jsonrpc":"2.0","id":2,"result":{}}`), 0)
	r.Server([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`), 0)
	r.Server([]byte(`not a message`), 0)
	require.Contains(t, string(r.Transcript()), "--> 1 a/b\n--> 2 a/b\n{{\n<-- 2 {}\n<-- 1 error -1 {\"message\": \"no\"}\n}}\n")
}

func TestAnInspectorExportBecomesATranscript(t *testing.T) {
	export := `[
	{"id":"a","timestamp":"2026-05-01T10:00:00.000Z","direction":"request","message":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"inspector","version":"2"}}},"response":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"Shop","version":"1"}}},"duration":5},
	{"id":"b","timestamp":"2026-05-01T10:00:00.010Z","direction":"notification","message":{"jsonrpc":"2.0","method":"notifications/initialized"}},
	{"id":"c","timestamp":"2026-05-01T10:00:01.000Z","direction":"request","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order","arguments":{}}},"response":{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}},"duration":900},
	{"id":"d","timestamp":"2026-05-01T10:00:01.200Z","direction":"request","message":{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"Sure?"}},"response":{"jsonrpc":"2.0","id":7,"result":{"action":"decline"}},"duration":500},
	{"id":"e","timestamp":"2026-05-01T10:00:01.800Z","direction":"notification","message":{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}}
	]`
	text, err := Inspector([]byte(export), Options{Server: "shop.star", Transport: "http"})
	require.NoError(t, err)
	require.Equal(t, `Recorded from inspector 2 with Shop 1.
eras: 2025-11-25        transports: stdio http
server: shop.star

-- client --
capabilities {"elicitation":{}}
-- 2025-11-25 --
--> 1 tools/call {"name": "order", "arguments": {}}
<-- s1 elicitation/create {"message": "Sure?"}
--> s1 {"action": "decline"}
<~~ notifications/message {"level": "info", "data": "x"}
<-- 1 {"content": [], "isError": false}
`, string(text))
	for bad, says := range map[string]string{
		`{`:                   "no protocol export",
		`[]`:                  "no messages",
		`[{"timestamp":"x"}]`: "entry 1 of the export has no message",
		`[{"timestamp":"x","message":{"method":"a"}}]`: "entry 1 of the export has no timestamp",
	} {
		_, err := Inspector([]byte(bad), Options{})
		require.ErrorContains(t, err, says)
	}
}
