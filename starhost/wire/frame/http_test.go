package frame

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func TestStrangersAreKeptOut(t *testing.T) {
	s, _ := testServer(t)
	closed := newSite(t, s, HTTPOptions{})
	open := newSite(t, s, HTTPOptions{AllowedHosts: []string{"mcp.example", "other.example:81"}, AllowedOrigins: []string{"https://app.example", "http://dev.example:*"}})
	for _, c := range []struct {
		site   *site
		change string
		status int
		text   string
	}{
		{closed, "Host: 127.0.0.1", 200, ""},
		{closed, "Host: localhost:8080", 200, ""},
		{closed, "Host: [::1]:80", 200, ""},
		{closed, "Host: evil.example", 421, "Invalid Host header"},
		{closed, "Host: 127.0.0.1.evil.example", 421, "Invalid Host header"},
		{closed, "Host: 192.168.0.1", 421, "Invalid Host header"},
		{closed, "Origin: http://127.0.0.1:6274", 200, ""},
		{closed, "Origin: http://LOCALHOST", 200, ""},
		{closed, "Origin: http://evil.example", 403, "Invalid Origin header"},
		{closed, "Origin: http://localhost.evil.example", 403, "Invalid Origin header"},
		{closed, "Origin: http://127.0.0.1.evil.example:80", 403, "Invalid Origin header"},
		{closed, "Origin: http://localhost@evil.example", 403, "Invalid Origin header"},
		{closed, "Origin: http://localhost/x", 403, "Invalid Origin header"},
		{closed, "Origin: file://localhost", 403, "Invalid Origin header"},
		{closed, "Origin: null", 403, "Invalid Origin header"},
		{open, "Host: mcp.example", 200, ""},
		{open, "Host: MCP.example:99", 200, ""},
		{open, "Host: other.example:81", 200, ""},
		{open, "Host: other.example:82", 421, "Invalid Host header"},
		{open, "Host: 127.0.0.1", 421, "Invalid Host header"},
	} {
		for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS"} {
			body := callM("1", "echo", "{}")
			if method != "POST" {
				body = ""
			}
			e := c.site.do(method, body, header{c.change})
			if c.status == 200 {
				require.NotContains(t, []int{403, 421}, e.StatusCode, c.change+method)
				continue
			}
			require.Equal(t, c.status, e.StatusCode, c.change+method)
			require.Equal(t, c.text, e.body)
			require.Empty(t, e.Header.Get("Access-Control-Allow-Origin"))
		}
	}
	for origin, status := range map[string]int{"https://app.example": 200, "http://app.example": 403, "http://dev.example:3": 200, "http://dev.example": 200,
		"http://mcp.example": 200, "https://mcp.example": 200, "http://localhost": 403} {
		e := open.post(callM("1", "echo", "{}"), "Host: mcp.example", "Origin: "+origin)
		require.Equal(t, status, e.StatusCode, origin)
	}
}

func TestAnAddressIsAHostWhereItIsTheServersOwn(t *testing.T) {
	s, _ := testServer(t)
	h := NewHandler(s, HTTPOptions{})
	try := func(local, host string) int {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(""))
		r.Host = host
		if local != "" {
			addr, err := net.ResolveTCPAddr("tcp", local)
			require.NoError(t, err)
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(addr)))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	require.Equal(t, 400, try("192.0.2.7:80", "192.0.2.7:8080"))
	require.Equal(t, 400, try("[2001:db8::1]:80", "[2001:db8::1]"))
	require.Equal(t, 400, try("192.0.2.7:80", "localhost"))
	require.Equal(t, 421, try("192.0.2.7:80", "192.0.2.8"))
	require.Equal(t, 421, try("192.0.2.7:80", "mcp.example"))
	require.Equal(t, 421, try("127.0.0.1:80", "192.0.2.7"))
	require.Equal(t, 421, try("", "192.0.2.7"))
	require.Equal(t, 400, try("", "localhost"))
}

