package calls

import (
	"context"
	"sync"
	"time"

	"github.com/mcpstar/mcpstar/engine"
)

// heartbeat is how long a client that wants progress is left without any while a
// builtin waits: clients give up on what is silent for long.
const heartbeat = 10 * time.Second

// A progress is what a client has been told of a call.
type progress struct {
	mu      sync.Mutex
	done    float64
	total   *float64
	message string
}

// progress tells how far the call is, if the request carried a progress token.
func (c *call) progress(ctx context.Context, done float64, total *float64, message string) {
	if !c.req.WantsProgress {
		return
	}
	c.told.mu.Lock()
	defer c.told.mu.Unlock()
	c.told.done, c.told.total, c.told.message = done, total, message
	c.tell(ctx)
}

// tell sends what was told last.
func (c *call) tell(ctx context.Context) {
	c.client.Progress(ctx, c.told.done, c.told.total, c.told.message)
}

// patient keeps a client that wants progress patient while builtins wait. Call quiet
// when the round is over: nothing may follow its result.
func (c *call) patient(ctx context.Context) (_ context.Context, quiet func()) {
	if !c.req.WantsProgress {
		return ctx, func() {}
	}
	ended := make(chan struct{})
	var beats sync.WaitGroup
	waiting := engine.WithWaiting(ctx, func() func() {
		over := make(chan struct{})
		beats.Go(func() { c.beat(ctx, over, ended) })
		return func() { close(over) }
	})
	return waiting, func() {
		close(ended)
		beats.Wait()
	}
}

// beat repeats what was told last, a little further each time: progress must grow.
func (c *call) beat(ctx context.Context, over, ended <-chan struct{}) {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-over:
			return
		case <-ended:
			return
		case <-ctx.Done():
			return
		case <-ticker.C:
			c.told.mu.Lock()
			c.told.done += step(c.told.done, c.told.total)
			c.tell(ctx)
			c.told.mu.Unlock()
		}
	}
}

// step is little enough to stay below the total.
func step(done float64, total *float64) float64 {
	const least = 1e-6
	if total != nil && *total > done {
		return (*total - done) / 1000
	}
	return max(least, done*least)
}
