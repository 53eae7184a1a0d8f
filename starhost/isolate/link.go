package isolate

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mcpstar/mcpstar/starhost/reload"
)

// errGone says that the other side of a link is no more. errUnsent says so of a request
// that the other side has surely not seen.
var (
	errGone   = errors.New("the other process is gone")
	errUnsent = fmt.Errorf("%w already", errGone)
)

// A link carries requests in both directions over a pair of streams.
type link struct {
	// handle answers a request of the other side's, each in a goroutine of its own.
	handle func(context.Context, *message) *message
	// heard is told news, one after the other: what comes later waits. May be nil.
	heard func(*message)
	// hasty requests are let go when their context ends. Others wait for the reply
	// even then, so that nothing of them goes on afterwards.
	hasty bool

	answering sync.WaitGroup

	writing sync.Mutex
	out     *bufio.Writer
	enc     *gob.Encoder

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]*exchange          // our requests
	serving map[uint64]context.CancelFunc // theirs
	gone    bool
	ended   chan struct{} // closed when gone
}

// A purpose is what belongs to a request on the side that has made it.
type purpose struct {
	call *call                       // if it is a call
	done func(*reload.Change, error) // if it is a watch
}

// An exchange is a request of ours that waits for its reply.
type exchange struct {
	reply   chan *message // of one
	purpose purpose
}

func newLink(out io.Writer, handle func(context.Context, *message) *message) *link {
	buffered := bufio.NewWriterSize(out, 64<<10)
	return &link{
		handle: handle, out: buffered, enc: gob.NewEncoder(buffered),
		waiting: map[uint64]*exchange{}, serving: map[uint64]context.CancelFunc{}, ended: make(chan struct{}),
	}
}

// run reads what the other side says until the stream ends. Then every request that
// waits ends with errGone, and those that are being answered are cancelled; calm waits
// for them.
func (l *link) run(in io.Reader) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	dec := gob.NewDecoder(bufio.NewReaderSize(in, 64<<10))
	for {
		m := new(message)
		if err := dec.Decode(m); err != nil {
			break
		}
		l.dispatch(ctx, m)
	}
	l.hangUp()
}

// calm waits until nothing is being answered any more, when run has returned.
func (l *link) calm() { l.answering.Wait() }

func (l *link) dispatch(ctx context.Context, m *message) {
	switch m.Kind {
	case news:
		if l.heard != nil {
			l.heard(m)
		}
	case reply:
		l.mu.Lock()
		e := l.waiting[m.ID]
		delete(l.waiting, m.ID)
		l.mu.Unlock()
		if e != nil {
			e.reply <- m
		}
	case cancel:
		l.mu.Lock()
		stop := l.serving[m.ID]
		l.mu.Unlock()
		if stop != nil {
			stop()
		}
	case request:
		inside, stop := context.WithCancel(ctx)
		l.mu.Lock()
		l.serving[m.ID] = stop
		l.mu.Unlock()
		l.answering.Go(func() {
			defer stop()
			out := l.answered(inside, m)
			l.mu.Lock()
			delete(l.serving, m.ID)
			l.mu.Unlock()
			out.Kind, out.ID = reply, m.ID
			_ = l.send(out) // whoever asked is gone
		})
	}
}

// answered is what a request is answered. A panic is none of the other side's business.
func (l *link) answered(ctx context.Context, m *message) (out *message) {
	defer func() {
		if p := recover(); p != nil {
			out = &message{Error: failed(fmt.Errorf("panic: %v", p))}
		}
	}()
	return l.handle(ctx, m)
}

// hangUp lets go of everybody who waits.
func (l *link) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		return
	}
	l.gone = true
	close(l.ended)
	for _, e := range l.waiting {
		e.reply <- &message{Error: nil, Kind: 0}
	}
	clear(l.waiting)
}

// hungUp reports whether the other side is gone.
func (l *link) hungUp() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// send writes one message. A link that can't send is over, whatever the reason: the
// other side would wait for what never comes.
func (l *link) send(m *message) error {
	err := l.write(m)
	if err != nil {
		l.hangUp()
	}
	return err
}

func (l *link) write(m *message) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.enc.Encode(m); err != nil {
		return err
	}
	return l.out.Flush()
}

// request sends a request and waits for its reply. When ctx ends it is taken back. The error
// is errGone or errUnsent, or what the reply says.
func (l *link) request(ctx context.Context, m *message, of purpose) (*message, error) {
	e := &exchange{reply: make(chan *message, 1), purpose: of}
	l.mu.Lock()
	if l.gone {
		l.mu.Unlock()
		return nil, errUnsent
	}
	l.last++
	m.Kind, m.ID = request, l.last
	l.waiting[m.ID] = e
	l.mu.Unlock()
	if err := l.send(m); err != nil {
		l.forget(m.ID)
		return nil, errGone
	}
	var answered *message
	select {
	case answered = <-e.reply:
	case <-ctx.Done():
		_ = l.send(&message{Kind: cancel, ID: m.ID}) // a link that is gone lets us go
		if l.hasty {
			l.forget(m.ID)
			return nil, context.Cause(ctx)
		}
		answered = <-e.reply
	}
	if answered.Kind != reply {
		return nil, errGone
	}
	return answered, answered.Error.err()
}

// forget lets go of a request of ours.
func (l *link) forget(id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, id)
}

// about is what belongs to a request of ours that waits; nothing for others.
func (l *link) about(id uint64) purpose {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.waiting[id]; e != nil {
		return e.purpose
	}
	return purpose{}
}
