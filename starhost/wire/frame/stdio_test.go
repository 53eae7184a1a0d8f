package frame

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

const (
	pingL = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	pongL = `{"jsonrpc":"2.0","id":"p","result":{}}`
)

func TestIdsComeBackAsTheyWere(t *testing.T) {
	ids := []string{`1`, `"1"`, `0`, `-5`, `""`, `9007199254740993`, `9223372036854775807`, `123456789012345678901234567890`,
		`1.5`, `1e3`, `"é\u2028😀\"\\"`, `"\ud800"`, `"<&>"`, `"mcpstar/id::1"`, `"` + strings.Repeat("i", 100_000) + `"`}
	s, _ := testServer(t)
	legacy, modern := newRawClient(t, s, StdioOptions{}), newRawClient(t, s, StdioOptions{})
	legacy.handshake()
	for _, id := range ids {
		want := `{"jsonrpc":"2.0","id":` + canonicalID([]byte(id)) + `,`
		legacy.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		require.Equal(t, want+`"result":{}}`, legacy.recv())
		legacy.send(callL(id, "fail", `{"code":-7}`))
		require.Equal(t, want+`"error":{"code":-7,"message":"as told"}}`, legacy.recv())
		modern.send(callM(id, "echo", `{}`))
		require.Contains(t, modern.recv(), want+`"result"`)
	}
}

func TestIdsOfConcurrentRequestsAreNotMixedUp(t *testing.T) {
	s, log := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.handshake()
	for _, id := range []string{`1`, `"1"`, `1.0`} {
		c.send(callL(id, "wait", `{}`))
		<-log.started
	}
	c.send(callL(`2`, "echo", `{}`))
	require.Contains(t, c.recv(), `"id":2,"result"`)
	c.quiet()
}

