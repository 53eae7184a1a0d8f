package frame

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// A memListener hands out connections in memory, so that a server and its clients can
// live in a synctest bubble.
type memListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *memListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return memConn{c}, nil
	case <-l.closed:
		return nil, errors.New("closed")
	}
}
func (l *memListener) Close() error   { close(l.closed); return nil }
func (l *memListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

type memConn struct{ net.Conn }

func (memConn) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// A site is a Handler behind an http.Server in memory.
type site struct {
	t       testing.TB
	handler *Handler
	client  *http.Client
	dial    func() net.Conn
	server  *http.Server
}

func newSite(t testing.TB, s *mcp.Server, opts HTTPOptions, wrap ...func(http.Handler) http.Handler) *site {
	t.Helper()
	l := &memListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	dial := func() net.Conn {
		mine, theirs := net.Pipe()
		l.conns <- theirs
		return mine
	}
	h := NewHandler(s, opts)
	srv := NewHTTPServer(h)
	if len(wrap) > 0 {
		srv = NewHTTPServer(wrap[0](h))
		srv.RegisterOnShutdown(h.Close)
	}
	go func() { _ = srv.Serve(l) }()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(), nil }}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		h.Close()
		_ = srv.Close()
	})
	return &site{t: t, handler: h, client: &http.Client{Transport: transport}, dial: dial, server: srv}
}

// An exchanged is what came back.
type exchanged struct {
	*http.Response
	body string
}

// header is a set of changes to the headers that a request would have: "Name: value",
// or "Name:" to leave one out. A repeated name adds a value.
type header []string

func (s *site) request(ctx context.Context, method, body string, changes header) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1/mcp", strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	var m struct {
		Method string
		Params struct {
			Name, URI string
			Meta      map[string]any `json:"_meta"`
		}
	}
	if json.Unmarshal([]byte(body), &m) == nil && m.Params.Meta[metaVersion] != nil {
		r.Header.Set("MCP-Protocol-Version", modernVersion)
		r.Header.Set("Mcp-Method", m.Method)
		if name := m.Params.Name + m.Params.URI; name != "" {
			r.Header.Set("Mcp-Name", name)
		}
	}
	changed := map[string]bool{}
	for _, change := range changes {
		name, value, _ := strings.Cut(change, ":")
		if !changed[name] {
			r.Header.Del(name)
		}
		changed[name] = true
		if value = strings.TrimPrefix(value, " "); value != "" || strings.HasSuffix(change, ": ") {
			r.Header.Add(name, value)
		}
		if name == "Host" {
			r.Host = value
		}
	}
	return r
}

func (s *site) do(method, body string, changes header) exchanged {
	s.t.Helper()
	resp, err := s.client.Do(s.request(context.Background(), method, body, changes))
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return exchanged{resp, string(text)}
}

func (s *site) post(body string, changes ...string) exchanged {
	s.t.Helper()
	return s.do("POST", body, changes)
}

// message is the last message of a response, stream or not.
func (e exchanged) message() string {
	if !strings.HasPrefix(e.Header.Get("Content-Type"), "text/event-stream") {
		return e.body
	}
	last := ""
	for line := range strings.SplitSeq(e.body, "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok && data != "" {
			last = data
		}
	}
	return last
}

const initializeL = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`

// session opens a handshake session and returns the header that names it.
func (s *site) session(changes ...string) string {
	s.t.Helper()
	e := s.post(initializeL, changes...)
	require.Equal(s.t, 200, e.StatusCode, e.body)
	require.Contains(s.t, e.message(), `"id":"init","result"`)
	id := e.Header.Get("Mcp-Session-Id")
	require.NotEmpty(s.t, id)
	header := "Mcp-Session-Id: " + id
	require.Equal(s.t, 202, s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(changes, header)...).StatusCode)
	return header
}

// A stream is a response that is read while it comes.
type stream struct {
	t      testing.TB
	resp   *http.Response
	in     *bufio.Reader
	cancel context.CancelFunc
}

func (s *site) stream(method, body string, changes ...string) *stream {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	resp, err := s.client.Do(s.request(ctx, method, body, changes))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { cancel(); _ = resp.Body.Close() })
	return &stream{t: s.t, resp: resp, in: bufio.NewReader(resp.Body), cancel: cancel}
}

// next is the next message of the stream, or "" at its end.
func (s *stream) next() string {
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return ""
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.TrimSpace(data) != "" {
			return strings.TrimSpace(data)
		}
	}
}

// line is the next line that is not blank.
func (s *stream) line() string {
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return ""
		}
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
}

func sameJSON(t testing.TB, want, got string) {
	t.Helper()
	var a, b bytes.Buffer
	require.NoError(t, json.Compact(&a, []byte(want)))
	require.NoError(t, json.Compact(&b, []byte(got)), got)
	require.Equal(t, a.String(), b.String())
}
