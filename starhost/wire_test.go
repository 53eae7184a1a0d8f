package starhost_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost"
)

// The envelope around calls, on stdio and over HTTP.

const greeting = `
def hello(name: str = "you") -> str: return "hello " + name
tool(hello)
`

// ask sends one request as it is and gives the response to it.
func (p *pipe) ask(body string) message {
	p.t.Helper()
	p.send(body)
	return p.next()
}

const helloParams = `"params":{"name":"hello","arguments":{"name":"Ann"}`

func TestHandshakeAgreesOnARevision(t *testing.T) {
	for wanted, agreed := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "2099-01-01": "2025-11-25", "1.0": "2025-11-25", "": "2025-11-25",
	} {
		p := dial(t, serve(t, greeting))
		m := p.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + wanted + `","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`)
		require.Nil(t, m.Error, wanted)
		require.Contains(t, string(m.Result), `"protocolVersion":"`+agreed+`"`, wanted)
		p.notify("notifications/initialized", nil)
		m = p.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call",` + helloParams + `}}`)
		require.Contains(t, string(m.Result), "hello Ann")
	}
}

func TestHandshakeOfAFutureRevisionCanStillBeAsked(t *testing.T) {
	p := dial(t, serve(t, chain))
	p.ask(`{"jsonrpc":"2.0","id":"x","method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"x","version":"0"}}}`)
	p.notify("notifications/initialized", nil)
	c := &client{connection: p, t: t, revision: handshake}
	var seen []string
	require.Equal(t, "Ann: Moby-Dick", c.call("recommend", `{"reader":"Ann"}`, readerOfTheChain(t, &seen)).text())
}

func TestNothingButPingComesBeforeTheHandshake(t *testing.T) {
	p := dial(t, serve(t, greeting))
	require.Nil(t, p.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).Error)
	for _, method := range []string{"tools/list", "tools/call", "logging/setLevel"} {
		m := p.ask(`{"jsonrpc":"2.0","id":2,"method":"` + method + `","params":{"name":"hello"}}`)
		require.Equal(t, &rpcError{Code: -32602, Message: "Invalid request parameters", Data: json.RawMessage(`""`)}, m.Error)
	}
	c := &client{connection: p, t: t, revision: handshake, declares: `{}`}
	c.greet()
	require.Equal(t, "hello you", c.call("hello", "", nobody).text(), "and then it works")
}