func TestPagesThatAreLetInMayReadTheAnswer(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	e := site.post(callM("1", "echo", "{}"), "Origin: http://localhost:6274")
	require.Equal(t, "http://localhost:6274", e.Header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, e.Header.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id")
	require.Equal(t, "Origin", e.Header.Get("Vary"))
	e = site.do("OPTIONS", "", header{"Origin: http://localhost:6274", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: mcp-method, x-y"})
	require.Equal(t, 204, e.StatusCode)
	require.Equal(t, "mcp-method, x-y", e.Header.Get("Access-Control-Allow-Headers"))
	require.Contains(t, e.Header.Get("Access-Control-Allow-Methods"), "POST")
	e = site.do("OPTIONS", "", nil)
	require.Equal(t, 204, e.StatusCode)
	require.Empty(t, e.Header.Get("Access-Control-Allow-Methods"))
	require.Contains(t, e.Header.Get("Allow"), "POST")
}

func TestOtherMethodsAndBodiesAreRefused(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{MaxBody: 1000, MaxHeader: 2000})
	good := callM("1", "echo", "{}")
	for _, c := range []struct {
		name, method, body string
		changes            header
		status             int
		want               string
	}{
		{"PUT", "PUT", good, nil, 405, ``},
		{"HEAD", "HEAD", ``, nil, 405, ``},
		{"BREW", "BREW", ``, nil, 405, ``},
		{"modern GET", "GET", ``, header{"MCP-Protocol-Version: 2026-07-28"}, 405, ``},
		{"modern DELETE", "DELETE", ``, header{"MCP-Protocol-Version: 2026-07-28"}, 405, ``},
		{"text", "POST", good, header{"Content-Type: text/plain"}, 400, `Invalid Content-Type header`},
		{"a form", "POST", good, header{"Content-Type: application/x-www-form-urlencoded"}, 400, `Invalid Content-Type header`},
		{"no type", "POST", good, header{"Content-Type:"}, 400, `Invalid Content-Type header`},
		{"two types", "POST", good, header{"Content-Type: application/json", "Content-Type: text/plain"}, 400, `Invalid Content-Type header`},
		{"latin-1", "POST", good, header{"Content-Type: application/json; charset=latin1"}, 415, `Invalid Content-Type header: the charset must be utf-8`},
		{"gzip", "POST", good, header{"Content-Encoding: gzip"}, 415, `Invalid Content-Encoding header: send the body as it is`},
		{"utf-8", "POST", good, header{"Content-Type: application/json; charset=UTF-8"}, 200, `"id":1,"result"`},
		{"no JSON accepted", "POST", good, header{"Accept: text/event-stream"}, 406, `"code":-32600`},
		{"no stream accepted", "POST", good, header{"Accept: application/json"}, 406, `"code":-32600`},
		{"wildcards accepted", "POST", good, header{"Accept: text/*;q=0.5, application/*"}, 200, `"id":1,"result"`},
		{"everything accepted", "POST", good, header{"Accept: */*"}, 200, `"id":1,"result"`},
		{"nothing accepted", "POST", good, header{"Accept:"}, 406, `"code":-32600`},
		{"empty", "POST", ``, nil, 400, `"code":-32700`},
		{"half", "POST", `{nope`, nil, 400, `"code":-32700`},
		{"null", "POST", `null`, nil, 400, `"code":-32600`},
		{"batch", "POST", `[` + good + `]`, nil, 400, `"code":-32600`},
		{"too long", "POST", callM("1", "echo", `{"x":"`+strings.Repeat("x", 1000)+`"}`), nil, 413, `Request body too large`},
		{"headers too long", "POST", good, header{"X: " + strings.Repeat("x", 2000)}, 431, ``},
		{"an answer", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, header{"MCP-Protocol-Version: 2026-07-28"}, 400, `"code":-32600`},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, header{"MCP-Protocol-Version: 2026-07-28"}, 202, ``},
		{"a notification of no era", "POST", `{"jsonrpc":"2.0","method":"x"}`, header{"MCP-Protocol-Version: 2031-01-01"}, 400, `"code":-32022`},
	} {
		e := site.do(c.method, c.body, c.changes)
		require.Equal(t, c.status, e.StatusCode, c.name+e.body)
		if strings.HasPrefix(c.want, `"`) {
			require.Contains(t, e.body, c.want, c.name)
			require.Equal(t, "application/json", e.Header.Get("Content-Type"), c.name)
		} else if c.want != "" {
			require.Equal(t, c.want, e.body, c.name)
		}
		if e.StatusCode == 405 {
			require.Contains(t, e.Header.Get("Allow"), "POST", c.name)
		}
	}
}

func TestABodyIsNeverReadFurtherThanTheCap(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{MaxBody: 100_000})
	conn := site.dial()
	defer conn.Close()
	go func() {
		_, _ = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\nTransfer-Encoding: chunked\r\n\r\n2625a00\r\n")
		for {
			if _, err := io.WriteString(conn, strings.Repeat(" ", 10_000)); err != nil {
				return
			}
		}
	}()
	answer, err := io.ReadAll(conn)
	require.NoError(t, err, "the connection is closed")
	require.True(t, strings.HasPrefix(string(answer), "HTTP/1.1 413 "), "%q", answer)
	require.Contains(t, string(answer), "Request body too large")
}

func TestASlowBodyIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := testServer(t)
		site := newSite(t, s, HTTPOptions{})
		conn := site.dial()
		start := time.Now()
		_, err := io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 1000\r\n\r\n{\"json")
		require.NoError(t, err)
		answer, err := io.ReadAll(conn)
		require.NoError(t, err)
		require.Equal(t, 30*time.Second, time.Since(start))
		require.True(t, strings.HasPrefix(string(answer), "HTTP/1.1 408 "), "%q", answer)
		slow := site.dial()
		start = time.Now()
		_, err = io.WriteString(slow, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: ")
		require.NoError(t, err)
		_, _ = io.ReadAll(slow)
		require.Equal(t, 10*time.Second, time.Since(start), "headers that never end")
	})
}

func TestBodiesTogetherAreBounded(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	require.Equal(t, 200, site.post(callM("1", "echo", "{}")).StatusCode)
	require.Equal(t, 413, site.post(callM("1", "echo", `"`+strings.Repeat("x", 5<<20)+`"`)).StatusCode)
	require.Eventually(t, func() bool { return site.handler.bodies.Load() == 0 }, 5*time.Second, time.Millisecond, "what was read is given back")
	site.handler.bodies.Store(bodiesBytes - 10)
	e := site.post(callM("1", "echo", "{}"))
	require.Equal(t, 503, e.StatusCode)
	require.Equal(t, "Too many request bodies at the same time", e.body)
	require.Eventually(t, func() bool { return site.handler.bodies.Load() == bodiesBytes-10 }, 5*time.Second, time.Millisecond)
}

func TestTheHeadersMustRepeatTheBody(t *testing.T) {
	s, _ := testServer(t)
	s.AddTool(&mcp.Tool{Name: "grüß", InputSchema: json.RawMessage(anyObject)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return textResult("ok"), nil
	})
	site := newSite(t, s, HTTPOptions{})
	base64Of := func(s string) string { return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?=" }
	for _, c := range []struct {
		name    string
		body    string
		changes header
		status  int
		want    string
	}{
		{"all well", callM("1", "echo", "{}"), nil, 200, `"id":1,"result"`},
		{"encoded", callM("1", "echo", "{}"), header{"Mcp-Name: " + base64Of("echo")}, 200, `"id":1,"result"`},
		{"encoded, not ASCII", callM("1", "grüß", "{}"), header{"Mcp-Name: " + base64Of("grüß")}, 200, `"id":1,"result"`},
		{"wrongly encoded", callM("1", "echo", "{}"), header{"Mcp-Name: =?base64?ZWNobx==?="}, 400, `"code":-32020,"message":"mcp-name header does not match`},
		{"not canonical", callM("1", "echo", "{}"), header{"Mcp-Name: =?base64?ZWNobz==?="}, 400, `"code":-32020`},
		{"no name", callM("1", "echo", "{}"), header{"Mcp-Name:"}, 400, `"code":-32020,"message":"mcp-name header is missing`},
		{"empty name", callM("1", "echo", "{}"), header{"Mcp-Name: "}, 400, `"code":-32020`},
		{"another name", callM("1", "echo", "{}"), header{"Mcp-Name: ECHO"}, 400, `"code":-32020,"message":"mcp-name header does not match`},
		{"two names", callM("1", "echo", "{}"), header{"Mcp-Name: echo", "Mcp-Name: echo"}, 400, `"code":-32020,"message":"mcp-name header appears more than once"`},
		{"no method", callM("1", "echo", "{}"), header{"Mcp-Method:"}, 400, `"code":-32020,"message":"mcp-method header is missing`},
		{"another method", callM("1", "echo", "{}"), header{"Mcp-Method: Tools/Call"}, 400, `"code":-32020,"message":"mcp-method header does not match`},
		{"two methods", callM("1", "echo", "{}"), header{"Mcp-Method: tools/call", "Mcp-Method: x"}, 400, `"code":-32020`},
		{"no version", callM("1", "echo", "{}"), header{"MCP-Protocol-Version:"}, 400, `"code":-32020,"message":"mcp-protocol-version header is missing`},
		{"another version", callM("1", "echo", "{}"), header{"MCP-Protocol-Version: 2031-01-01"}, 400, `"code":-32020,"message":"mcp-protocol-version header does not match`},
		{"a handshake's version", callM("1", "echo", "{}"), header{"MCP-Protocol-Version: 2025-11-25"}, 400, `"code":-32020`},
		{"two versions", callM("1", "echo", "{}"), header{"MCP-Protocol-Version: 2026-07-28", "MCP-Protocol-Version: 2025-11-25"}, 400, `"code":-32020`},
		{"a version of nobody", strings.ReplaceAll(callM("1", "echo", "{}"), modernVersion, "1900-01-01"), header{"MCP-Protocol-Version: 1900-01-01"}, 400, `"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}`},
		{"no envelope", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}, 400, `"code":-32602,"message":"params._meta must be`},
		{"discovery without an envelope", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, nil, 400, `"code":-32602`},
		{"name of another type", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5,` + envelopeM + `}}`, header{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call"}, 400, `"code":-32602,"message":"Invalid request parameters","data":""`},
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + envelopeM + `}}`, nil, 404, `"code":-32601,"message":"Method not found","data":"ping"`},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{` + envelopeM + `}}`, nil, 404, `"code":-32601,"message":"Method not found","data":"no/such"`},
		{"an error of a handler", callM("1", "fail", `{"code":-32603}`), nil, 200, `"code":-32603,"message":"as told"`},
		{"of its own code", callM("1", "fail", `{"code":-7,"data":[1]}`), nil, 200, `"code":-7,"message":"as told","data":[1]`},
		{"a missing capability", callM("1", "fail", `{"code":-32021,"data":{"a":1}}`), nil, 400, `"code":-32021,"message":"as told","data":{"a":1}`},
		{"a handler's own -32601", callM("1", "fail", `{"code":-32601,"data":1}`), nil, 404, `"code":-32601,"message":"as told","data":1`},
	} {
		e := site.post(c.body, c.changes...)
		require.Equal(t, c.status, e.StatusCode, c.name+e.body)
		require.Contains(t, e.body, c.want, c.name)
		require.Equal(t, "application/json", e.Header.Get("Content-Type"), c.name)
		require.Empty(t, e.Header.Get("Mcp-Session-Id"), c.name)
	}
}

