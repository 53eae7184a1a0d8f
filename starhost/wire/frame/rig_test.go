//lint:file-ignore SA1019 what old clients still do has to be tested.

package frame

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

const (
	anyObject = `{"type":"object"}`
	metaKeys  = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	envelopeM = `"_meta":{` + metaKeys + `}`
)

// seen is what the handlers of a [testServer] tell about.
type seen struct {
	params    chan *mcp.CallToolParamsRaw
	started   chan string
	cancelled chan string
	headers   atomic.Pointer[http.Header]
}

// testServer has the tools echo (arguments come back as text), ask (one question of
// each kind, told as text), wait (until cancelled), note (a progress notification,
// then echo) and fail (an error of the code in its arguments).
func testServer(t testing.TB) (*mcp.Server, *seen) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}, Logging: &mcp.LoggingCapabilities{}},
	})
	log := &seen{params: make(chan *mcp.CallToolParamsRaw, 1000), started: make(chan string, 1000), cancelled: make(chan string, 1000)}
	add := func(name string, h mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(anyObject)}, h)
	}
	add("echo", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(log.params) < cap(log.params) {
			log.params <- r.Params
		}
		if r.Extra != nil {
			log.headers.Store(&r.Extra.Header)
		}
		return textResult(string(r.Params.Arguments)), nil
	})
	add("ask", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return textResult(askAll(ctx, r.Session)), nil
	})
	add("wait", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		log.started <- string(r.Params.Arguments)
		<-ctx.Done()
		log.cancelled <- string(r.Params.Arguments)
		return nil, ctx.Err()
	})
	add("note", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 0.5})
		return textResult(fmt.Sprint(err)), nil
	})
	add("fail", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var want struct {
			Code int64
			Data json.RawMessage
		}
		if err := json.Unmarshal(r.Params.Arguments, &want); err != nil {
			return nil, err
		}
		return nil, ExactError(want.Code, "as told", want.Data)
	})
	return s, log
}

func textResult(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// askAll asks one question of each kind and says what came, by way of Moved.
func askAll(ctx context.Context, ss *mcp.ServerSession) string {
	var out []string
	tell := func(meta map[string]any, err error) {
		raw, ok := Moved(meta, MetaResult)
		if err != nil {
			out = append(out, "error "+err.Error())
			return
		}
		out = append(out, fmt.Sprintf("%s %v", raw, ok))
	}
	e, err := ss.Elicit(ctx, &mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)})
	if err == nil {
		tell(e.Meta, nil)
	} else {
		tell(nil, err)
	}
	m, err := ss.CreateMessageWithTools(ctx, &mcp.CreateMessageWithToolsParams{MaxTokens: 1})
	if err == nil {
		tell(m.Meta, nil)
	} else {
		tell(nil, err)
	}
	l, err := ss.ListRoots(ctx, nil)
	if err == nil {
		tell(l.Meta, nil)
	} else {
		tell(nil, err)
	}
	return strings.Join(out, "; ")
}

// A rawClient speaks lines with a server.
type rawClient struct {
	t     testing.TB
	c     io.ReadWriteCloser
	lines chan string
	ended chan error // what Run returned
}

// newRawClient runs s behind a pipe until the test ends.
func newRawClient(t testing.TB, s *mcp.Server, opts StdioOptions) *rawClient {
	t.Helper()
	client, transport := Pipe(opts)
	r := &rawClient{t: t, c: client, lines: make(chan string, 10000), ended: make(chan error, 1)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.ended <- s.Run(context.Background(), transport)
	}()
	go func() {
		defer close(r.lines)
		in := bufio.NewReader(client)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			r.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		_ = client.Close()
		<-over
	})
	return r
}

func (r *rawClient) send(format string, args ...any) {
	r.t.Helper()
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	_, err := io.WriteString(r.c, format+"\n")
	require.NoError(r.t, err)
}

// recv is the next line, or "" when the connection has ended.
func (r *rawClient) recv() string {
	r.t.Helper()
	select {
	case line := <-r.lines:
		return line
	case <-time.After(10 * time.Second):
		require.Fail(r.t, "no line came")
		return ""
	}
}

// quiet makes sure that nothing waits to be read, by way of a ping.
func (r *rawClient) quiet() {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":"quiet","method":"ping"}`)
	require.JSONEq(r.t, `{"jsonrpc":"2.0","id":"quiet","result":{}}`, r.recv())
}

func (r *rawClient) handshake() {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	require.Contains(r.t, r.recv(), `"protocolVersion":"2025-11-25"`)
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func callL(id, tool, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

func callM(id, tool, args string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `,` + envelopeM + `}}`
}