func TestOneConnectionSpeaksOneEra(t *testing.T) {
	old := connect(t, serve(t, greeting), handshake)
	enveloped := &client{connection: old.connection, t: t, revision: rounds, declares: `{}`}
	enveloped.once("hello", "", "", nobody).refused(-32600,
		"this connection serves the handshake protocol era; requests carrying the 2026-07-28 envelope are not accepted on it", ``)
	require.Equal(t, "hello you", old.call("hello", "", nobody).text())

	modern := connect(t, serve(t, greeting), rounds)
	require.Equal(t, "hello you", modern.call("hello", "", nobody).text())
	m := modern.pipe().ask(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`)
	require.NotNil(t, m.Error)
	require.Equal(t, -32022, m.Error.Code)
	require.JSONEq(t, `{"supported":["2026-07-28"],"requested":"2025-11-25"}`, string(m.Error.Data))
	require.Equal(t, "hello you", modern.call("hello", "", nobody).text())
}

// A bad line is answered, and the connection goes on.
func TestBadLineIsAnsweredAndStdioGoesOn(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, serve(t, greeting), revision)
		for line, code := range map[string]int{
			`what?`: -32700, `{"jsonrpc":"2.0","id":1`: -32700, `{"a":NaN}`: -32700, "{\"a\":\"\xff\"}": -32700,
			`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`: -32600, `7`: -32600, `{}`: -32600, `{"jsonrpc":"1.0","id":1,"method":"ping"}`: -32600,
			`{"jsonrpc":"2.0","id":{},"method":"ping"}`:      -32600,
			strings.Repeat("[", 100_000):                     -32600,
			`{"x":` + strings.Repeat(`{"x":`, 100_000) + `1`: -32600,
		} {
			m := c.pipe().ask(line)
			require.NotNil(t, m.Error, "%.40s", line)
			require.Equal(t, code, m.Error.Code, "%.40s", line)
			require.Less(t, len(m.Error.Message), 300)
		}
		require.Equal(t, "hello you", c.call("hello", "", nobody).text())
	}
}

func TestRequestIDsComeBackExactly(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, serve(t, greeting), revision)
		for _, id := range []string{`0`, `-1`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"x"`, `"ü"`} {
			m := c.pipe().ask(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":` + string(c.params("hello", "", "")) + `}`)
			require.Equal(t, id, string(m.ID))
			require.Contains(t, string(m.Result), "hello you")
		}
	}
}

const (
	metaVersion      = `"io.modelcontextprotocol/protocolVersion"`
	metaCapabilities = `"io.modelcontextprotocol/clientCapabilities"`
)

func TestEnvelopeIsJudged(t *testing.T) {
	for meta, want := range map[string]rpcError{
		`,"_meta":{` + metaVersion + `:"2026-07-28"}`: {Code: -32602, Message: `params._meta is missing the required envelope key(s): io.modelcontextprotocol/clientCapabilities`},
		`,"_meta":{` + metaCapabilities + `:{}}`:      {Code: -32602, Message: `params._meta is missing the required envelope key(s): io.modelcontextprotocol/protocolVersion`},
		`,"_meta":7`:                                  {Code: -32602, Message: `params._meta must be an object carrying the required 'io.modelcontextprotocol/protocolVersion' and 'io.modelcontextprotocol/clientCapabilities' envelope keys`},
		``:                                            {Code: -32602, Message: `params._meta must be an object carrying the required 'io.modelcontextprotocol/protocolVersion' and 'io.modelcontextprotocol/clientCapabilities' envelope keys`},
		`,"_meta":{` + metaVersion + `:"2099-01-01",` + metaCapabilities + `:{}}`:                {Code: -32022, Message: "Unsupported protocol version", Data: json.RawMessage(`{"supported":["2026-07-28"],"requested":"2099-01-01"}`)},
		`,"_meta":{` + metaVersion + `:7,` + metaCapabilities + `:{}}`:                           {Code: -32602, Message: "the protocol-version envelope value must be a string"},
		`,"_meta":{` + metaVersion + `:"2026-07-28",` + metaCapabilities + `:[]}`:                {Code: -32602, Message: "Invalid request parameters", Data: json.RawMessage(`""`)},
		`,"_meta":{` + metaVersion + `:"2026-07-28",` + metaCapabilities + `:{"elicitation":7}}`: {Code: -32602, Message: "Invalid request parameters", Data: json.RawMessage(`""`)},
	} {
		c := connect(t, serve(t, greeting), rounds)
		require.Equal(t, "hello you", c.call("hello", "", nobody).text(), "the connection is of that era")
		m := c.pipe().ask(`{"jsonrpc":"2.0","id":"e","method":"tools/call",` + helloParams + meta + `}}`)
		require.NotNil(t, m.Error, meta)
		require.Equal(t, want.Code, m.Error.Code, meta)
		require.Equal(t, want.Message, m.Error.Message, meta)
		if want.Data != nil {
			require.JSONEq(t, string(want.Data), string(m.Error.Data), meta)
		}
		require.Equal(t, "hello you", c.call("hello", "", nobody).text(), "and goes on")
	}
}

func TestClientInfoIsOptional(t *testing.T) {
	c := connect(t, serve(t, `
def who(ctx) -> str: return "<%s %s>" % (ctx.client.name, ctx.client.version)
tool(who)
`), rounds)
	m := c.pipe().ask(`{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{"name":"who","_meta":{` + metaVersion + `:"2026-07-28",` + metaCapabilities + `:{}}}}`)
	require.Contains(t, string(m.Result), "< >")
}

func TestDiscoverTellsWhatTheServerIs(t *testing.T) {
	c := connect(t, serve(t, `server(name = "Books", title = "The shop", version = "1.2", instructions = "Ask for books.")`+greeting), rounds)
	m := c.request("server/discover", json.RawMessage(`{`+strings.TrimPrefix(c.envelope(), ",")+`}`), nobody)
	require.Nil(t, m.Error)
	var result struct {
		Capabilities      struct{ Tools map[string]bool }
		SupportedVersions []string
		Instructions      string
		ResultType        string
		TTL               *int `json:"ttlMs"`
	}
	require.NoError(t, json.Unmarshal(m.Result, &result))
	require.True(t, result.Capabilities.Tools["listChanged"])
	require.Contains(t, result.SupportedVersions, rounds)
	require.Equal(t, "Ask for books.", result.Instructions)
	require.Equal(t, "complete", result.ResultType)
	require.NotNil(t, result.TTL)
	require.Contains(t, string(m.Result), `"io.modelcontextprotocol/serverInfo":{"name":"Books"`)
}

func TestHandshakeMethodsDoNotExistInRounds(t *testing.T) {
	c := connect(t, serve(t, greeting), rounds)
	c.call("hello", "", nobody)
	for _, method := range []string{"ping", "logging/setLevel", "no/such"} {
		m := c.request(method, json.RawMessage(`{"level":"info"`+c.envelope()+`}`), nobody)
		require.NotNil(t, m.Error, method)
		require.Equal(t, -32601, m.Error.Code)
		require.Equal(t, "Method not found", m.Error.Message)
		require.Equal(t, `"`+method+`"`, string(m.Error.Data))
	}
}

func TestBothRevisionsAreServedOnOneURL(t *testing.T) {
	url := online(t, serve(t, greeting))
	for _, revision := range []string{handshake, rounds, handshake, "2025-06-18"} {
		c := connectOnline(t, url, revision, `{}`)
		require.Equal(t, "hello Ann", c.call("hello", `{"name":"Ann"}`, nobody).text())
	}
}

func TestHTTPQuestionRidesTheStreamOfItsCall(t *testing.T) {
	c := connectOnline(t, online(t, serve(t, twoQuestions)), handshake, allCapabilities)
	played := c.call("order", dune, answering("How many", accept(`{"copies":2}`), "Who gets", accept(`{"name":"Ann"}`)))
	require.Equal(t, "2 Dune for Ann", played.text())
	require.Equal(t, "text/event-stream", c.web().header.Get("Content-Type"))
	require.Equal(t, http.StatusOK, c.web().status)
}

func TestRoundsOverHTTPHaveNoSession(t *testing.T) {
	c := connectOnline(t, online(t, serve(t, twoQuestions)), rounds, allCapabilities)
	played := c.call("order", dune, answering("How many", accept(`{"copies":2}`), "Who gets", accept(`{"name":"Ann"}`)))
	require.Equal(t, "2 Dune for Ann", played.text())
	require.Equal(t, "application/json", c.web().header.Get("Content-Type"))
	require.Empty(t, c.web().header.Get("Mcp-Session-Id"))
}

func TestHTTPStatusFollowsTheErrorCode(t *testing.T) {
	url := online(t, serve(t, asksEverything+failing))
	modern := connectOnline(t, url, rounds, `{}`)
	old := connectOnline(t, url, handshake, `{}`)
	try := func(code, status int, r reply) {
		t.Helper()
		if code == 0 {
			r.failure()
		} else {
			require.NotNil(t, r.err)
			require.Equal(t, code, r.err.Code)
		}
		require.Equal(t, status, modern.web().status, code)
	}
	try(-32021, 400, modern.once("f", "", "", nobody))
	try(-32602, 400, modern.once("f", `[]`, "", nobody))
	try(-32602, 400, modern.once("f", "", `,"requestState":"bad"`, nobody))
	try(-32055, 200, modern.once("in_tool", `{"how":"protocol"}`, "", nobody))
	try(0, 200, modern.once("in_tool", `{"how":"fail"}`, "", nobody))
	try(0, 200, modern.once("nobody", "", "", nobody))
	m := modern.request("ping", json.RawMessage(`{`+strings.TrimPrefix(modern.envelope(), ",")+`}`), nobody)
	require.Equal(t, -32601, m.Error.Code)
	require.Equal(t, 404, modern.web().status)

	for _, r := range []reply{old.once("f", "", "", nobody), old.once("f", "", `,"requestState":"bad"`, nobody), old.once("in_tool", `{"how":"protocol"}`, "", nobody)} {
		require.NotNil(t, r.err)
		require.Equal(t, 200, old.web().status)
	}
}

func TestHTTPHeadersMustRepeatTheBody(t *testing.T) {
	c := connectOnline(t, online(t, serve(t, greeting)), rounds, `{}`)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + string(c.params("hello", "", "")) + `}`
	for name, edit := range map[string]func(http.Header){
		"mcp-protocol-version": func(h http.Header) { h.Add("MCP-Protocol-Version", rounds) },
		"mcp-method":           func(h http.Header) { h.Set("Mcp-Method", "tools/list") },
		"mcp-name":             func(h http.Header) { h.Set("Mcp-Name", "other") },
		"mcp-name header is":   func(h http.Header) { h.Del("Mcp-Name") },
		"mcp-name header does": func(h http.Header) { h.Set("Mcp-Name", "=?base64?aGVsbA==?=") },
	} {
		m := c.web().judged([]byte(c.web().post(body, func(r *http.Request) { edit(r.Header) })))
		require.Equal(t, http.StatusBadRequest, c.web().status, name)
		require.NotNil(t, m.Error)
		require.Equal(t, -32020, m.Error.Code)
		require.Contains(t, m.Error.Message, name)
	}
	require.Contains(t, c.web().post(body, func(r *http.Request) { r.Header.Set("Mcp-Name", "=?base64?aGVsbG8=?=") }), "hello you")
}

func TestHTTPRefusesWhatIsNoMessage(t *testing.T) {
	c := connectOnline(t, online(t, serve(t, greeting)), rounds, `{}`)
	w := c.web()
	for body, code := range map[string]int{`what?`: -32700, `[]`: -32600, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`: -32600} {
		m := w.judged([]byte(w.post(body, nil)))
		require.Equal(t, http.StatusBadRequest, w.status)
		require.Equal(t, code, m.Error.Code)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + string(c.params("hello", "", "")) + `}`
	w.post(body, func(r *http.Request) { r.Header.Set("Accept", "text/html") })
	require.Equal(t, http.StatusNotAcceptable, w.status)
	w.post(body, func(r *http.Request) { r.Method = http.MethodGet })
	require.Equal(t, http.StatusMethodNotAllowed, w.status)
	require.Contains(t, w.header.Get("Allow"), http.MethodPost)
	require.Empty(t, w.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil))
	require.Equal(t, http.StatusAccepted, w.status)
}

func TestProgressTurnsAnAnswerIntoAStream(t *testing.T) {
	c := connectOnline(t, online(t, serve(t, contexts)), rounds, `{}`)
	c.meta = `,"progressToken":"p"`
	require.Equal(t, "done", c.call("work", "", nobody).text())
	require.Equal(t, "text/event-stream", c.web().header.Get("Content-Type"))
	require.Len(t, c.web().notes, 3)
	c.meta = ""
	require.Equal(t, "done", c.call("work", "", nobody).text())
	require.Equal(t, "application/json", c.web().header.Get("Content-Type"))
}

// A body of 2026-07-28 is taken as such, whatever the version header says of it; a
// handshake's body needs its session.
func TestEnvelopeDecidesTheEraOverHTTP(t *testing.T) {
	url := online(t, serve(t, greeting))
	c := connectOnline(t, url, rounds, `{}`)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + string(c.params("hello", "", "")) + `}`
	m := c.web().judged([]byte(c.web().post(body, func(r *http.Request) { r.Header.Del("MCP-Protocol-Version") })))
	require.NotNil(t, m.Error)
	require.Equal(t, -32020, m.Error.Code, "it is told which header it lacks")
	require.Contains(t, m.Error.Message, "mcp-protocol-version")

	m = c.web().judged([]byte(c.web().post(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+helloParams+`}}`, func(r *http.Request) { r.Header.Del("MCP-Protocol-Version") })))
	require.Equal(t, http.StatusBadRequest, c.web().status)
	require.Equal(t, "Bad Request: Missing session ID", m.Error.Message)
	require.Equal(t, -32600, m.Error.Code)

	m = c.web().judged([]byte(c.web().post(body, func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "2099-01-01") })))
	require.Equal(t, http.StatusBadRequest, c.web().status)
	require.NotNil(t, m.Error)
}

func TestHTTPSessionLivesFromInitializeToDelete(t *testing.T) {
	url := online(t, serve(t, greeting))
	c := connectOnline(t, url, handshake, `{}`)
	w := c.web()
	call := `{"jsonrpc":"2.0","id":9,"method":"tools/call",` + helloParams + `}}`
	with := func(id string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Del("Mcp-Session-Id")
			if id != "" {
				r.Header.Set("Mcp-Session-Id", id)
			}
		}
	}
	require.Contains(t, w.post(call, func(r *http.Request) { r.Header.Del("MCP-Protocol-Version") }), "hello Ann", "the version header may be missing")
	w.post(call, with(""))
	require.Equal(t, http.StatusBadRequest, w.status)
	require.Contains(t, w.post(call, with("nobody")), "Session not found")
	require.Equal(t, http.StatusNotFound, w.status)
	w.post("", func(r *http.Request) { r.Method = http.MethodDelete })
	require.Less(t, w.status, 300)
	require.Contains(t, w.post(call, nil), "Session has been terminated")
	require.Equal(t, http.StatusNotFound, w.status)
}

func TestHeadersReachTheScriptWithoutCredentials(t *testing.T) {
	url := online(t, serve(t, `