func TestABadLineIsAnsweredAndStdioGoesOn(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{MaxLine: 1000})
	c.handshake()
	for _, bad := range []struct{ line, want string }{
		{`hello`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: not valid JSON"}}`},
		{`}{`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: not valid JSON"}}`},
		{`[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: batches are not supported, send one message at a time"}}`},
		{`{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"` + strings.Repeat("y", 2000) + `"}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid Request: longer than 1000 bytes"}}`},
		{strings.Repeat("z", 200_000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: longer than 1000 bytes"}}`},
		{`{"jsonrpc":"2.0","id":6,"method":"no/such"}`, `{"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"Method not found","data":"no/such"}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"server/discover"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found","data":"server/discover"}}`},
		{`{"jsonrpc":"2.0","id":8,"method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"Method not found","data":"notifications/initialized"}}`},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"cursor":5}}`, `{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`},
		{`{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"cursor":"zzz"}}`, `{"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`},
		{`{"jsonrpc":"2.0","id":11,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, `{"jsonrpc":"2.0","id":11,"error":{"code":-32600,"message":"Invalid Request: this session is initialized already"}}`},
		{callM("12", "echo", `{}`), `{"jsonrpc":"2.0","id":12,"error":{"code":-32600,"message":"` + envelopeOnLegacy + `"}}`},
		{`{"jsonrpc":"2.0","id":13,"method":"prompts/get","params":{"name":"x","arguments":{"a":5}}}`, `{"jsonrpc":"2.0","id":13,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`},
	} {
		c.send("%s", bad.line)
		require.Equal(t, bad.want, c.recv(), bad.line)
		c.quiet()
	}
}

func TestWhatNeedsNoAnswerGetsNone(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.handshake()
	for _, line := range []string{
		"", "  \t ", "\r", "\xef\xbb\xbf", "\xef\xbb\xbf\r",
		`{"jsonrpc":"2.0","method":"no/such"}`, `{"jsonrpc":"2.0","method":"tools/call"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":999,"result":{}}`, `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{}}`, `{"result":5}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":123,"reason":5}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"init"}}`,
	} {
		c.send("%s", line)
		c.quiet()
	}
}

func TestLinesMayBeCutAndJoinedAnyhow(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	ping := func(id string) string { return strings.Replace(pingL, `"p"`, `"`+id+`"`, 1) }
	text := "\xef\xbb\xbf" + ping("a") + "\r\n\n" + ping("b") + "\n" + ping("c") + "\n"
	for i := range len(text) {
		_, err := io.WriteString(c.c, text[i:i+1])
		require.NoError(t, err)
	}
	c.send("%s", ping("d")+"\r\n"+ping("e"))
	var want, got []string
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		want = append(want, strings.Replace(pongL, `"p"`, `"`+id+`"`, 1))
		got = append(got, c.recv())
	}
	require.ElementsMatch(t, want, got, "no carriage return, one message a line")
}

func TestTheFirstGoodRequestDecidesTheEra(t *testing.T) {
	s, _ := testServer(t)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	for _, c := range []struct {
		name  string
		first []string // each with its answer, as a pattern
	}{
		{"a ping decides nothing", []string{pingL, pongL}},
		{"nor does garbage", []string{`GET / HTTP/1.1`, `"code":-32700`}},
		{"nor a request before the handshake", []string{callL("1", "echo", "{}"), `"code":-32602,"message":"Invalid request parameters","data":""`}},
		{"nor an unknown one", []string{`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `"code":-32601,"message":"Method not found","data":"no/such"`}},
		{"nor half an envelope", []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `"code":-32602.*clientCapabilities`}},
		{"nor another version", []string{strings.ReplaceAll(callM("1", "echo", "{}"), "2026-07-28", "2031-01-01"), `"code":-32022,.*"requested":"2031-01-01"`}},
		{"nor an initialize that fails", []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":7}}}}`, `"code":-32602,"message":"Invalid request parameters"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			legacy, modern := newRawClient(t, s, StdioOptions{}), newRawClient(t, s, StdioOptions{})
			for i := 0; i < len(c.first); i += 2 {
				for _, client := range []*rawClient{legacy, modern} {
					client.send("%s", c.first[i])
					require.Regexp(t, regexp.MustCompile(c.first[i+1]), client.recv())
				}
			}
			legacy.send(initialize, "2025-06-18")
			require.Contains(t, legacy.recv(), `"protocolVersion":"2025-06-18"`)
			legacy.send(callL("2", "echo", "{}"))
			require.Contains(t, legacy.recv(), `"id":2,"result"`)
			legacy.send(callM("3", "echo", "{}"))
			require.Contains(t, legacy.recv(), `"code":-32600`)

			modern.send(callM("2", "echo", "{}"))
			require.Contains(t, modern.recv(), `"resultType":"complete"`)
			modern.send(initialize, "2025-06-18")
			require.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"`+handshakeOnModern+`","data":{"supported":["2026-07-28"],"requested":"2025-06-18"}}}`, modern.recv())
			modern.send(callL("3", "echo", "{}"))
			require.Regexp(t, `"code":-32602.*protocolVersion.*clientCapabilities`, modern.recv())
		})
	}
}

func TestAHandshakeAgreesOnAVersionOfItsOwn(t *testing.T) {
	for asked, agreed := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "2099-01-01": "2025-11-25", "x": "2025-11-25"} {
		s, _ := testServer(t)
		c := newRawClient(t, s, StdioOptions{})
		c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`, asked)
		require.Contains(t, c.recv(), `"protocolVersion":"`+agreed+`"`)
		c.send(callL("2", "ask", "{}"))
		require.Contains(t, c.recv(), "elicitation/create", "the SDK must believe it too, or it refuses to ask")
	}
}

func TestPipelinedRequestsWaitForTheHandshake(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` +
		"\n" + callL("2", "echo", "{}"))
	require.Contains(t, c.recv(), `"id":1,"result"`)
	require.Contains(t, c.recv(), `"id":2,"result"`)
}

func TestAnswersReachTheServerExactly(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.handshake()
	results := []string{`null`, `5`, `{}`, `[]`, `"accept"`, `{"action":"accept","content":{"n":9007199254740993,"x":{"y":[1e400]}}}`,
		`{"action":5}`, `{"role":"user","content":[{"type":"nope"}]}`, `{"roots":[{"uri":"http:\/\/x"}]}`, `{"roots":7, "a" : "\ud800"}`}
	for _, result := range results {
		c.send(callL("1", "ask", "{}"))
		for range 3 {
			var q struct{ ID json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(c.recv()), &q))
			c.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":` + result + `}`)
		}
		want := result + " true"
		require.Equal(t, strings.Join([]string{want, want, want}, "; "), textOf(t, c.recv()))
	}
}

