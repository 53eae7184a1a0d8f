package frame

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// A reply is the response to one modern request: JSON, as long as nothing but the
// answer is to be told; a stream of events from the first notification on, or when
// the handler has been silent for long.
type reply struct {
	mu        sync.Mutex
	w         http.ResponseWriter
	rc        *http.ResponseController
	timeout   time.Duration
	streaming bool
	over      bool // w must not be touched any more
}

func newReply(w http.ResponseWriter, timeout time.Duration) *reply {
	return &reply{w: w, rc: http.NewResponseController(w), timeout: timeout}
}

// event sends a notification.
func (r *reply) event(message []byte) error {
	return r.stream(appendEvent(nil, message))
}

// ping shows that the server is alive.
func (r *reply) ping() error {
	return r.stream([]byte(": ping\n\n"))
}

func (r *reply) stream(text []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return errOutboxClosed
	}
	if !r.streaming {
		r.streaming = true
		startStream(r.w.Header())
		r.w.WriteHeader(http.StatusOK)
	}
	return send(r.w, r.rc, text, r.timeout)
}

// final sends the answer, after which there is nothing to send.
func (r *reply) final(status int, message []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.over = true
	if r.streaming {
		_ = send(r.w, r.rc, appendEvent(nil, message), r.timeout)
		return
	}
	r.w.Header().Set("Content-Type", "application/json")
	r.w.Header().Set("Cache-Control", "no-store")
	r.w.WriteHeader(status)
	_ = send(r.w, r.rc, message, r.timeout)
}

func (r *reply) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

func startStream(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
}

// appendEvent writes a message as one event of a stream.
func appendEvent(dst, message []byte) []byte {
	dst = append(dst, "event: message\ndata: "...)
	return append(append(dst, bytes.ReplaceAll(message, []byte("\n"), []byte(" "))...), "\n\n"...)
}

// send writes and flushes within timeout, which keeps a client that doesn't read from
// holding on to the server's goroutines.
func send(w io.Writer, rc *http.ResponseController, text []byte, timeout time.Duration) error {
	_ = rc.SetWriteDeadline(time.Now().Add(timeout)) // not every writer can
	defer func() { _ = rc.SetWriteDeadline(time.Time{}) }()
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