def seen(ctx): return ctx.headers
def run(h: resolve(seen), ctx) -> dict: return {"a": h, "same": h == ctx.headers}
tool(run)
`))
	for _, revision := range []string{handshake, rounds} {
		c := connectOnline(t, url, revision, `{}`)
		body := `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":` + string(c.params("run", "", "")) + `}`
		got := c.web().post(body, func(r *http.Request) {
			r.Header.Set("X-Locale", "de")
			r.Header.Add("X-Locale", "fr")
			r.Header.Set("Authorization", "Bearer top-secret")
			r.Header.Set("Cookie", "id=top-secret")
			r.Header.Set("Proxy-Authorization", "top-secret")
		})
		require.Contains(t, got, `\"x-locale\": \"de, fr\"`)
		require.Contains(t, got, `\"same\": true`)
		require.NotContains(t, got, "top-secret")
	}
}

func TestCancelledHTTPCallIsAnswered(t *testing.T) {
	c := connectOnline(t, online(t, serve(t, twoQuestions)), handshake, allCapabilities)
	w := c.web()
	m := c.request("tools/call", c.params("order", dune, ""), func(q question) string {
		w.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+strconv.Itoa(w.ids)+`}}`, nil)
		require.Equal(t, http.StatusAccepted, w.status)
		return accept(`{"copies":2}`)
	})
	require.NotNil(t, m.Error)
	require.Equal(t, -32800, m.Error.Code)
	require.Equal(t, "Request cancelled", m.Error.Message)
}

