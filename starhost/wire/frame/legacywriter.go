package frame

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A legacyExchange is one HTTP request in a handshake session.
type legacyExchange struct {
	session *session // nil while it is opened
	call    *call    // the request in the body, if it is one
	opening bool     // the request is an initialize without a session
	stream  bool     // a GET
	silent  bool     // a notification or an answer, to which there is nothing to say
}

// A legacyWriter stands between the SDK's streamable handler and the client: it gives
// messages their exact ids back, and makes proper errors of plain texts.
type legacyWriter struct {
	h      *Handler
	rc     *http.ResponseController
	cancel context.CancelFunc // ends the request when the client can't be written to
	ctx    context.Context
	x      legacyExchange

	mu        sync.Mutex
	w         http.ResponseWriter
	header    http.Header // the SDK's, until it is sent
	status    int
	text      []byte   // of an event that is not complete, or a whole body that is no stream
	held      []byte   // events that wait for the answer of an initialize
	asked     []string // ids of the requests to the client in this stream
	withdrawn []byte   // events that go out before the one in the making
	committed bool
	answered  bool
	over      bool
}

func newLegacyWriter(h *Handler, w http.ResponseWriter, cancel context.CancelFunc, ctx context.Context, x legacyExchange) *legacyWriter {
	return &legacyWriter{h: h, rc: http.NewResponseController(w), cancel: cancel, ctx: ctx, x: x, w: w, header: http.Header{}}
}

// Header implements [http.ResponseWriter].
func (l *legacyWriter) Header() http.Header { return l.header }

// WriteHeader implements [http.ResponseWriter].
func (l *legacyWriter) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status == 0 {
		l.status = status
	}
}

// Flush implements [http.Flusher]: every whole event is flushed anyway.
func (l *legacyWriter) Flush() {}

func (l *legacyWriter) streaming() bool {
	return strings.HasPrefix(l.header.Get("Content-Type"), "text/event-stream")
}

// Write implements [http.ResponseWriter].
func (l *legacyWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0, errOutboxClosed
	}
	if l.status == 0 {
		l.status = http.StatusOK
	}
	l.text = append(l.text, p...)
	if !l.streaming() {
		return len(p), nil
	}
	for {
		event, rest, ok := bytes.Cut(l.text, []byte("\n\n"))
		if !ok {
			return len(p), nil
		}
		mended := l.event(event)
		l.text = append(l.text[:0], rest...)
		if err := l.send(mended); err != nil {
			l.cancel()
			return 0, err
		}
	}
}

// event is one event with its message mended.
func (l *legacyWriter) event(event []byte) []byte {
	out := make([]byte, 0, len(event)+16)
	for line := range bytes.SplitSeq(event, []byte("\n")) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && len(data) > 0 {
			out = append(append(out, "data: "...), l.message(data)...)
		} else {
			out = append(out, line...)
		}
		out = append(out, '\n')
	}
	if len(l.withdrawn) > 0 {
		out = append(l.withdrawn, out...)
		l.withdrawn = nil
	}
	return append(out, '\n')
}

// message is one message of the SDK's as the client gets it.
func (l *legacyWriter) message(data []byte) []byte {
	var raw rawMessage
	if err := raw.read(data); err != nil {
		return data
	}
	if raw.method != nil {
		method, _ := unquote(raw.method)
		l.note(method, &raw)
		if raw.params.raw == nil {
			return data
		}
		return restoreMember(data, "params", func(params []byte) []byte { return restoreParams(method, params) })
	}
	return l.response(&raw)
}

// note keeps account of the requests to the client in this stream.
func (l *legacyWriter) note(method string, raw *rawMessage) {
	s := l.x.session
	switch {
	case s == nil:
	case raw.id != nil:
		id := canonicalID(raw.id)
		l.asked = append(l.asked, id)
		s.asks(id)
	case method == "notifications/cancelled" && raw.params.requestID != nil:
		s.settles(canonicalID(raw.params.requestID))
	}
}

// withdraw takes back what a cancelled call has asked. The SDK does so too, but
// often only when the call has its response, and then it has no stream for it.
func (l *legacyWriter) withdraw(s *session) {
	for _, id := range l.asked {
		if s.settles(id) {
			l.withdrawn = appendEvent(l.withdrawn, []byte(
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`,"reason":"caller cancelled"}}`))
		}
	}
}

func (l *legacyWriter) response(raw *rawMessage) []byte {
	id, method := "", ""
	if text, ok := stringOf(raw.id); ok {
		id, _ = clientID(text)
	}
	if c := l.x.call; c != nil {
		if id == "" || id == c.id {
			id, method = c.id, c.method
			l.answered = true
		}
		if s := l.x.session; s != nil {
			s.calls.finish(c.sdk)
			if s.calls.isCancelled(c) {
				l.withdraw(s)
				return (&fault{code: requestCancelled, message: "Request cancelled"}).appendError(nil, id)
			}
		}
	}
	if raw.failure == nil {
		if l.x.opening && l.answered {
			l.begin()
		}
		out := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":`...)
		return append(append(out, restoreResult(raw.result)...), '}')
	}
	f := parseError(raw.failure)
	if f == nil {
		f = &fault{code: -32603, message: "Internal error"}
	}
	f.mend(method)
	if l.x.opening {
		l.header.Del(sessionHeader) // there is no such session
	}
	return f.appendError(nil, id)
}