// textOf is the text of a tool's result.
func textOf(t testing.TB, line string) string {
	t.Helper()
	var m struct {
		Result struct{ Content []struct{ Text string } }
	}
	require.NoError(t, json.Unmarshal([]byte(line), &m))
	require.Len(t, m.Result.Content, 1, line)
	return m.Result.Content[0].Text
}

func TestErrorsAsAnswers(t *testing.T) {
	for _, c := range []struct{ answer, code, message, data string }{
		{`"error":{"code":-7,"message":"m","data":{"n":9007199254740993}}`, "-7", "m", `{"n":9007199254740993}`},
		{`"error":{"code":-32601,"message":"no"}`, "-32601", "no", ``},
		{`"result":{},"error":{"code":1,"message":"both"}`, "1", "both", ``},
		{`"error":"no"`, "-32603", "the client answered with a malformed error", ``},
		{`"error":{"code":1.5,"message":"m"}`, "-32603", "the client answered with a malformed error", ``},
		{`"error":{"code":1}`, "-32603", "the client answered with a malformed error", ``},
	} {
		m, f, _ := parse([]byte(`{"jsonrpc":"2.0","id":1,` + c.answer + `}`))
		require.Nil(t, f)
		_, failure := rewriter{}.sdkAnswer(m)
		require.NotNil(t, failure, c.answer)
		require.Equal(t, c.code, fmt.Sprint(failure.Code))
		require.Equal(t, c.message, failure.Message)
		require.Equal(t, c.data, string(failure.Data))
	}
	m, _, _ := parse([]byte(`{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}`))
	result, failure := rewriter{leaveAnswers: true}.sdkAnswer(m)
	require.Nil(t, failure)
	require.Equal(t, `{"a":1}`, string(result))
}

// An answer with neither result nor error ends the call that waits for it; under
// an id that nobody waits for it is a bad message.
func TestAnAnswerThatSaysNothingIsAnError(t *testing.T) {
	m, f, id := parse([]byte(`{"jsonrpc":"2.0","id":7}`))
	require.NotNil(t, f)
	require.Empty(t, id)
	require.Equal(t, "7", m.id)
	_, failure := rewriter{}.sdkAnswer(m)
	require.Equal(t, "the client answered with a malformed error", failure.Message)

	for _, bad := range []string{`{"jsonrpc":"2.0","id":"7"}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":7,"params":{}}`, `{"id":7}`} {
		m, f, _ := parse([]byte(bad))
		require.NotNil(t, f, bad)
		require.Nil(t, m, bad)
	}
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.handshake()
	c.send(`{"jsonrpc":"2.0","id":7}`)
	require.Contains(t, c.recv(), `"id":null`)
}

func TestACancelledRequestIsNotAnswered(t *testing.T) {
	s, log := testServer(t)
	for name, c := range map[string]*rawClient{"handshake": newRawClient(t, s, StdioOptions{}), "modern": newRawClient(t, s, StdioOptions{})} {
		send := callM
		if name == "handshake" {
			c.handshake()
			send = callL
		}
		c.send(send("7", "wait", `{"which":1}`))
		<-log.started
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}`) // another id
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"bored"}}`)
		require.Equal(t, `{"which":1}`, <-log.cancelled)
		c.send(send("7", "echo", `{}`)) // the id is free again
		require.Contains(t, c.recv(), `"id":7,"result"`)
	}
}

func TestCancellingTellsTheClientThatItsQuestionIsOver(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.handshake()
	c.send(callL("7", "ask", `{}`))
	require.Contains(t, c.recv(), `"id":1,"method":"elicitation/create"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"caller cancelled","requestId":1}}`, c.recv())
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`) // too late
}

func TestAnIdInUseIsRefusedWithoutIt(t *testing.T) {
	s, log := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.handshake()
	c.send(callL("7", "wait", `{}`))
	<-log.started
	c.send(callL("7", "echo", `{}`))
	require.Equal(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: this id is in use by a request that is not answered yet"}}`, c.recv())
	c.quiet()
}

