package frame

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveModern serves one message of the envelope's era, which stands for itself.
func (h *Handler) serveModern(w http.ResponseWriter, r *http.Request, m *message) {
	if m.kind == answer || m.kind == nothing {
		h.refuse(w, http.StatusBadRequest, invalidRequest("a body must be one request or notification"), "")
		return
	}
	f := repeatedHeader(r.Header)
	if f == nil && m.kind == notification {
		// The core protocol has no notification for a server here: a client cancels by
		// leaving. To obey one by its id would let one client cancel another's work.
		if version := r.Header.Get("Mcp-Protocol-Version"); version != modernVersion {
			f = unsupportedVersion("Unsupported protocol version", appendQuoted(nil, version))
		} else {
			w.WriteHeader(http.StatusAccepted)
			return
		}
	}
	if f == nil {
		f = m.modernFault(mirrored(r.Header))
	}
	if f == nil && m.method == "tools/call" {
		f = h.params.fault(r.Context(), r.Header, m)
	}
	if f != nil {
		h.refuse(w, modernStatus(f.code), f, m.id)
		return
	}
	h.exchange(w, r, m)
}

// exchange lets the SDK answer one request.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request, m *message) {
	x := &exchange{
		request: &jsonrpc.Request{
			Method: m.method,
			Params: h.rewriter.forSDK(m),
			Extra:  &mcp.RequestExtra{TokenInfo: auth.TokenInfoFromContext(r.Context()), Header: r.Header},
		},
		id:       m.id,
		reply:    newReply(w, h.opts.WriteTimeout),
		answered: make(chan struct{}),
		left:     make(chan struct{}),
	}
	x.request.ID, _ = jsonrpc.MakeID(sdkID(m.id, 0))
	defer x.leave()
	if _, err := h.server.Connect(r.Context(), x, nil); err != nil {
		x.reply.final(http.StatusInternalServerError, (&fault{code: jsonrpc.CodeInternalError, message: "Internal error"}).appendError(nil, m.id))
		return
	}
	var closing <-chan struct{}
	if m.method == "subscriptions/listen" {
		closing = h.life.Done()
	}
	silent := time.NewTicker(h.opts.KeepAlive)
	defer silent.Stop()
	for {
		select {
		case <-x.answered:
			return
		case <-r.Context().Done(): // the client has left
			return
		case <-closing:
			return
		case <-silent.C:
			if x.reply.ping() != nil {
				return
			}
		}
	}
}

// An exchange is a connection of one request. It is its own transport.
type exchange struct {
	request *jsonrpc.Request
	id      string
	reply   *reply
	read    bool // the request; only Read's one caller looks at it

	answerOnce sync.Once
	answered   chan struct{}
	leaveOnce  sync.Once
	left       chan struct{}
}

// Connect implements [mcp.Transport].
func (x *exchange) Connect(context.Context) (mcp.Connection, error) { return x, nil }

// SessionID implements [mcp.Connection].
func (x *exchange) SessionID() string { return "" }

// Read implements [mcp.Connection]: the request, and then, when the client has its
// answer or has left, the end, at which the SDK cancels what still runs.
func (x *exchange) Read(ctx context.Context) (jsonrpc.Message, error) {
	if !x.read {
		x.read = true
		return x.request, nil
	}
	select {
	case <-x.answered:
	case <-x.left:
	case <-ctx.Done():
	}
	return nil, io.EOF
}

// Write implements [mcp.Connection].
func (x *exchange) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		if send, err := modernSendable(msg); !send {
			return err
		}
		return x.reply.event(appendRequest(nil, msg))
	case *jsonrpc.Response:
		status := http.StatusOK
		if msg.Error != nil {
			status = modernStatus(faultOf(msg.Error, x.request.Method).code)
		}
		x.reply.final(status, appendResponse(make([]byte, 0, len(msg.Result)+64), x.id, x.request.Method, msg))
		x.answerOnce.Do(func() { close(x.answered) })
	}
	return nil
}

// leave ends the exchange for the client's side.
func (x *exchange) leave() {
	x.reply.leave()
	x.leaveOnce.Do(func() { close(x.left) })
}

// Close implements [mcp.Connection].
func (x *exchange) Close() error {
	x.leave()
	return nil
}

// listTools asks the server for the schemas of its tools, as a client would. It returns
// nil if there is no telling.
func (h *Handler) listTools(ctx context.Context) map[string]json.RawMessage {
	schemas := map[string]json.RawMessage{}
	cursor := ""
	for range 100 { // pages
		params := `{"_meta":{"` + metaVersion + `":"` + modernVersion + `","` + metaCapabilities + `":{}}`
		if cursor != "" {
			params += `,"cursor":` + string(appendQuoted(nil, cursor))
		}
		var page struct {
			Result struct {
				Tools []struct {
					Name        string
					InputSchema json.RawMessage
				}
				NextCursor string
			}
		}
		if json.Unmarshal(h.ask(ctx, "tools/list", params+"}"), &page) != nil {
			return nil
		}
		for _, tool := range page.Result.Tools {
			schemas[tool.Name] = tool.InputSchema
		}
		if cursor = page.Result.NextCursor; cursor == "" {
			return schemas
		}
	}
	return schemas
}

// ask is the server's answer to a request of our own.
func (h *Handler) ask(ctx context.Context, method, params string) []byte {
	to := &recorder{nowhere: nowhere{header: http.Header{}}}
	x := &exchange{
		request:  &jsonrpc.Request{Method: method, Params: json.RawMessage(params), Extra: &mcp.RequestExtra{TokenInfo: auth.TokenInfoFromContext(ctx)}},
		id:       "0",
		reply:    newReply(to, h.opts.WriteTimeout),
		answered: make(chan struct{}),
		left:     make(chan struct{}),
	}
	x.request.ID, _ = jsonrpc.MakeID(sdkID(x.id, 0))
	defer x.leave()
	if _, err := h.server.Connect(ctx, x, nil); err != nil {
		return nil
	}
	select {
	case <-x.answered:
		return to.body
	case <-ctx.Done():
		return nil
	}
}

// A recorder keeps an answer.
type recorder struct {
	nowhere
	body []byte
}

func (r *recorder) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return len(p), nil
}
