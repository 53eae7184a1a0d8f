package play

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// A web is a connection over streamable HTTP, to a server on loopback.
type web struct {
	url    string
	server *http.Server
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc

	got     chan message
	posts   sync.WaitGroup // requests under way
	streams sync.WaitGroup // the stream of what no request asked for
	listen  context.CancelFunc
	ended   func() // ends what the handler keeps, such as sessions
	served  chan struct{}

	mu      sync.Mutex
	session string
	version string
}

func newHTTP(ctx context.Context, handler http.Handler) (conn, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &web{
		url:    "http://" + listener.Addr().String() + "/mcp",
		server: &http.Server{Handler: handler}, // on loopback, for one client
		client: &http.Client{Transport: &http.Transport{}},
		ctx:    ctx, cancel: cancel,
		got:    make(chan message, backlog),
		listen: func() {},
		ended:  func() {},
		served: make(chan struct{}),
	}
	if closer, ok := handler.(interface{ Close() }); ok {
		w.ended = closer.Close
	}
	go func() {
		defer close(w.served)
		_ = w.server.Serve(listener)
	}()
	return w, nil
}

func (w *web) messages() <-chan message { return w.got }

func (w *web) send(text []byte) error {
	v, err := transcript.ParseJSON(text)
	if err != nil {
		v = nil // sent as it is
	}
	var id string
	if at := v.Get("id"); at != nil && v.Get("method") != nil {
		id = string(at.Compact())
	}
	req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	w.headers(req, v)
	if id == "" || v.Get("method").Text == "initialize" {
		return w.post(req, v, id) // whatever comes next depends on it
	}
	w.posts.Go(func() {
		if err := w.post(req, v, id); err != nil && w.ctx.Err() == nil {
			w.got <- message{text: []byte(err.Error()), to: id}
		}
	})
	return nil
}

// headers are what streamable HTTP wants beside the body.
func (w *web) headers(req *http.Request, v *transcript.Value) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	params := v.Get("params")
	if version := params.Get("_meta").Get("io.modelcontextprotocol/protocolVersion"); version != nil {
		req.Header.Set("Mcp-Protocol-Version", version.Text)
		req.Header.Set("Mcp-Method", v.Get("method").Text)
		name := params.Get("name")
		if v.Get("method").Text == "resources/read" {
			name = params.Get("uri")
		}
		if name != nil && name.Kind == transcript.String {
			req.Header.Set("Mcp-Name", headerText(name.Text))
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != "" {
		req.Header.Set("Mcp-Session-Id", w.session)
		req.Header.Set("Mcp-Protocol-Version", w.version)
	}
}

// headerText is text as a header can carry it.
func headerText(text string) string {
	for _, r := range text {
		if r < 0x20 || r > 0x7e {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
		}
	}
	if strings.HasPrefix(text, "=?base64?") || strings.TrimSpace(text) != text {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	return text
}

// post sends a request and takes all that comes in its response.
func (w *web) post(req *http.Request, v *transcript.Value, id string) error {
	resp, err := w.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return w.events(resp.Body, resp.StatusCode, resp.Header)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(body)) > 0 || id != "" {
		w.take(message{text: body, status: resp.StatusCode, to: id}, resp.Header)
	}
	return nil
}

// events takes the messages of a stream.
func (w *web) events(body io.Reader, status int, header http.Header) error {
	in := bufio.NewReader(body)
	var data []byte
	for {
		line, err := in.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(rest, []byte(" "))...)
		}
		if len(line) == 0 && len(data) > 0 {
			w.take(message{text: data, status: status}, header)
			data = nil
		}
		if err != nil {
			return nil // the end of the stream is the end of what is said
		}
	}
}

// take takes a message. The answer to initialize opens the session.
func (w *web) take(m message, header http.Header) {
	if id := header.Get("Mcp-Session-Id"); id != "" {
		w.open(id, m.text)
	}
	w.got <- m
}

// open begins to listen for what no request asks for.
func (w *web) open(session string, answer []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session != "" {
		return
	}
	w.session = session
	if v, err := transcript.ParseJSON(answer); err == nil {
		if version := v.Get("result").Get("protocolVersion"); version != nil {
			w.version = version.Text
		}
	}
	ctx, cancel := context.WithCancel(w.ctx)
	w.listen = cancel
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
	if err != nil {
		return
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", w.session)
	req.Header.Set("Mcp-Protocol-Version", w.version)
	w.streams.Go(func() {
		resp, err := w.client.Do(req)
		if err != nil {
			return // it was ended, or the server has none
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			_ = w.events(resp.Body, resp.StatusCode, http.Header{})
		}
	})
}

func (w *web) finish() {
	go func() {
		w.posts.Wait()
		w.listen()
		w.streams.Wait()
		close(w.got)
	}()
}

func (w *web) close() {
	w.cancel()
	_ = w.server.Close()
	<-w.served
	w.posts.Wait()
	w.streams.Wait()
	w.ended()
	w.client.CloseIdleConnections()
}
