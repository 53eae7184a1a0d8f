package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

const (
	defaultTimeout = 30 * time.Second
	defaultCalls   = 64
	// What looks whether it may go on does so within milliseconds.
	defaultOvertime = 10 * time.Second
	// defaultBytes is how long the JSON of a result may be; the arguments of a call
	// may be as long as a line of stdio.
	defaultResultBytes   = 8 << 20
	defaultArgumentBytes = 16 << 20
)

// limitsOrDefault fills in the limits of calls.
func (o *Options) limitsOrDefault() {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Calls == 0 {
		o.Calls = defaultCalls
	}
	if o.Overtime == 0 {
		o.Overtime = defaultOvertime
	}
	if o.OnStuck == nil {
		o.OnStuck = func(name string) {
			o.Logger.Error("a call does not stop", "name", name, "after", o.Overtime)
		}
	}
	if o.ResultLimits.Bytes == 0 {
		o.ResultLimits.Bytes = defaultResultBytes
	}
	if o.ArgumentLimits.Bytes == 0 {
		o.ArgumentLimits.Bytes = defaultArgumentBytes
	}
}

// An allowance is what a round may use: a place among the calls that run at once,
// and time. Neither is used while the call waits for an answer.
type allowance struct {
	places chan struct{}
	cancel context.CancelCauseFunc
	limit  time.Duration
	calm   func() bool // no stop is noticed any more

	mu      sync.Mutex
	timer   *time.Timer
	since   time.Time     // when the call went on; zero: it waits
	used    time.Duration // before that
	waiting int           // questions that are out
	stuck   *time.Timer   // runs since the call was stopped
	ended   bool
}

// allow waits for a place and begins to count time. On 2026-07-28 each round has
// all of it: the last one runs all that the one request of older revisions does.
// The context ends with an *[engine.Interrupt] as its cause when
// the time is up. Call end when the round is done. name is that of what is called.
func (r *Runner) allow(ctx context.Context, name string, limit time.Duration) (context.Context, *allowance, error) {
	if err := r.wait(ctx, limit); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	a := &allowance{places: r.places, cancel: cancel, limit: limit, since: time.Now()}
	a.timer = time.AfterFunc(limit, a.expire)
	a.calm = context.AfterFunc(ctx, func() { a.overdue(r.options.Overtime, func() { r.options.OnStuck(name) }) })
	return ctx, a, nil
}

// wait waits for a place, no longer than a call may last.
func (r *Runner) wait(ctx context.Context, longest time.Duration) error {
	select {
	case r.places <- struct{}{}:
		return nil
	default:
	}
	late := time.NewTimer(longest)
	defer late.Stop()
	select {
	case r.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-late.C:
		return &engine.Failure{Text: fmt.Sprintf("the server is busy: %d calls are running, and none of them ended within %v; try again later (more at once: --max-calls)", cap(r.places), longest)}
	}
}

func (a *allowance) expire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.since.IsZero() {
		a.cancel(&engine.Interrupt{Text: fmt.Sprintf("stopped after it had run for %v, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)", a.limit)})
	}
}

// overdue begins to wait for the end of a call that has been stopped.
func (a *allowance) overdue(after time.Duration, tell func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.stuck = time.AfterFunc(after, tell)
	}
}

// pause stops counting while a question waits for its answer, and gives the place
// to another call. Calls of pause nest.
func (a *allowance) pause() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting++; a.waiting > 1 {
		return
	}
	a.timer.Stop()
	a.used += time.Since(a.since)
	a.since = time.Time{}
	<-a.places
}

// resume undoes one pause. It waits for a place.
func (a *allowance) resume(ctx context.Context) {
	a.mu.Lock()
	last := a.waiting == 1
	if !last {
		a.waiting--
	}
	a.mu.Unlock()
	if !last {
		return
	}
	select {
	case a.places <- struct{}{}:
	case <-ctx.Done():
		return // the call has ended without a place
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting--
	a.since = time.Now()
	a.timer.Reset(max(a.limit-a.used, time.Millisecond))
}

// end gives back the place.
func (a *allowance) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer.Stop()
	a.ended = true
	a.calm()
	if a.stuck != nil {
		a.stuck.Stop()
	}
	a.cancel(nil)
	if a.waiting == 0 {
		<-a.places
	}
}

// limited runs a round within the limits of its call.
func (c *call) limited(ctx context.Context, round func(context.Context) (exactjson.Object, error)) (exactjson.Object, error) {
	limit := c.runner.options.Timeout
	if tool, ok := c.subject.(toolSubject); ok && tool.Timeout > 0 {
		limit = tool.Timeout
	}
	ctx, a, err := c.runner.allow(ctx, c.called(), limit)
	if err != nil {
		return nil, err
	}
	defer a.end()
	c.allowance = a
	return round(ctx)
}

// fitting refuses arguments that are too long to be read.
func (c *call) fitting(raw []byte) error {
	if most := c.runner.options.ArgumentLimits.Bytes; len(raw) > most {
		return &engine.Failure{Text: fmt.Sprintf("the arguments are %d bytes of JSON, more than %d; send less, or a part at a time (raise the limit with --max-arguments)", len(raw), most)}
	}
	return nil
}

// askable refuses questions that are longer together than a result may be.
func (c *call) askable(questions ...json.RawMessage) error {
	size := 0
	for _, q := range questions {
		size += len(q)
	}
	if most := c.runner.options.ResultLimits.Bytes; size > most {
		return &engine.Failure{Text: fmt.Sprintf("the questions are %d bytes of JSON, more than %d; ask with less text (raise the limit with --max-result)", size, most)}
	}
	return nil
}
