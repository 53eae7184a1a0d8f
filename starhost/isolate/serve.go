package isolate

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// Serve is the worker's side: it serves a program to the host that has started this
// process, over the process's standard streams, and returns when the host hangs up or
// has told it to end. open makes the program, and is called when the host says how
// much memory it may have; what that ends with is the host's to tell. stuck is for the
// program to say that a call does not stop: the worker ends then, with all its calls.
//
// Nothing else may be written to out.
func Serve(in io.Reader, out io.Writer, open func(ctx context.Context, stuck func(name string)) (Program, error)) error {
	s := &server{open: open, stuck: make(chan string, 1)}
	s.link = newLink(out, s.handle)
	s.link.hasty = true // a call ends in its time, even when its client does not listen
	calmed := make(chan struct{})
	go func() {
		defer close(calmed)
		s.link.run(in)
		s.link.calm()
	}()
	select {
	case <-s.link.ended:
	case name := <-s.stuck:
		why := "a call of " + name + " did not stop when it was told to"
		_ = s.link.send(&message{Kind: news, Leaving: why}) // a host that is gone needs no reason
		return errors.New(why)
	}
	// The host is gone. What can't be stopped is left behind with the process.
	const patience = time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case <-calmed:
	case <-ctx.Done():
		return errors.New("the host is gone, and a call did not stop")
	}
	if s.program == nil || s.closed {
		return nil
	}
	return s.program.Close(ctx)
}

// A server is a worker at work.
type server struct {
	link  *link
	open  func(context.Context, func(string)) (Program, error)
	stuck chan string // of one: the name of what does not stop

	// program is set by the first request, which all others follow, and closed by the
	// last.
	program Program
	closed  bool

	announcing sync.Mutex
	announced  *calls.Offer
}

var _ calls.Audience = (*server)(nil)

func (s *server) handle(ctx context.Context, m *message) *message {
	switch {
	case m.Begin != nil:
		return s.begin(ctx, m.Begin)
	case m.Call != nil:
		return s.call(ctx, m)
	case m.Reload != nil:
		return s.reload(ctx, m)
	case m.Close:
		return s.close(ctx)
	case m.Ping:
		return &message{}
	}
	return &message{Error: failed(errors.New("a request that is not known"))}
}

// begin loads the scripts, under the limit already.
func (s *server) begin(ctx context.Context, b *begin) *message {
	bounded := bound(b.Memory) == nil
	program, err := s.open(ctx, func(name string) {
		select {
		case s.stuck <- name:
		default: // one is enough
		}
	})
	if err != nil {
		return &message{Error: failed(err)}
	}
	s.program = program
	program.Attach(s) // what is offered is told before the reply
	return &message{Ready: &ready{Bounded: bounded}}
}

func (s *server) call(ctx context.Context, m *message) *message {
	from := &client{link: s.link, of: m.ID, traced: m.Call.Trace != ""}
	result, err := s.program.Call(ctx, m.Call, from)
	s.announce()
	out, wrong := outgoing(result)
	if wrong != nil {
		return &message{Answer: &answer{Report: result.Report}, Error: failed(wrong)}
	}
	return &message{Answer: out, Error: failed(err)}
}

// announce tells the host what is offered now, unless it knows. It comes before the
// answer of any call that has seen it, so that no client knows more than its lists.
func (s *server) announce() {
	s.announcing.Lock()
	defer s.announcing.Unlock()
	if offer := s.program.Offer(); offer != s.announced {
		s.announced = offer
		_ = s.link.send(&message{Kind: news, Offer: offer}) // a host that is gone needs none
	}
}

// Offered implements [calls.Audience].
func (s *server) Offered(_, _ *calls.Offer) { s.announce() }

// ResourceUpdated implements [calls.Audience].
func (s *server) ResourceUpdated(ctx context.Context, uri string) {
	_, _ = s.link.request(ctx, &message{Updated: &updated{uri}}, purpose{})
}

// Tell implements [calls.Audience].
func (s *server) Tell(ctx context.Context, level, text string) {
	_, _ = s.link.request(ctx, &message{Tell: &telling{level, text}}, purpose{})
}

func (s *server) reload(ctx context.Context, m *message) *message {
	if !m.Reload.Watch {
		change, err := s.program.Reload(ctx)
		return &message{Changed: &changed{Change: change}, Error: failed(err)}
	}
	var done func(*reload.Change, error)
	if m.Reload.Tell {
		done = func(change *reload.Change, err error) {
			_, _ = s.link.request(ctx, &message{Of: m.ID, Changed: &changed{change, failed(err)}}, purpose{})
		}
	}
	return &message{Error: failed(s.program.Watch(ctx, done))}
}

// close ends the program. The host hangs up when it has the reply.
func (s *server) close(ctx context.Context) *message {
	s.closed = true
	return &message{Error: failed(s.program.Close(ctx))}
}