func TestIdsComeBackAsTheyWereOverHTTP(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	session := site.session()
	for _, id := range []string{`1`, `"1"`, `""`, `9007199254740993`, `9223372036854775807`, `123456789012345678901234567890`, `1.5`, `"é\u2028\"\\"`, `"\ud800"`} {
		want := `{"jsonrpc":"2.0","id":` + canonicalID([]byte(id)) + `,`
		require.Contains(t, site.post(callM(id, "echo", `{}`)).body, want+`"result"`)
		require.Contains(t, site.post(callL(id, "echo", `{}`), session).message(), want+`"result"`)
		sameJSON(t, want+`"error":{"code":-7,"message":"as told"}}`, site.post(callL(id, "fail", `{"code":-7}`), session).message())
		sameJSON(t, want+`"error":{"code":-32601,"message":"Method not found","data":"no/such"}}`, site.post(`{"jsonrpc":"2.0","id":`+id+`,"method":"no/such"}`, session).message())
	}
}

func TestHeadersReachTheTool(t *testing.T) {
	s, log := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	site.post(callM("1", "echo", "{}"), "X-Mine: a", "Mcp-Name: =?base64?ZWNobw==?=")
	require.Equal(t, "a", log.headers.Load().Get("X-Mine"))
	require.Equal(t, "=?base64?ZWNobw==?=", log.headers.Load().Get("Mcp-Name"), "as it came")
	site.post(callL("1", "echo", "{}"), site.session(), "X-Mine: b")
	require.Equal(t, "b", log.headers.Load().Get("X-Mine"))
}

func TestAModernAnswerBecomesAStreamWhenThereIsMoreToTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := testServer(t)
		site := newSite(t, s, HTTPOptions{})
		e := site.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note","_meta":{"progressToken":9007199254740993,` + metaKeys + `}}}`)
		require.Equal(t, "text/event-stream", e.Header.Get("Content-Type"))
		require.Regexp(t, `^event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9007199254740993,"progress":0.5}}\n\nevent: message\ndata: {"jsonrpc":"2.0","id":1,"result":.*}\n\n$`, e.body)

		start := time.Now()
		silent := site.stream("POST", callM("1", "wait", "{}"))
		<-log.started
		require.Equal(t, "text/event-stream", silent.resp.Header.Get("Content-Type"))
		require.Equal(t, ": ping", silent.line())
		require.Equal(t, 15*time.Second, time.Since(start))
		require.Equal(t, ": ping", silent.line())
		silent.cancel()
		<-log.cancelled
	})
}

