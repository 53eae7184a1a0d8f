package starhost

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// A lifespan is what a script's lifespan(start, stop) made.
type lifespan struct {
	options *Options
	state   starlark.Value // frozen; None without a lifespan
	stop    *starlark.Function
	// users are closed when the calls on a version that used the state have
	// ended; one for each version but the current one.
	users []<-chan struct{}
}

// next is the lifespan of the snapshot after now: the same one, unless the code
// that makes the state is written differently.
func (l *lifespan) next(ctx context.Context, now, after *load.Snapshot) (span *lifespan, kept bool, err error) {
	if now.LifespanCode() == after.LifespanCode() {
		return l, true, nil
	}
	span, err = start(ctx, after, l.options)
	return span, false, err
}

// start runs the script's start function.
func start(ctx context.Context, s *load.Snapshot, options *Options) (*lifespan, error) {
	l := &lifespan{options: options, state: starlark.None, stop: s.Stop}
	if s.Start == nil {
		return l, nil
	}
	state, err := l.run(ctx, s.Start, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: the lifespan did not start: %s() failed: %s", s.Start.Position(), s.Start.Name(), engine.FailureText(err))
	}
	if _, asks := state.(engine.Question); asks {
		return nil, fmt.Errorf("%s: the lifespan did not start: %s() returned a question, and there is nobody to ask yet", s.Start.Position(), s.Start.Name())
	}
	if err := engine.Freeze(state); err != nil {
		return nil, fmt.Errorf("%s: the lifespan did not start: what %s() returned can't be shared: %w", s.Start.Position(), s.Start.Name(), err)
	}
	l.state = state
	return l, nil
}

// end runs the script's stop function.
func (l *lifespan) end(ctx context.Context) error {
	if l.stop == nil {
		return nil
	}
	if _, err := l.run(ctx, l.stop, starlark.Tuple{l.state}); err != nil {
		return fmt.Errorf("%s: the lifespan did not stop cleanly: %s() failed: %s", l.stop.Position(), l.stop.Name(), engine.FailureText(err))
	}
	return nil
}

func (l *lifespan) run(ctx context.Context, fn *starlark.Function, args starlark.Tuple) (starlark.Value, error) {
	thread := &starlark.Thread{Name: "lifespan", Print: l.options.print}
	engine.NewScope(l.options.world(ctx)).Attach(thread)
	release := l.options.limits().Apply(thread)
	defer release()
	v, err := starlark.Call(thread, fn, args, nil)
	return v, engine.Interrupted(thread, err)
}
