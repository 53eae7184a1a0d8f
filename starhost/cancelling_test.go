package starhost_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

// Cancellation from end to end: whatever a script is in stops when nobody waits for
// it any more.

const busy = `
def forever() -> str:
    n = 0
    print("running")
    while True:
        n += 1

def sorting() -> str:
    print("running")
    while True:
        sorted(range(10000), key = lambda x: -x)

def forever_in_a_resolver(r: resolve(forever)) -> str: return r

Yes = model(yes = bool)
def ask(): return elicit("Sure?", Yes)
def asks(y: resolve(ask)) -> str: return "sure"

tool(forever)
tool(sorting)
tool(forever_in_a_resolver)
tool(asks)
`

// A noise is where scripts print to; it tells of each line.
type noise chan string

func (n noise) Write(p []byte) (int, error) {
	n <- strings.TrimSpace(string(p))
	return len(p), nil
}

// serveBusy serves [busy] and tells when a script runs, and how each round ends.
func serveBusy(t *testing.T) (host *starhost.Host, running noise, ended chan wire.Record) {
	t.Helper()
	running, ended = make(noise, 100), make(chan wire.Record, 100)
	return serveWith(t, busy, starhost.Options{
		Output:   running,
		MaxSteps: 1 << 50, // only cancellation ends them
		OnCall:   func() func(wire.Record) { return func(r wire.Record) { ended <- r } },
	}), running, ended
}

func TestCancelledScriptStopsAndNothingIsSentOnStdio(t *testing.T) {
	for _, tool := range []string{"forever", "sorting", "forever_in_a_resolver"} {
		for _, revision := range []string{handshake, rounds} {
			host, running, ended := serveBusy(t)
			c := connect(t, host, revision)
			p := c.pipe()
			id := p.write("tools/call", c.params(tool, `{}`, ""))
			<-running
			p.notify("notifications/cancelled", json.RawMessage(`{"requestId":`+id+`}`))
			require.Equal(t, calls.OutcomeCancelled, (<-ended).Outcome)
			list := p.write("tools/list", json.RawMessage(`{`+strings.TrimPrefix(c.envelope(), ",")+`}`))
			require.Equal(t, list, string(p.next().ID), "the next response is that of the next request")
		}
	}
}

func TestEndOfStdioStopsItsScripts(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		host, running, ended := serveBusy(t)
		c := connect(t, host, revision)
		c.pipe().write("tools/call", c.params("forever", `{}`, ""))
		<-running
		require.NoError(t, c.pipe().conn.Close())
		require.Equal(t, calls.OutcomeCancelled, (<-ended).Outcome)
	}
}

// background sends a request and doesn't wait for its answer; leave cuts it off.
func (w *web) background(t *testing.T, body string) (answer chan string, leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	r.Header.Set("Mcp-Protocol-Version", w.version)
	if w.session != "" {
		r.Header.Set("Mcp-Session-Id", w.session)
	} else {
		mirror(r.Header, body)
	}
	answer = make(chan string, 1)
	go func() {
		defer close(answer)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		answer <- string(text)
	}()
	t.Cleanup(cancel)
	return answer, cancel
}

func TestLeavingOverHTTPStopsTheScript(t *testing.T) {
	host, running, ended := serveBusy(t)
	c := connectOnline(t, online(t, host), rounds, `{}`)
	for _, tool := range []string{"forever", "sorting", "forever_in_a_resolver"} {
		answer, leave := c.web().background(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+string(c.params(tool, `{}`, ""))+`}`)
		<-running
		leave()
		require.Equal(t, calls.OutcomeCancelled, (<-ended).Outcome)
		_, answered := <-answer
		require.False(t, answered)
	}
}

func TestCancellingInASessionStopsTheScriptAndIsAnswered(t *testing.T) {
	host, running, ended := serveBusy(t)
	c := connectOnline(t, online(t, host), handshake, `{}`)
	for _, tool := range []string{"forever", "sorting", "forever_in_a_resolver"} {
		answer, _ := c.web().background(t, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":`+string(c.params(tool, `{}`, ""))+`}`)
		<-running
		c.web().post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`, nil)
		require.Equal(t, calls.OutcomeCancelled, (<-ended).Outcome)
		require.Contains(t, <-answer, `{"jsonrpc":"2.0","id":"c","error":{"code":-32800,"message":"Request cancelled"}}`)
	}
}

func TestEndOfASessionStopsItsScripts(t *testing.T) {
	host, running, ended := serveBusy(t)
	c := connectOnline(t, online(t, host), handshake, `{}`)
	c.web().background(t, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":`+string(c.params("forever", `{}`, ""))+`}`)
	<-running
	c.web().post(``, func(r *http.Request) { r.Method = http.MethodDelete })
	require.Equal(t, calls.OutcomeCancelled, (<-ended).Outcome)
}

func TestCancelledHTTPCallWithdrawsItsQuestion(t *testing.T) {
	host, _, ended := serveBusy(t)
	c := connectOnline(t, online(t, host), handshake, allCapabilities)
	w := c.web()
	res := w.open(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":`+string(c.params("asks", `{}`, ""))+`}`, nil)
	defer res.Body.Close()
	next := w.messages(res)
	q, ok := next()
	require.True(t, ok)
	require.Equal(t, "elicitation/create", q.Method)
	w.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`, nil)
	require.Equal(t, calls.OutcomeCancelled, (<-ended).Outcome)
	var told []string
	for m, ok := next(); ok; m, ok = next() {
		if m.Method == "notifications/cancelled" {
			require.Contains(t, string(m.Params), `"requestId":`+string(q.ID))
			told = append(told, "withdrawn")
		} else {
			require.Equal(t, -32800, m.Error.Code)
			told = append(told, "cancelled")
		}
	}
	require.ElementsMatch(t, []string{"withdrawn", "cancelled"}, told)
}

// A lifespan ends when no call uses it any more.
func TestCloseWaitsForRunningCalls(t *testing.T) {
	var out printout
	entered, resume := make(chan struct{}), make(chan struct{})
	host, err := starhost.Load(t.Context(), files(`
def start(): return "state"
def stop(state): print("stopped")
lifespan(start, stop)
def slow(x: resolve(wait, key = "wait")) -> str:
    print("finished")
    return "slow"
tool(slow)
`), starhost.Options{Entry: "shop.star", Output: &out, Resolvers: []starhost.Resolver{{Name: "wait", Func: blocking(entered, resume)}}})
	require.NoError(t, err)
	c := connect(t, host, rounds)
	c.pipe().write("tools/call", c.params("slow", `{}`, ""))
	<-entered
	closed := make(chan error, 1)
	go func() { closed <- host.Close(context.Background()) }()
	close(resume)
	require.Contains(t, string(c.pipe().next().Result), "slow")
	require.NoError(t, <-closed)
	require.Contains(t, string(c.pipe().request("tools/call", c.params("slow", `{}`, ""), nobody).Result), "Unknown tool")
	require.Equal(t, []string{"finished", "stopped"}, out.take())
}

// blocking is a resolver that waits to be told to go on.
func blocking(entered, resume chan struct{}) func(context.Context, []starlark.Value) (starlark.Value, error) {
	return func(context.Context, []starlark.Value) (starlark.Value, error) {
		close(entered)
		<-resume
		return starlark.None, nil
	}
}

func TestCloseWaitsNoLongerThanItsContext(t *testing.T) {
	host, running, _ := serveBusy(t)
	c := connect(t, host, rounds)
	c.pipe().write("tools/call", c.params("forever", `{}`, ""))
	<-running
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, host.Close(ctx))
}