func TestRequestsInFlightAreBounded(t *testing.T) {
	s, log := testServer(t)
	c := newRawClient(t, s, StdioOptions{MaxInFlight: 2, MaxInFlightBytes: 1000})
	c.handshake()
	c.send(callL("1", "wait", `{"a":1}`))
	<-log.started
	c.send(callL("2", "echo", `{"long":"`+strings.Repeat("x", 1000)+`"}`))
	require.Contains(t, c.recv(), `"id":2,"error":{"code":-32603,"message":"too many requests in flight`)
	c.send(callL("3", "wait", `{"a":3}`))
	<-log.started
	c.send(callL("4", "echo", `{}`))
	require.Contains(t, c.recv(), `"id":4,"error"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`) // is read nevertheless
	<-log.cancelled
	require.Eventually(t, func() bool {
		c.send(callL("5", "echo", `{}`))
		return strings.Contains(c.recv(), `"id":5,"result"`)
	}, 5*time.Second, time.Millisecond)
}

// A cancelled call has no answer, and still gives its place back.
func TestCancelledCallsGiveTheirPlacesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := testServer(t)
		c := newRawClient(t, s, StdioOptions{MaxInFlight: 2})
		for n := range 10 {
			c.send(callM(itoa(n), "wait", "{}"))
			<-log.started
			c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + itoa(n) + `}}`)
			<-log.cancelled
			synctest.Wait()
		}
		for n := range 10 {
			c.send(callM(itoa(100+n), "echo", "{}"))
			require.Contains(t, c.recv(), `"result"`)
			synctest.Wait()
		}
	})
}

func TestTheEndOfInputEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := testServer(t)
		c := newRawClient(t, s, StdioOptions{Drain: 3 * time.Second})
		c.handshake()
		c.send(callL("1", "wait", `{}`))
		<-log.started
		c.send(callL("2", "ask", `{}`))
		c.recv()
		start := time.Now()
		require.NoError(t, c.c.(*pipeEnd).CloseWrite())
		<-log.cancelled
		require.Equal(t, 3*time.Second, time.Since(start))
		require.NoError(t, <-c.ended)
		for range c.lines {
		}
	})
}

func TestAnswersOfTheLastRequestsAreWrittenAtTheEndOfInput(t *testing.T) {
	s, _ := testServer(t)
	var in bytes.Buffer
	var want []string
	for i := range 100 {
		in.WriteString(callM(fmt.Sprint(i), "echo", `{}`) + "\n")
		want = append(want, fmt.Sprint(i))
	}
	in.WriteString(callM("100", "echo", `{}`)) // without a line break
	want = append(want, "100")
	var out bytes.Buffer
	require.NoError(t, s.Run(context.Background(), NewStdio(&in, &out, StdioOptions{})))
	var got []string
	for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		var m struct{ ID json.Number }
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		got = append(got, m.ID.String())
	}
	require.ElementsMatch(t, want, got)
}

func TestAListeningRequestDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := testServer(t)
		c := newRawClient(t, s, StdioOptions{Drain: time.Hour})
		c.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + envelopeM + `}}`)
		require.Contains(t, c.recv(), "acknowledged")
		start := time.Now()
		require.NoError(t, c.c.Close())
		require.NoError(t, <-c.ended)
		require.Zero(t, time.Since(start))
	})
}

func TestTheEndOfTheContextCancelsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := testServer(t)
		client, transport := Pipe(StdioOptions{})
		defer client.Close()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx, transport) }()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		_, err := io.WriteString(client, callM("1", "wait", `{}`)+"\n")
		require.NoError(t, err)
		<-log.started
		start := time.Now()
		cancel()
		<-log.cancelled
		require.ErrorIs(t, <-ended, context.Canceled)
		require.Zero(t, time.Since(start))
	})
}

func TestSubscriptionsNameTheRequestExactly(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + envelopeM + `}}`)
	require.Regexp(t, `subscriptions/acknowledged.*"io.modelcontextprotocol/subscriptionId":9007199254740993`, c.recv())
	s.AddTool(&mcp.Tool{Name: "new", InputSchema: json.RawMessage(anyObject)}, nil)
	require.Regexp(t, `tools/list_changed.*"io.modelcontextprotocol/subscriptionId":9007199254740993`, c.recv())
}

