package calls

import (
	"context"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// timers are the functions of every(seconds, fn) that run for a runner.
type timers struct {
	running sync.WaitGroup
	life    context.Context // ends what runs; nil until the first start
	end     context.CancelFunc
}

// start runs the timers of a version, each in its own time, until the version stops or
// the runner is closed. What runs then is finished: a timer holds on to its version as
// a call does.
func (t *timers) start(r *Runner, v *version) {
	if t.life == nil {
		t.life, t.end = context.WithCancel(context.Background())
	}
	var stopped context.Context
	stopped, v.stop = context.WithCancel(t.life)
	for _, timer := range v.snapshot.Timers {
		v.acquire()
		t.running.Go(func() {
			defer v.release()
			r.tick(t.life, stopped, v, timer)
		})
	}
}

// tick runs one timer. A run that takes longer than the time between two makes the
// next one wait.
func (r *Runner) tick(life, stopped context.Context, v *version, timer *load.Timer) {
	ticker := time.NewTicker(timer.Every)
	defer ticker.Stop()
	for {
		select {
		case <-stopped.Done():
			return
		case <-ticker.C:
			if stopped.Err() != nil {
				return
			}
			r.runTimer(life, v, timer)
		}
	}
}

// runTimer runs a timer once. Its errors are the operator's.
func (r *Runner) runTimer(ctx context.Context, v *version, timer *load.Timer) {
	name := timer.Func.Name()
	defer func() {
		if p := recover(); p != nil {
			r.options.Logger.Error("panic", "timer", name, "panic", p)
		}
	}()
	thread, release := r.thread(ctx, name)
	defer release()
	var args starlark.Tuple
	if timer.Context {
		args = starlark.Tuple{callctx.New(r.timerInfo(ctx, v))}
	}
	_, err := starlark.Call(thread, timer.Func, args, nil)
	if err = engine.Interrupted(thread, err); err != nil && ctx.Err() == nil {
		r.options.Logger.Error("timer failed", "timer", name, "at", timer.Func.Position().String(), "error", engine.FailureText(err))
	}
}

// timerInfo is what ctx is where there is no call: there is no client, but a server.
func (r *Runner) timerInfo(ctx context.Context, v *version) callctx.Info {
	return callctx.Info{State: v.state, ResourceUpdated: func(uri string) error { return r.resourceUpdated(ctx, uri) }}
}

// Close stops the timers. What runs is given until ctx ends, then it is cut short.
func (r *Runner) Close(ctx context.Context) {
	r.publish.Lock()
	r.current.Load().stop()
	r.publish.Unlock() // a timer that runs may want it
	done := make(chan struct{})
	go func() {
		r.timers.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	r.timers.end()
	<-done
}
