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
	ctx    context.Context
	client calls.Client

	mu    sync.Mutex
	after func(failed bool) // of the resolver that runs
}

// Call implements [Program]: it answers a request by a worker. A call whose worker
// ends in the middle of it gets an error, and so does one that finds none for as long
// as [Options.Wait].
func (w *Worker) Call(ctx context.Context, req *calls.Request, client calls.Client) (*calls.Answer, error) {
	p, err := w.running(ctx)
	if err != nil {
		return w.without(ctx, req, err)
	}
	c := &call{ctx: ctx, client: client}
	m, err := p.link.request(ctx, &message{Call: req}, c)
	c.leave()
	if errors.Is(err, errUnsent) {
		return w.Call(ctx, req, client) // by the next one
	}
	if errors.Is(err, errGone) {
		<-p.ended
		if ctx.Err() != nil {
			return &calls.Answer{}, context.Cause(ctx)
		}
		return w.unable(req, calls.OutcomeCrashed, p.died())
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if m.Answer == nil { // a worker always answers; never crash because it does not
		return &calls.Answer{}, errors.Join(err, errors.New("the worker gave no answer"))
	}
	return incoming(m.Answer), err
}

// without is the answer to a request that no worker is there for.
func (w *Worker) without(ctx context.Context, req *calls.Request, err error) (*calls.Answer, error) {
	if ctx.Err() != nil {
		return &calls.Answer{}, context.Cause(ctx)
	}
	return w.unable(req, calls.OutcomeError, err.Error())
}

// unable is the answer to a request whose call no worker has finished.
func (w *Worker) unable(req *calls.Request, outcome calls.Outcome, text string) (*calls.Answer, error) {
	members, err := calls.Unable(req, text)
	name, known := w.Offer().Named(req.Method, req.Target)
	return &calls.Answer{Members: members, Report: calls.Report{Name: name, Known: known, Outcome: outcome}}, err
}

// leave ends the resolver that ran when the call was cut off.
func (c *call) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.after != nil {
		c.after(true)
		c.after = nil
	}
}

// hear passes on what the call says to its client.
func (c *call) hear(ctx context.Context, s *said) *message {
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
		c.mu.Lock()
		c.after = after
		c.mu.Unlock()
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