func TestChangesAreToldToThoseWhoAsk(t *testing.T) {
	s, _ := testServer(t)
	legacy, undecided, modern := newRawClient(t, s, StdioOptions{}), newRawClient(t, s, StdioOptions{}), newRawClient(t, s, StdioOptions{})
	legacy.handshake()
	undecided.quiet()
	modern.send(callM("1", "echo", "{}"))
	modern.recv()
	s.AddTool(&mcp.Tool{Name: "new", InputSchema: json.RawMessage(anyObject)}, nil)
	require.Contains(t, legacy.recv(), "notifications/tools/list_changed")
	undecided.quiet()
	modern.send(callM("2", "echo", "{}"))
	require.Contains(t, modern.recv(), `"id":2,"result"`)
}

func TestProgressTokensComeBackAsTheyWere(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	for _, token := range []string{`"a"`, `7`, `-7`, `9007199254740993`, `123456789012345678901234567890`, `1.50`, `-0`} {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note","_meta":{"progressToken":` + token + `,` + metaKeys + `}}}`)
		require.Contains(t, c.recv(), `"progressToken":`+token+`,"progress":0.5}}`)
		require.Contains(t, c.recv(), `"id":1,"result"`)
	}
}

func TestAModernServerMakesNoRequests(t *testing.T) {
	s, _ := testServer(t)
	c := newRawClient(t, s, StdioOptions{})
	c.send(callM("1", "ask", "{}"))
	require.Contains(t, c.recv(), `"id":1,"result"`, "no question came before the answer")
}

// A stuckWriter takes nothing until it is let go.
type stuckWriter struct {
	once   sync.Once
	writes chan struct{} // closed at the first write
	free   chan struct{}
}

func (w *stuckWriter) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.writes) })
	<-w.free
	return len(p), nil
}

func TestAClientThatDoesNotReadCostsNoMemory(t *testing.T) {
	s, _ := testServer(t)
	w := &stuckWriter{writes: make(chan struct{}), free: make(chan struct{})}
	defer close(w.free)
	in, client := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, NewStdio(in, w, StdioOptions{MaxInFlight: 20})) }()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var sent atomic.Int64
	go func() {
		for i := range 2000 { // 200 MB, if anybody took it
			if _, err := io.WriteString(client, callM(fmt.Sprint(i), "echo", `{"x":"`+strings.Repeat("y", 100_000)+`"}`)+"\n"); err != nil {
				return // the server has ended
			}
			sent.Add(1)
		}
	}()
	<-w.writes
	// Refusing costs a hundred bytes a line: nothing is lost, and at some line the
	// client has to wait.
	seen := int64(-1)
	require.Eventually(t, func() bool {
		now := sent.Load()
		stands := now == seen
		seen = now
		return stands
	}, 20*time.Second, 200*time.Millisecond)
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(30<<20), "20 calls are held, with a few copies of each")
	cancel()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		require.Fail(t, "the session hangs in a write")
	}
}

func TestTheEndOfInputEndsAWriteThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := testServer(t)
		w := &stuckWriter{writes: make(chan struct{}), free: make(chan struct{})}
		defer close(w.free)
		in, client := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- s.Run(t.Context(), NewStdio(in, w, StdioOptions{})) }()
		for i := range 20 {
			_, err := io.WriteString(client, callM(fmt.Sprint(i), "echo", `{"x":"`+strings.Repeat("y", 200_000)+`"}`)+"\n")
			require.NoError(t, err)
		}
		require.NoError(t, client.Close())
		require.NoError(t, <-ended)
	})
}

func TestLinesAreCutAtTheCap(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		for _, n := range []int{1, 99, 100, 101, 102, 103, 70_000, 200_000} {
			for _, max := range []int{100, 70_000, 200_000} {
				l := newLineReader(strings.NewReader("\n"+strings.Repeat("x", n)+end), max)
				line, err := l.next()
				if n > max {
					require.ErrorIs(t, err, errLong)
					require.Len(t, line, max)
				} else {
					require.NoError(t, err)
					require.Len(t, line, n, "end %q, max %d", end, max)
				}
				_, err = l.next()
				require.ErrorIs(t, err, io.EOF)
			}
		}
	}
}

