package engine

import (
	"context"
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

// Limits bound what one thread may do. A zero field means the default.
type Limits struct {
	Steps uint64 // Starlark instructions; default 100 million
	Depth int    // calls inside calls; default 1,000
	// Memory is how many bytes the thread may hold; default [DefaultMemory].
	Memory int64
	// Ledger counts what all threads hold together. Nil: the thread is alone.
	Ledger *Ledger
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
	if l.Memory == 0 {
		l.Memory = DefaultMemory
	}
	if l.Ledger == nil {
		l.Ledger = NewLedger(0)
	}
	budget := l.Ledger.enter(thread, l.Memory, l.Steps)
	thread.OnMaxSteps = func(t *starlark.Thread) {
		budget.tick(t.Steps)
		switch {
		case t.Steps >= l.Steps:
			_ = budget.tired()
		case t.CallStackDepth() > l.Depth:
			_ = budget.Stop(fmt.Sprintf("stopped at %d calls inside calls: does the recursion end?", l.Depth))
		default:
			t.SetMaxExecutionSteps(min(t.Steps+stepsBetweenLooks, l.Steps))
		}
	}
	thread.SetMaxExecutionSteps(min(thread.Steps+stepsBetweenLooks, l.Steps))

	ctx := ScopeOf(thread).Context
	if ctx.Done() == nil {
		return func() { l.Ledger.leave(budget) }
	}
	stop := context.AfterFunc(ctx, func() { thread.Cancel(context.Cause(ctx).Error()) })
	return func() {
		stop()
		l.Ledger.leave(budget)
	}
}

// Interrupted turns the error that a function on thread ended with into the
// reason why the thread was stopped, if it was: a limit, with the place where the
// thread was, or the context's cause. Other errors come back unchanged.
func Interrupted(thread *starlark.Thread, err error) error {
	if err == nil {
		return nil
	}
	if i := BudgetOf(thread).stop.Load(); i != nil {
		return i.at(err)
	}
	if ctx := ScopeOf(thread).Context; ctx.Err() != nil {
		cause := context.Cause(ctx)
		if i, ok := cause.(*Interrupt); ok {
			return i.at(err)
		}
		return cause
	}
	return err
}

// at is the interrupt with the place that err tells. Others may hold on to i, such as
// the context of a whole call, so it stays as it is.
func (i *Interrupt) at(err error) *Interrupt {
	var inner *Interrupt
	if errors.As(err, &inner) && inner.Stack != nil { // of a thread that this one waited for
		return &Interrupt{Text: i.Text, Stack: inner.Stack}
	}
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return i
	}
	return &Interrupt{Text: i.Text, Stack: eval.CallStack}
}