func TestHTTPKeepsForeignPagesOut(t *testing.T) {
	c := connectOnline(t, online(t, serve(t, greeting)), rounds, `{}`)
	w := c.web()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + string(c.params("hello", "", "")) + `}`
	for _, try := range []struct {
		edit   func(*http.Request)
		status int
		text   string
	}{
		{func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden, "Invalid Origin header"},
		{func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest, "Invalid Host header"},
		{func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, http.StatusBadRequest, "Invalid Content-Type header"},
	} {
		require.Contains(t, w.post(body, try.edit), try.text)
		require.Equal(t, try.status, w.status)
	}
	require.Contains(t, w.post(`{"jsonrpc":"2.0","x":"`+strings.Repeat("x", 5<<20)+`"}`, nil), "Request body too large")
	require.Equal(t, http.StatusRequestEntityTooLarge, w.status)
	require.Contains(t, w.post(body, func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }), "hello you")
}

func TestLeavingCancelsTheCall(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) {
			entered, ended := make(chan struct{}), make(chan error, 1)
			host := serveWith(t, `
def slow(x: resolve(stuck, key = "stuck")) -> str: return "slow"
tool(slow)
`, starhost.Options{Resolvers: []starhost.Resolver{{Name: "stuck", Func: func(ctx context.Context, _ []starlark.Value) (starlark.Value, error) {
				close(entered)
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return nil, context.Cause(ctx)
			}}}})
			if revision == handshake {
				p := connect(t, host, revision).pipe()
				id := p.write("tools/call", json.RawMessage(`{"name":"slow"}`))
				<-entered
				p.notify("notifications/cancelled", json.RawMessage(`{"requestId":`+id+`}`))
				require.Error(t, <-ended)
				require.Equal(t, p.write("ping", nil), string(p.next().ID), "no response to the cancelled call")
				return
			}
			c := connectOnline(t, online(t, host), revision, `{}`)
			ctx, leave := context.WithCancel(t.Context())
			go func() { <-entered; leave() }()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.web().url,
				strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+string(c.params("slow", "", ""))+`}`))
			require.NoError(t, err)
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
				"Mcp-Protocol-Version": {rounds}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"slow"}}
			_, err = http.DefaultClient.Do(r) //nolint:bodyclose // there is no response
			require.ErrorIs(t, err, context.Canceled)
			require.Error(t, <-ended)
		})
	}
}