func TestALongLineLeavesNoMemoryBehind(t *testing.T) {
	l := newLineReader(io.MultiReader(
		strings.NewReader(strings.Repeat("x", 5<<20)+"\n"), strings.NewReader(strings.Repeat("y", 100_000)+"\nshort\n")), 8<<20)
	for _, want := range []int{5 << 20, 100_000, 5} {
		line, err := l.next()
		require.NoError(t, err)
		require.Len(t, line, want)
	}
	require.Less(t, cap(l.long), 1<<20)
}

func TestEverythingOnStdoutIsOneMessageALine(t *testing.T) {
	require.Equal(t, `{"a":"b\nc"}`, string(oneLine([]byte("{\n\"a\": \"b\\nc\"}"))))
	require.NotContains(t, string(oneLine([]byte("{\"a\"\n:"))), "\n")
}

func FuzzStdio(f *testing.F) {
	for _, s := range []string{"hello\n" + pingL + "\n", "\r\n\xef\xbb\xbf" + pingL + "\n[", callM("1", "echo", "{}") + "\n" + callM("1", "wait", "{}"),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}` + "\n" + callL("2", "ask", "{}") + "\n" + `{"jsonrpc":"2.0","id":1,"result":5}`} {
		f.Add([]byte(s))
	}
	s, log := testServer(f)
	go func() {
		for range log.started {
			<-log.cancelled
		}
	}()
	f.Cleanup(func() { close(log.started) })
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		if err := s.Run(context.Background(), NewStdio(bytes.NewReader(data), &out, StdioOptions{MaxLine: 2000, Drain: -1})); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(out.String(), "\n"), "\n") {
			var m struct {
				JSONRPC string
				ID      json.RawMessage
				Method  *string
				Result  json.RawMessage
				Error   *struct {
					Code    int
					Message *string
				}
			}
			if out.Len() == 0 {
				break
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" || strings.Contains(line, idPrefix) && !strings.Contains(string(data), idPrefix) {
				t.Fatalf("%q is answered %q", data, line)
			}
			if m.Method == nil && (m.Error == nil) == (m.Result == nil) {
				t.Fatalf("%q is answered %q", data, line)
			}
		}
	})
}

// stopping is a client of a server that has 5 seconds of grace.
func stopping(t *testing.T, s *mcp.Server) (c *rawClient, stop func()) {
	asked := make(chan struct{})
	return newRawClient(t, s, StdioOptions{Stop: asked, Grace: 5 * time.Second}), sync.OnceFunc(func() { close(asked) })
}

func TestAStopLetsCallsFinishAndTakesNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := testServer(t)
		c, stop := stopping(t, s)
		c.handshake()
		c.send(callL("1", "ask", `{}`))
		require.Contains(t, c.recv(), `"id":1,"method":"elicitation/create"`)
		start := time.Now()
		stop()
		synctest.Wait()
		c.send(callL("2", "echo", `{}`))
		require.Equal(t, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the server is stopping"}}`, c.recv())
		c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
		require.Contains(t, c.recv(), `"sampling/createMessage"`)
		c.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}`)
		require.Contains(t, c.recv(), `"roots/list"`)
		c.send(`{"jsonrpc":"2.0","id":3,"result":{"roots":[]}}`)
		require.Contains(t, c.recv(), `"id":1,"result"`, "the call that ran is answered")
		require.NoError(t, <-c.ended)
		require.Zero(t, time.Since(start), "and then there is nothing to wait for")
	})
}

func TestAStopCancelsWhatOutlivesTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := testServer(t)
		c, stop := stopping(t, s)
		c.send(callM("1", "wait", `{}`))
		<-log.started
		start := time.Now()
		stop()
		<-log.cancelled
		require.Equal(t, 5*time.Second, time.Since(start))
		require.NoError(t, <-c.ended)
		require.Less(t, time.Since(start), time.Minute, "it must not hang; a slow machine may take its time")
	})
}

func TestAStopEndsAnIdleConnectionAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := testServer(t)
		c, stop := stopping(t, s)
		c.handshake()
		start := time.Now()
		stop()
		require.NoError(t, <-c.ended)
		require.Zero(t, time.Since(start))
	})
}
