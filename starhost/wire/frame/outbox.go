package frame

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

// outboxBytes is how much may wait for a client that doesn't read. More than that
// holds up who writes it.
const outboxBytes = 1 << 20

// errOutboxClosed wraps io.EOF, which the SDK takes for an ordinary end.
var errOutboxClosed = fmt.Errorf("the connection is closed: %w", io.EOF)

// An outbox writes whole messages in the order in which they were put in, from a
// goroutine of its own, so that nobody hangs for good in the write to a client that
// has stopped reading. Messages that wait go out together.
type outbox struct {
	w io.Writer

	mu      sync.Mutex
	changed sync.Cond
	waiting []byte
	busy    bool // a write is under way
	err     error
	closed  bool // no more is taken; what waits is still written
}

func newOutbox(w io.Writer) *outbox {
	o := &outbox{w: w}
	o.changed.L = &o.mu
	go o.run()
	return o
}

func (o *outbox) run() {
	var batch []byte
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.waiting) == 0 && !o.closed && o.err == nil {
			o.changed.Wait()
		}
		if len(o.waiting) == 0 || o.err != nil {
			return
		}
		batch, o.waiting = o.waiting, batch[:0]
		o.busy = true
		o.changed.Broadcast()
		o.mu.Unlock()
		_, err := o.w.Write(batch)
		if cap(batch) > 4*outboxBytes {
			batch = nil
		}
		o.mu.Lock()
		o.busy = false
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
			err = errOutboxClosed
		}
		if err != nil {
			o.fail(err)
		}
		o.changed.Broadcast()
	}
}

func (o *outbox) fail(err error) {
	if o.err == nil {
		o.err = err
	}
	o.waiting = nil
	o.changed.Broadcast()
}

// put takes one message, line break included. It waits while too much waits already;
// it does not wait until the message is written.
func (o *outbox) put(message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) > 0 && len(o.waiting)+len(message) > outboxBytes && o.err == nil && !o.closed {
		o.changed.Wait()
	}
	if o.err != nil {
		return o.err
	}
	if o.closed {
		return errOutboxClosed
	}
	o.waiting = append(o.waiting, message...)
	o.changed.Broadcast()
	return nil
}

// close takes no more messages and waits until those that wait are written, but no
// longer than grace. It may be called more than once.
func (o *outbox) close(grace time.Duration) error {
	timer := time.AfterFunc(grace, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.fail(errOutboxClosed)
	})
	defer timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Broadcast()
	for (len(o.waiting) > 0 || o.busy) && o.err == nil {
		o.changed.Wait()
	}
	if errors.Is(o.err, errOutboxClosed) {
		return nil
	}
	return o.err
}
