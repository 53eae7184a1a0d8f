package frame

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

const sessionHeader = "Mcp-Session-Id"

// endGrace is how long the end of a session waits for handlers that have been told.
const endGrace = 2 * time.Second

// serveLegacy serves one message of a handshake session.
func (h *Handler) serveLegacy(w http.ResponseWriter, r *http.Request, m *message) {
	ids := r.Header.Values(sessionHeader)
	switch {
	case len(ids) > 1:
		h.refuse(w, http.StatusBadRequest, invalidRequest(sessionHeader+" header appears more than once"), m.id)
		return
	case len(ids) == 0 && m.kind == request && m.method == "initialize":
		h.open(w, r, m)
		return
	case len(ids) == 0:
		h.refuse(w, http.StatusBadRequest, &fault{code: -32600, message: "Bad Request: Missing session ID"}, m.id)
		return
	}
	s, f := h.sessions.use(r.Context(), ids[0])
	if f != nil {
		h.refuse(w, http.StatusNotFound, f, m.id)
		return
	}
	defer h.sessions.release(s)
	switch m.kind {
	case request:
		h.sessionRequest(w, r, m, s)
	case notification:
		h.sessionNotification(w, r, m, s)
	case answer:
		s.settles(m.id)
		h.forward(w, r, h.rewriter.answerBody(m), legacyExchange{session: s, silent: true})
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// open begins a session.
func (h *Handler) open(w http.ResponseWriter, r *http.Request, m *message) {
	if f := m.paramsFault(); f != nil {
		h.refuse(w, legacyStatus(f.code), f, m.id)
		return
	}
	if !h.sessions.reserve() {
		h.refuse(w, http.StatusServiceUnavailable, &fault{code: -32603, message: "Too many open sessions"}, m.id)
		return
	}
	x := legacyExchange{call: &call{id: m.id, sdk: sdkID(m.id, 0), method: m.method}, opening: true}
	if s := h.forward(w, r, requestBody(m.method, x.call.sdk, h.rewriter.forSDK(m)), x); s != nil {
		h.sessions.release(s)
	} else {
		h.sessions.giveBack()
	}
}

func (h *Handler) sessionRequest(w http.ResponseWriter, r *http.Request, m *message, s *session) {
	f := m.legacyFault()
	if f == nil && m.method == "initialize" {
		f = invalidRequest("this session is initialized already")
	}
	if f != nil {
		h.refuse(w, legacyStatus(f.code), f, m.id)
		return
	}
	c, f := s.calls.begin(m)
	if f != nil {
		h.refuse(w, legacyStatus(f.code), f, m.id)
		return
	}
	h.forward(w, r, requestBody(m.method, c.sdk, h.rewriter.forSDK(m)), legacyExchange{session: s, call: c})
}

func (h *Handler) sessionNotification(w http.ResponseWriter, r *http.Request, m *message, s *session) {
	if m.method != "notifications/cancelled" {
		h.forward(w, r, requestBody(m.method, "", h.rewriter.forSDK(m)), legacyExchange{session: s, silent: true})
		return
	}
	if id := m.params.requestID; isString(id) || isNumber(id) {
		if c := s.calls.cancel(canonicalID(id)); c != nil {
			h.cancel(s, c)
		}
	}
	w.WriteHeader(http.StatusAccepted)
}

// serveSession serves GET (a stream of what no request asked for, or the rest of one
// that broke off) and DELETE.
func (h *Handler) serveSession(w http.ResponseWriter, r *http.Request) {
	if _, stream := accepts(r.Header); !stream && r.Method == http.MethodGet {
		h.refuse(w, http.StatusNotAcceptable, invalidRequest("Not Acceptable: the client must accept text/event-stream"), "")
		return
	}
	ids := r.Header.Values(sessionHeader)
	if len(ids) != 1 {
		h.refuse(w, http.StatusBadRequest, &fault{code: -32600, message: "Bad Request: Missing session ID"}, "")
		return
	}
	s, f := h.sessions.use(r.Context(), ids[0])
	if f != nil {
		h.refuse(w, http.StatusNotFound, f, "")
		return
	}
	defer h.sessions.release(s)
	if r.Method == http.MethodDelete {
		h.sessions.terminate(s, true)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	release, ok := take(h.streams)
	if !ok {
		h.refuse(w, http.StatusServiceUnavailable, &fault{code: -32603, message: "too many streams at the same time"}, "")
		return
	}
	defer release()
	h.forward(w, r, nil, legacyExchange{session: s, stream: true})
}

// requestBody is the message that the SDK gets. An sdk of "" makes a notification.
func requestBody(method, sdk string, params []byte) []byte {
	out := append(make([]byte, 0, len(params)+len(sdk)+len(method)+64), `{"jsonrpc":"2.0"`...)
	if sdk != "" {
		out = appendQuoted(append(out, `,"id":`...), sdk)
	}
	out = appendQuoted(append(out, `,"method":`...), method)
	if params != nil {
		out = append(append(out, `,"params":`...), params...)
	}
	return append(out, '}')
}

// answerBody is a client's answer as the SDK gets it.
func (rw rewriter) answerBody(m *message) []byte {
	result, failure := rw.sdkAnswer(m)
	out := append(append([]byte(`{"jsonrpc":"2.0","id":`), m.id...), ',')
	if failure != nil {
		f := fault{code: failure.Code, message: failure.Message, data: failure.Data}
		return append(f.appendObject(append(out, `"error":`...)), '}')
	}
	return append(append(append(out, `"result":`...), result...), '}')
}

// forward has the SDK serve a request with that body, and mends what it sends. For an
// exchange that opens a session it returns the session, or nil if there is none.
func (h *Handler) forward(w http.ResponseWriter, r *http.Request, body []byte, x legacyExchange) *session {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if x.stream {
		defer context.AfterFunc(h.life, cancel)()
	}
	inner := r.Clone(ctx)
	inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out := newLegacyWriter(h, w, cancel, ctx, x)
	alive := make(chan struct{})
	go out.keepAlive(h.opts.KeepAlive, alive)
	h.legacy.ServeHTTP(out, inner)
	close(alive)
	return out.finish()
}

// cancel tells the SDK that nobody waits for a call any more.
func (h *Handler) cancel(s *session, c *call) {
	params := append(appendQuoted([]byte(`{"requestId":`), c.sdk), '}')
	h.inside(s, http.MethodPost, requestBody("notifications/cancelled", "", params))
}

// endSession ends the SDK's side of a session. Its handlers are cancelled first: the
// SDK waits for them, and one that waits for an answer would wait for ever.
func (h *Handler) endSession(s *session) {
	for _, c := range s.calls.cancelAll() {
		h.cancel(s, c)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.inside(s, http.MethodDelete, nil)
	}()
	timer := time.NewTimer(endGrace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// inside sends the SDK a request of our own in a session.
func (h *Handler) inside(s *session, method string, body []byte) {
	r, err := http.NewRequestWithContext(s.ctx, method, "/", bytes.NewReader(body))
	if err != nil {
		return
	}
	r.Header.Set(sessionHeader, s.id)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	h.legacy.ServeHTTP(&nowhere{header: http.Header{}}, r)
}

// nowhere is where answers go that nobody reads.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n *nowhere) WriteHeader(int)             {}

// sdkText is the error behind a plain text of the SDK's.
func sdkText(status int, text string) *fault {
	text = strings.TrimSpace(text)
	switch {
	case status == http.StatusNotFound:
		return &fault{code: -32600, message: "Session not found"}
	case status >= http.StatusInternalServerError:
		return &fault{code: -32603, message: "Internal error"}
	case strings.HasPrefix(text, "JSON RPC not handled: "):
		return &fault{code: -32601, message: "method not found: " + strings.TrimSuffix(strings.TrimPrefix(text, "JSON RPC not handled: "), " unsupported")}
	}
	return invalidRequest(text)
}