func TestLeavingCancelsAModernRequest(t *testing.T) {
	s, log := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		resp, err := site.client.Do(site.request(ctx, "POST", callM("1", "wait", "{}"), nil))
		if err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-log.started
	cancel()
	<-log.cancelled
	require.Eventually(t, func() bool { return noSessions(s) }, 5*time.Second, time.Millisecond, "nothing is left of it")
}

func TestListeningOverHTTP(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	l := site.stream("POST", `{"jsonrpc":"2.0","id":9007199254740993,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+envelopeM+`}}`)
	require.Regexp(t, `acknowledged.*"io.modelcontextprotocol/subscriptionId":9007199254740993`, l.next())
	s.AddTool(&mcp.Tool{Name: "new", InputSchema: json.RawMessage(anyObject)}, nil)
	require.Regexp(t, `tools/list_changed.*"io.modelcontextprotocol/subscriptionId":9007199254740993`, l.next())
	site.handler.Close()
	require.Empty(t, l.next(), "the end of the handler ends the stream")
}

func TestSessionsAreAskedFor(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	session := site.session()
	for _, c := range []struct {
		name, method, body string
		changes            header
		status             int
		want               string
	}{
		{"no session", "POST", pingL, nil, 400, `{"jsonrpc":"2.0","id":"p","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}`},
		{"no session, notification", "POST", `{"jsonrpc":"2.0","method":"x"}`, nil, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Bad Request: Missing session ID"}}`},
		{"unknown session", "POST", pingL, header{"Mcp-Session-Id: nope"}, 404, `{"jsonrpc":"2.0","id":"p","error":{"code":-32600,"message":"Session not found"}}`},
		{"unknown session, GET", "GET", ``, header{"Mcp-Session-Id: nope"}, 404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}`},
		{"no session, GET", "GET", ``, nil, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Bad Request: Missing session ID"}}`},
		{"no session, DELETE", "DELETE", ``, nil, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Bad Request: Missing session ID"}}`},
		{"GET of no stream", "GET", ``, header{session, "Accept: text/html"}, 406, ``},
		{"two sessions", "POST", pingL, header{session, "Mcp-Session-Id: x"}, 400, ``},
		{"ping", "POST", pingL, header{session}, 200, pongL},
		{"ping of an older version", "POST", pingL, header{session, "MCP-Protocol-Version: 2025-03-26"}, 200, pongL},
		{"ping of no version", "POST", pingL, header{session, "MCP-Protocol-Version: 1999-01-01"}, 400, ``},
		{"initialize again", "POST", initializeL, header{session}, 400, `{"jsonrpc":"2.0","id":"init","error":{"code":-32600,"message":"Invalid Request: this session is initialized already"}}`},
		{"an envelope", "POST", callM("1", "echo", "{}"), header{session, "MCP-Protocol-Version:"}, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"` + envelopeOnLegacy + `"}}`},
		{"bad params", "POST", callL("1", "echo", "[]"), header{session}, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`},
		{"params that the SDK refuses", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}`, header{session}, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`},
		{"unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, header{session}, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":"no/such"}}`},
		{"discovery", "POST", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, header{session}, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":"server/discover"}}`},
		{"a handler's own -32601", "POST", callL("1", "fail", `{"code":-32601,"data":1}`), header{session}, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"as told","data":1}}`},
		{"unknown notification", "POST", `{"jsonrpc":"2.0","method":"no/such"}`, header{session}, 202, ``},
		{"a notification with an envelope", "POST", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,` + envelopeM + `}}`, header{session, "MCP-Protocol-Version:"}, 202, ``},
		{"an answer to nothing", "POST", `{"jsonrpc":"2.0","id":99,"result":{}}`, header{session}, 202, ``},
		{"an answer to nothing of ours", "POST", `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`, header{session}, 202, ``},
		{"half a message", "POST", `{nope`, header{session}, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: not valid JSON"}}`},
		{"a stream that never was", "GET", ``, header{session, "Last-Event-ID: no-such_99999"}, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: failed to replay events"}}`},
		{"an event that never was", "GET", ``, header{session, "Last-Event-ID: " + strings.Repeat("9", 5000)}, 400, ``},
		{"an initialize that asks for nothing", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, nil, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`},
		{"an initialize that the SDK refuses", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":7}}}}`, nil, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`},
	} {
		e := site.do(c.method, c.body, c.changes)
		require.Equal(t, c.status, e.StatusCode, c.name+e.body)
		if c.want != "" || c.status == 202 {
			require.Equal(t, c.want, strings.TrimSpace(e.message()), c.name)
		}
		require.Empty(t, e.Header.Get("Mcp-Session-Id"), c.name)
	}
	require.Equal(t, 204, site.do("DELETE", "", header{session}).StatusCode)
	for _, method := range []string{"POST", "GET", "DELETE"} {
		e := site.do(method, pingL, header{session})
		require.Equal(t, 404, e.StatusCode)
		require.Contains(t, e.body, `"message":"Not Found: Session has been terminated"`)
	}
}

func TestQuestionsAndAnswersOverHTTP(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	session, other := site.session(), site.session()
	call := site.stream("POST", callL(`"c"`, "ask", "{}"), session)
	results := []string{`{"action":"accept","content":{"n":9007199254740993}}`, `null`, `5`}
	for i, result := range results {
		require.Contains(t, call.next(), fmt.Sprintf(`"id":%d,"method":`, i+1))
		answer := func(result string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, i+1, result) }
		require.Equal(t, 202, site.post(answer(`{"action":"stolen"}`), other).StatusCode)
		require.Equal(t, 202, site.post(answer(result), session).StatusCode)
		require.Equal(t, 202, site.post(answer(`{"action":"late"}`), session).StatusCode)
	}
	last := call.next()
	require.Contains(t, last, `"id":"c","result"`)
	require.Equal(t, results[0]+" true; null true; 5 true", textOf(t, last))
	require.Empty(t, call.next())
}

func TestACancelledRequestOfASessionEndsInAnError(t *testing.T) {
	s, log := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	session := site.session()
	call := site.stream("POST", callL("7", "wait", "{}"), session)
	<-log.started
	require.Equal(t, 400, site.post(callL("7", "echo", "{}"), session).StatusCode, "in use")
	require.Equal(t, 202, site.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}`, session).StatusCode)
	require.Equal(t, 202, site.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, session).StatusCode)
	<-log.cancelled
	require.Equal(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"Request cancelled"}}`, call.next())
	require.Contains(t, site.post(callL("7", "echo", "{}"), session).message(), `"id":7,"result"`, "free again")
}

func TestLeavingDoesNotCancelARequestOfASession(t *testing.T) {
	s, log := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	session := site.session()
	call := site.stream("POST", callL("7", "wait", "{}"), session, "MCP-Protocol-Version: 2025-11-25")
	<-log.started
	var last string
	for last == "" {
		if id, ok := strings.CutPrefix(call.line(), "id: "); ok {
			last = id
		}
	}
	call.cancel()
	require.Contains(t, site.post(callL("8", "echo", "{}"), session).message(), `"id":8,"result"`)
	require.Empty(t, log.cancelled)
	var again *stream
	require.Eventually(t, func() bool { // the SDK may not have noticed yet that the client has left
		again = site.stream("GET", "", session, "Last-Event-ID: "+last)
		return again.resp.StatusCode == 200
	}, 5*time.Second, 10*time.Millisecond)
	site.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, session)
	<-log.cancelled
	require.Contains(t, again.next(), `"id":7,"error"`)
}

// A session has room for its calls again, however they end.
func TestCallsOfASessionGiveTheirPlacesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := testServer(t)
		site := newSite(t, s, HTTPOptions{})
		session := site.session()
		_, id, _ := strings.Cut(string(session), ": ")
		calls := &site.handler.sessions.open[id].calls
		for n := range 1500 { // more than there are places
			require.Contains(t, site.post(callL(itoa(n+10), "echo", "{}"), session).message(), `"result"`)
		}
		require.Contains(t, site.post(`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, session).message(), `"error"`)
		require.Contains(t, site.post(callL("2", "no such tool", "{}"), session).message(), `"id":2`)
		synctest.Wait()
		require.Zero(t, calls.held)
		require.Zero(t, calls.bytes)

		cancelled := site.stream("POST", callL("3", "wait", "{}"), session)
		<-log.started
		left := site.stream("POST", callL("4", "wait", "{}"), session)
		<-log.started
		require.Equal(t, 2, calls.held)
		left.cancel()
		for _, id := range []string{"3", "4"} {
			site.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`, session)
			<-log.cancelled
		}
		require.Contains(t, cancelled.next(), "Request cancelled")
		synctest.Wait()
		require.Zero(t, calls.held)
		require.Zero(t, calls.bytes)
		require.Empty(t, calls.byID)
		require.Empty(t, calls.bySDK)
	})
}

func TestASessionEndsWithWhatItDoes(t *testing.T) {
	for name, end := range map[string]func(*site, string){
		"by its client":       func(s *site, session string) { require.Equal(s.t, 204, s.do("DELETE", "", header{session}).StatusCode) },
		"being idle for long": func(s *site, session string) { time.Sleep(31 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log := testServer(t)
				site := newSite(t, s, HTTPOptions{})
				session := site.session()
				waiting, asking := site.stream("POST", callL("7", "wait", "{}"), session), site.stream("POST", callL("8", "ask", "{}"), session)
				<-log.started
				require.Contains(t, asking.next(), "elicitation/create")
				waiting.cancel()
				asking.cancel()
				synctest.Wait()
				end(site, session)
				<-log.cancelled
				synctest.Wait()
				require.Equal(t, 404, site.post(pingL, session).StatusCode)
				require.True(t, noSessions(s), "the SDK has kept the session")
				require.Empty(t, site.handler.sessions.open)
			})
		})
	}
}

func TestTheEndOfASessionIsToldToItsCalls(t *testing.T) {
	s, log := testServer(t)
	site := newSite(t, s, HTTPOptions{})
	session := site.session()
	call := site.stream("POST", callL("7", "wait", "{}"), session)
	<-log.started
	require.Equal(t, 204, site.do("DELETE", "", header{session}).StatusCode)
	require.Regexp(t, `"id":7,"error":{"code":(-32800,"message":"Request cancelled|-32603,"message":"Session terminated before the request completed)"}`, call.next())
	require.Empty(t, call.next())
}

func TestARequestKeepsItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := testServer(t)
		site := newSite(t, s, HTTPOptions{})
		session := site.session()
		listening := site.stream("GET", "", session)
		require.Equal(t, ": ok", listening.line())
		for range 2 * 60 * 4 {
			require.Equal(t, ": ping", listening.line(), "a stream is kept alive, for two hours")
		}
		s.AddTool(&mcp.Tool{Name: "new", InputSchema: json.RawMessage(anyObject)}, nil)
		require.Contains(t, listening.next(), "tools/list_changed")
		require.Equal(t, 409, site.do("GET", "", header{session}).StatusCode, "one at a time")
		listening.cancel()
		time.Sleep(29 * time.Minute)
		require.Equal(t, 200, site.post(pingL, session).StatusCode)
		time.Sleep(29 * time.Minute)
		require.Equal(t, 200, site.post(pingL, session).StatusCode)
		time.Sleep(31 * time.Minute)
		require.Equal(t, 404, site.post(pingL, session).StatusCode)
	})
}

