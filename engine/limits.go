package engine

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"
)

// Limits bound what one thread may do. A zero field means the default.
type Limits struct {
	Steps uint64 // Starlark instructions; default 100 million
	Depth int    // calls inside calls; default 1,000
}

const (
	defaultSteps = 100_000_000
	defaultDepth = 1_000
	// The interpreter calls back only when steps run out, so depth is counted
	// where steps are: every so many of them.
	stepsBetweenLooks = 256
)

// Apply makes thread stop with an [Interrupt] when it exceeds l or when the
// context of its scope ends. Call release when the thread is done.
func (l Limits) Apply(thread *starlark.Thread) (release func()) {
	if l.Steps == 0 {
		l.Steps = defaultSteps
	}
	if l.Depth == 0 {
		l.Depth = defaultDepth
	}
	thread.OnMaxSteps = func(t *starlark.Thread) {
		switch {
		case t.Steps >= l.Steps:
			interrupt(t, fmt.Sprintf("stopped after %d steps: does a loop end? (raise the limit with --max-steps)", l.Steps))
		case t.CallStackDepth() > l.Depth:
			interrupt(t, fmt.Sprintf("stopped at %d calls inside calls: does the recursion end?", l.Depth))
		default:
			t.SetMaxExecutionSteps(min(t.Steps+stepsBetweenLooks, l.Steps))
		}
	}
	thread.SetMaxExecutionSteps(min(thread.Steps+stepsBetweenLooks, l.Steps))

	ctx := ScopeOf(thread).Context
	if ctx.Done() == nil {
		return func() {}
	}
	stop := context.AfterFunc(ctx, func() { thread.Cancel(context.Cause(ctx).Error()) })
	return func() { stop() }
}

const interruptKey = "mcpstar.interrupt"

// interrupt ends what runs on thread; [Interrupted] says why.
func interrupt(thread *starlark.Thread, text string) {
	thread.SetLocal(interruptKey, &Interrupt{Text: text})
	thread.Cancel(text)
}

// Interrupted turns the error that a function on thread ended with into the
// reason why the thread was stopped, if it was: a limit, or the context's cause.
// Other errors come back unchanged.
func Interrupted(thread *starlark.Thread, err error) error {
	if err == nil {
		return nil
	}
	if i, ok := thread.Local(interruptKey).(*Interrupt); ok {
		return i
	}
	if ctx := ScopeOf(thread).Context; ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
