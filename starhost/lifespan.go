package starhost

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// A lifespan is what a script's lifespan(start, stop) made.
type lifespan struct {
	options *Options
	state   starlark.Value // frozen; None without a lifespan
	// snapshot is the version that made the state, and whose stop ends it.
	snapshot *load.Snapshot
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
	l := &lifespan{options: options, state: starlark.None, snapshot: s}
	if s.Start == nil {
		return l, nil
	}
	state, err := l.run(ctx, s.Start, nil)
	if err != nil {
		return nil, l.failed("the lifespan did not start: "+s.Start.Name()+"() failed: ", s.Start, err)
	}
	if _, asks := state.(engine.Question); asks {
		return nil, l.failed("the lifespan did not start: ", s.Start,
			fmt.Errorf("%s() returned a question, and there is nobody to ask yet", s.Start.Name()))
	}
	if err := engine.Freeze(state); err != nil {
		return nil, l.failed("the lifespan did not start: ", s.Start,
			fmt.Errorf("what %s() returned can't be shared: %w", s.Start.Name(), err))
	}
	l.state = state
	return l, nil
}

// end runs the script's stop function.
func (l *lifespan) end(ctx context.Context) error {
	stop := l.snapshot.Stop
	if stop == nil {
		return nil
	}
	if _, err := l.run(ctx, stop, starlark.Tuple{l.state}); err != nil {
		return l.failed("the lifespan did not stop cleanly: "+stop.Name()+"() failed: ", stop, err)
	}
	return nil
}

// failed is the report of what went wrong in fn: at the line that failed, or at
// fn itself when no line did.
func (l *lifespan) failed(what string, fn *starlark.Function, err error) error {
	r := l.snapshot.Failure(err)
	if r == nil {
		p := &engine.Problem{Message: engine.FailureText(err), At: engine.Label{Span: engine.At(fn.Position(), "def")}}
		r = &report.Error{Problems: []*engine.Problem{p}, Sources: l.snapshot.Sources}
	}
	p := r.Problems[0]
	p.Code, p.Message = "lifespan", what+p.Message
	return r
}

func (l *lifespan) run(ctx context.Context, fn *starlark.Function, args starlark.Tuple) (starlark.Value, error) {
	thread := &starlark.Thread{Name: "lifespan", Print: l.options.print}
	engine.NewScope(l.options.world(ctx)).Attach(thread)
	release := l.options.limits().Apply(thread)
	defer release()
	v, err := starlark.Call(thread, fn, args, nil)
	return v, engine.Interrupted(thread, err)
}