func TestSessionsAreBounded(t *testing.T) {
	s, _ := testServer(t)
	site := newSite(t, s, HTTPOptions{MaxSessions: 2})
	first := site.session()
	site.session()
	e := site.post(initializeL)
	require.Equal(t, 503, e.StatusCode)
	require.Contains(t, e.body, `"message":"Too many open sessions"`)
	require.Equal(t, 204, site.do("DELETE", "", header{first}).StatusCode)
	require.Equal(t, 200, site.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":7}}}}`).StatusCode)
	site.session()
}

func TestRequestsAtTheSameTimeAreBounded(t *testing.T) {
	s, log := testServer(t)
	site := newSite(t, s, HTTPOptions{MaxRequests: 1})
	session := site.session()
	call := site.stream("POST", callL("7", "ask", "{}"), session)
	call.next()
	e := site.post(callM("1", "echo", "{}"))
	require.Equal(t, 503, e.StatusCode)
	require.Equal(t, "1", e.Header.Get("Retry-After"))
	require.Equal(t, 202, site.post(`{"jsonrpc":"2.0","id":1,"result":{}}`, session).StatusCode, "an answer must come through")
	require.Contains(t, call.next(), "sampling/createMessage")
	require.Equal(t, 202, site.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, session).StatusCode)
	for call.next() != "" {
	}
	require.Equal(t, 200, site.post(callM("1", "echo", "{}")).StatusCode)
	require.Empty(t, log.started)
}