// begin registers the session that an initialize has opened, before its client can
// know of it.
func (l *legacyWriter) begin() {
	if id := l.header.Get(sessionHeader); id != "" {
		l.x.session = l.h.sessions.add(id, l.ctx)
	}
}

// send passes events on. While a session is opened they wait for the answer, which
// decides whether there is a session to tell of.
func (l *legacyWriter) send(events []byte) error {
	if l.x.opening && !l.answered {
		l.held = append(l.held, events...)
		return nil
	}
	if len(l.held) > 0 {
		events = append(l.held, events...)
		l.held = nil
	}
	l.commit()
	return send(l.w, l.rc, events, l.h.opts.WriteTimeout)
}

func (l *legacyWriter) commit() {
	if l.committed {
		return
	}
	l.committed = true
	for name, values := range l.header {
		l.w.Header()[name] = values
	}
	if l.streaming() {
		startStream(l.w.Header())
	}
	l.w.WriteHeader(l.status)
}

// headerDelay is how long a call may take before its client gets to see that there is
// a stream, which the SDK only tells with the first event.
const headerDelay = 50 * time.Millisecond

// keepAlive begins a stream that takes its time, and sends a comment into one that has
// been silent, until the end.
func (l *legacyWriter) keepAlive(every time.Duration, end <-chan struct{}) {
	begin := time.NewTimer(headerDelay)
	defer begin.Stop()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-end:
			return
		case <-begin.C:
			if l.x.stream || l.x.call != nil && !l.x.opening {
				l.comment(": ok\n\n", true)
			}
		case <-ticker.C:
			l.comment(": ping\n\n", false)
		}
	}
}

// comment writes into the stream, if there is one already or is to be one. It must not
// look at l.header, which the SDK may be filling.
func (l *legacyWriter) comment(text string, begin bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.committed == begin {
		return
	}
	if begin {
		l.committed = true
		startStream(l.w.Header())
		l.w.WriteHeader(http.StatusOK)
	}
	if send(l.w, l.rc, []byte(text), l.h.opts.WriteTimeout) != nil {
		l.cancel()
	}
}

// finish writes what is not a stream, and takes w away from the SDK. It returns the
// session that was opened, if one was.
func (l *legacyWriter) finish() *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	switch {
	case l.ctx.Err() != nil:
		// The client has left.
	case l.streaming() && l.x.call != nil && !l.answered && l.sessionEnded():
		l.text = l.lost()
		l.sendText(http.StatusInternalServerError)
	case l.streaming():
		l.commit()
	default:
		l.mendBody()
		l.sendText(l.status)
	}
	if !l.x.opening {
		return nil
	}
	return l.x.session
}

// sendText writes l.text as the body, or as the last event if there is a stream.
func (l *legacyWriter) sendText(status int) {
	text := l.text
	if l.committed {
		text = appendEvent(nil, l.text)
	} else {
		l.status = status
		if len(text) > 0 {
			l.header.Set("Content-Type", "application/json")
		}
		l.commit()
	}
	if len(text) > 0 {
		_ = send(l.w, l.rc, text, l.h.opts.WriteTimeout)
	}
}

func (l *legacyWriter) sessionEnded() bool {
	s := l.x.session
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// lost answers a call whose session ended under it.
func (l *legacyWriter) lost() []byte {
	id := ""
	if l.x.call != nil {
		id = l.x.call.id
	}
	return (&fault{code: -32603, message: "Session terminated before the request completed"}).appendError(nil, id)
}

// mendBody mends a body that is no stream.
func (l *legacyWriter) mendBody() {
	if l.status == 0 {
		l.status = http.StatusOK
	}
	l.header.Del("Content-Length")
	switch {
	case strings.HasPrefix(l.header.Get("Content-Type"), "application/json"):
		l.text = l.message(l.text)
	case l.status == http.StatusBadRequest && l.x.silent:
		l.status, l.text, l.header = http.StatusAccepted, nil, http.Header{}
	case l.status >= http.StatusBadRequest:
		l.plainError()
	}
}

// plainError makes an error of a plain text of the SDK's.
func (l *legacyWriter) plainError() {
	id, method := "", ""
	if c := l.x.call; c != nil {
		id, method = c.id, c.method
		if s := l.x.session; s != nil {
			s.calls.finish(c.sdk) // the SDK has not taken it
		}
	}
	f := sdkText(l.status, string(l.text))
	f.mend(method)
	if l.status == http.StatusBadRequest {
		l.status = legacyStatus(f.code)
	}
	l.header.Del("X-Content-Type-Options")
	l.text = f.appendError(nil, id)
}
