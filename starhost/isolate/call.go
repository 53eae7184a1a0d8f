package isolate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mcpstar/mcpstar/starhost/calls"
)

// A call is one that a worker runs, from the host's side.
type call struct {
	ctx    context.Context // ends with the call
	stop   context.CancelFunc
	client calls.Client

	mu    sync.Mutex
	after func(failed bool) // of the resolver that runs
	ended bool
}

// Call implements [Program]: it answers a request by a worker. A call whose worker
// ends in the middle of it gets an error, and so does one that finds none for as long
// as [Options.Wait].
func (w *Worker) Call(ctx context.Context, req *calls.Request, client calls.Client) (*calls.Answer, error) {
	p, err := w.running(ctx)
	if err != nil {
		return w.without(ctx, req, err)
	}
	c := &call{client: client}
	c.ctx, c.stop = context.WithCancel(ctx)
	m, err := p.link.request(ctx, &message{Call: req}, purpose{call: c})
	c.leave()
	if errors.Is(err, errUnsent) {
		return w.Call(ctx, req, client) // by the next one
	}
	if errors.Is(err, errGone) {
		<-p.ended
		if ctx.Err() != nil {
			return w.nothing(req), context.Cause(ctx)
		}
		return w.unable(req, calls.OutcomeCrashed, p.died())
	}
	if ctx.Err() != nil {
		// The worker may have heard that its question was withdrawn before it heard that
		// the call is: what it makes of that is for nobody.
		err = context.Cause(ctx)
	}
	if m.Answer == nil { // a worker always answers; never crash because it does not
		return w.nothing(req), errors.Join(err, errors.New("the worker gave no answer"))
	}
	return incoming(m.Answer), err
}

// without is the answer to a request that no worker is there for.
func (w *Worker) without(ctx context.Context, req *calls.Request, err error) (*calls.Answer, error) {
	if ctx.Err() != nil {
		return w.nothing(req), context.Cause(ctx)
	}
	return w.unable(req, calls.OutcomeError, err.Error())
}

// unable is the answer to a request whose call no worker has finished.
func (w *Worker) unable(req *calls.Request, outcome calls.Outcome, text string) (*calls.Answer, error) {
	members, err := calls.Unable(req, text)
	answer := w.nothing(req)
	answer.Members, answer.Report.Outcome = members, outcome
	return answer, err
}

// nothing is an answer without a result: what the host knows of the call.
func (w *Worker) nothing(req *calls.Request) *calls.Answer {
	name, known := w.Offer().Named(req.Method, req.Target)
	return &calls.Answer{Report: calls.Report{Name: name, Known: known}}
}

// leave says that the call has ended. A resolver that ran when it was cut off has ended
// with it.
func (c *call) leave() {
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.after != nil {
		c.after(true)
		c.after = nil
	}
}

// runs notes that a resolver runs, and what to call when it has run.
func (c *call) runs(after func(failed bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		after(true)
		return
	}
	c.after = after
}

func (c *call) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// errEnded is for a worker that says something for a call which has ended here.
var errEnded = errors.New("the call has ended")

// hear passes on what the call says to its client.
func (c *call) hear(ctx context.Context, s *said) *message {
	if c.over() {
		return &message{Error: failed(errEnded)}
	}
	ctx, stop := joined(c.ctx, ctx)
	defer stop()
	switch s.What {
	case asks:
		raw, err := c.client.Ask(ctx, s.Question)
		return &message{Raw: raw, Error: failed(err)}
	case logs:
		c.client.Log(ctx, s.Level, s.Logger, s.Data)
	case progresses:
		c.client.Progress(ctx, s.Done, s.Total, s.Text)
	case elicited:
		return &message{Error: failed(c.client.ElicitationComplete(ctx, s.Text))}
	case closesSSE:
		c.client.CloseSSE(s.Retry)
	case resolves:
		_, after := c.client.Resolver(c.ctx, s.Text)
		c.runs(after)
	case resolved:
		c.mu.Lock()
		after := c.after
		c.after = nil
		c.mu.Unlock()
		if after != nil {
			after(s.Failed)
		}
	default:
		return &message{Error: failed(fmt.Errorf("a word that is not known: %d", s.What))}
	}
	return &message{}
}

// joined is the context of a call that ends as well when the other one does.
func joined(ctx, other context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