func TestASessionBelongsToItsUser(t *testing.T) {
	s, _ := testServer(t)
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
	}
	site := newSite(t, s, HTTPOptions{}, auth.RequireBearerToken(verify, nil))
	session := site.session("Authorization: Bearer ann")
	for _, method := range []string{"POST", "GET", "DELETE"} {
		require.Equal(t, 404, site.do(method, pingL, header{session, "Authorization: Bearer bob"}).StatusCode)
	}
	require.Equal(t, 200, site.post(pingL, session, "Authorization: Bearer ann").StatusCode)
	require.Equal(t, 204, site.do("DELETE", "", header{session, "Authorization: Bearer ann"}).StatusCode)
	require.True(t, noSessions(s), "ended on the SDK's side too")
}

func TestParamHeadersMustRepeatTheArguments(t *testing.T) {
	const schema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"deep":{"type":"object","properties":{"level":{"type":"integer","x-mcp-header":"Level"},"on":{"type":"boolean","x-mcp-header":"On"}}}}}`
	probing, _ := testServer(t)
	probing.AddTool(&mcp.Tool{Name: "marked", InputSchema: json.RawMessage(schema)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return textResult("ok"), nil
	})
	for name, opts := range map[string]HTTPOptions{
		"asking the server": {},
		"being told": {ToolSchema: func(tool string) ([]byte, bool) {
			return []byte(schema), tool == "marked"
		}},
	} {
		site := newSite(t, probing, opts)
		for _, c := range []struct {
			args    string
			changes header
			want    string
		}{
			{`{}`, nil, `"result"`},
			{`{"region":null}`, nil, `"result"`},
			{`{"region":"eu"}`, header{"Mcp-Param-Region: eu"}, `"result"`},
			{`{"region":"eü"}`, header{"Mcp-Param-Region: =?base64?ZcO8?="}, `"result"`},
			{`{"region":"eu"}`, nil, `"code":-32020,"message":"Mcp-Param-Region header is missing`},
			{`{"region":"eu"}`, header{"Mcp-Param-Region: us"}, `"code":-32020,"message":"Mcp-Param-Region header does not match`},
			{`{"region":"eu"}`, header{"Mcp-Param-Region: eu", "Mcp-Param-Region: eu"}, `"code":-32020,"message":"Mcp-Param-Region header appears more than once`},
			{`{"region":"eu"}`, header{"Mcp-Param-Region: =?base64?!?="}, `"code":-32020,"message":"Mcp-Param-Region header carries a malformed`},
			{`{}`, header{"Mcp-Param-Region: eu"}, `"code":-32020,"message":"Mcp-Param-Region header is present`},
			{`{"region":[]}`, header{"Mcp-Param-Region: eu"}, `"code":-32020`},
			{`{"deep":{"level":9007199254740993}}`, header{"Mcp-Param-Level: 9007199254740993"}, `"result"`},
			{`{"deep":{"level":9007199254740993}}`, header{"Mcp-Param-Level: 9007199254740992"}, `"code":-32020`},
			{`{"deep":{"level":42.0}}`, header{"Mcp-Param-Level: 42"}, `"result"`},
			{`{"deep":{"level":1e9}}`, header{"Mcp-Param-Level: 1000000000"}, `"code":-32020`},
			{`{"deep":{"on":true}}`, header{"Mcp-Param-On: true"}, `"result"`},
			{`{"deep":{"on":true}}`, header{"Mcp-Param-On: 1"}, `"code":-32020`},
		} {
			e := site.post(callM("1", "marked", c.args), c.changes...)
			require.Contains(t, e.body, c.want, name+c.args)
		}
		require.Equal(t, 200, site.post(callM("1", "echo", `{"region":"eu"}`)).StatusCode)
	}
}

