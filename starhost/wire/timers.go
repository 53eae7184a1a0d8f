package wire

import (
	"context"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// timers are the functions of every(seconds, fn) that run for a server.
type timers struct {
	running sync.WaitGroup
	life    context.Context // ends what runs; nil until the first start
	end     context.CancelFunc
}

// start runs the timers of a version, each in its own time, until the version stops or
// the server is closed. What runs then is finished: a timer holds on to its version as
// a call does.
func (t *timers) start(s *Server, v *version) {
	if t.life == nil {
		t.life, t.end = context.WithCancel(context.Background())
	}
	var stopped context.Context
	stopped, v.stop = context.WithCancel(t.life)
	for _, timer := range v.snapshot.Timers {
		v.acquire()
		t.running.Go(func() {
			defer v.release()
			s.tick(t.life, stopped, v, timer)
		})
	}
}

// tick runs one timer. A run that takes longer than the time between two makes the
// next one wait.
func (s *Server) tick(life, stopped context.Context, v *version, timer *load.Timer) {
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
			s.runTimer(life, v, timer)
		}
	}
}

// runTimer runs a timer once. Its errors are the operator's.
func (s *Server) runTimer(ctx context.Context, v *version, timer *load.Timer) {
	name := timer.Func.Name()
	defer func() {
		if r := recover(); r != nil {
			s.options.Logger.Error("panic", "timer", name, "panic", r)
		}
	}()
	thread, release := s.thread(ctx, name)
	defer release()
	var args starlark.Tuple
	if timer.Context {
		args = starlark.Tuple{callctx.New(s.timerInfo(v))}
	}
	_, err := starlark.Call(thread, timer.Func, args, nil)
	if err = engine.Interrupted(thread, err); err != nil && ctx.Err() == nil {
		s.options.Logger.Error("timer failed", "timer", name, "at", timer.Func.Position().String(), "error", engine.FailureText(err))
	}
}

// timerInfo is what ctx is where there is no call: there is no client, but a server.
func (s *Server) timerInfo(v *version) callctx.Info {
	return callctx.Info{State: v.state, ResourceUpdated: s.resourceUpdated}
}

// Close stops the timers. What runs is given until ctx ends, then it is cut short.
func (s *Server) Close(ctx context.Context) {
	s.publish.Lock()
	s.current.Load().stop()
	s.publish.Unlock() // a timer that runs may want it
	done := make(chan struct{})
	go func() {
		s.timers.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	s.timers.end()
	<-done
}
