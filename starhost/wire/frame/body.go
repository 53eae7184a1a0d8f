package frame

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// bodiesBytes is how long the bodies may be together that are read or worked on at a
// time: strangers who each send most of a long body and then nothing fill no more.
const bodiesBytes = 256 << 20

var errBodiesFull = errors.New("too many bodies at the same time")

// A body is the body of one request, counted as long as it is in memory.
type body struct {
	from  io.Reader
	total *atomic.Int64 // of all bodies
	own   int64
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.own += int64(n)
	if b.total.Add(int64(n)) > bodiesBytes {
		return n, errBodiesFull
	}
	return n, err
}

// release says that the body is not in memory any more.
func (b *body) release() { b.total.Add(-b.own) }

// readBody reads a body that is neither too long nor too slow. A status other than 0
// says what is wrong with it. The caller releases what it gets in any case.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) (text []byte, release func(), status int, wrong string) {
	b := &body{from: r.Body, total: &h.bodies}
	text, status, wrong = h.readAll(w, r, b)
	if status != 0 {
		w.Header().Set("Connection", "close") // nobody reads the rest
	}
	return text, b.release, status, wrong
}

func (h *Handler) readAll(w http.ResponseWriter, r *http.Request, b *body) (text []byte, status int, wrong string) {
	if r.ContentLength > h.opts.MaxBody {
		return nil, http.StatusRequestEntityTooLarge, "Request body too large"
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(h.opts.BodyTimeout)) // not every writer can
	text, err := io.ReadAll(io.LimitReader(b, h.opts.MaxBody+1))
	var timeout interface{ Timeout() bool }
	switch {
	case int64(len(text)) > h.opts.MaxBody:
		return nil, http.StatusRequestEntityTooLarge, "Request body too large"
	case errors.Is(err, errBodiesFull):
		return nil, http.StatusServiceUnavailable, "Too many request bodies at the same time"
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, http.StatusRequestTimeout, "Request body too slow"
	case err != nil:
		return nil, http.StatusBadRequest, "Request body cannot be read"
	}
	_ = rc.SetReadDeadline(time.Time{})
	return text, 0, ""
}