func TestServeEndsGracefully(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := testServer(t)
		h := NewHandler(s, HTTPOptions{})
		l := &memListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		site := &site{t: t, handler: h, client: &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			mine, theirs := net.Pipe()
			l.conns <- theirs
			return mine, nil
		}}}}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, l, NewHTTPServer(h), 5*time.Second) }()
		session := site.session()
		listening := site.stream("GET", "", session)
		require.Equal(t, ": ok", listening.line())
		legacy := site.stream("POST", callL("7", "wait", `{"era":"L"}`), session)
		go func() {
			resp, err := site.client.Do(site.request(t.Context(), "POST", callM("8", "wait", `{"era":"M"}`), nil))
			if err == nil {
				_ = resp.Body.Close()
			}
		}()
		<-log.started
		<-log.started
		start := time.Now()
		stop()
		require.Empty(t, listening.next())
		require.Zero(t, time.Since(start), "a stream without end has no grace")
		require.NoError(t, <-ended)
		require.Less(t, time.Since(start), time.Minute, "it must not hang; a slow machine may take its time")
		require.GreaterOrEqual(t, time.Since(start), 5*time.Second, "the others have")
		<-log.cancelled
		<-log.cancelled
		require.Empty(t, legacy.next())
		site.client.CloseIdleConnections()
	})
}

func TestServeTellsWhatGoesWrong(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.Error(t, Serve(t.Context(), l, NewHTTPServer(http.NotFoundHandler()), time.Second))
}
