package engine

import (
	"context"
	"fmt"
	"math"
	"time"

	"go.starlark.net/starlark"
)

type waitingKey struct{}

// WithWaiting makes begin be told of everything that waits under the context, for
// a host that keeps clients patient meanwhile. What begin returns is called when
// the waiting is over.
func WithWaiting(ctx context.Context, begin func() (done func())) context.Context {
	return context.WithValue(ctx, waitingKey{}, begin)
}

// Waiting tells the host that a builtin begins to wait for something that may take
// long. Call done when it is over. It is cheap where nobody wants to know.
func Waiting(ctx context.Context) (done func()) {
	if begin, ok := ctx.Value(waitingKey{}).(func() func()); ok {
		return begin()
	}
	return func() {}
}

// Sleep waits for d, or until the context ends; then the error is its cause.
func Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	defer Waiting(ctx)()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Seconds is a duration as scripts write it: a number of seconds, up to ten years.
func Seconds(v starlark.Value) (time.Duration, error) {
	const most = 10 * 365 * 24 * 3600
	f, ok := starlark.AsFloat(v)
	if !ok || math.IsNaN(f) || f < 0 || f > most {
		return 0, fmt.Errorf("want a number of seconds, 0 or more, got %s", Describe(v))
	}
	return time.Duration(f * float64(time.Second)), nil
}
