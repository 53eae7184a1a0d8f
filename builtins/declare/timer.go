package declare

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A Timer is every(seconds, fn) as it was written.
type Timer struct {
	Span  engine.Span
	Every time.Duration
	Func  *starlark.Function
}

// shortestTimer is how often a timer may run.
const shortestTimer = 10 * time.Millisecond

// declareTimer is every(seconds, fn).
func declareTimer(r *Registry, thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (err error) {
	var seconds, fn starlark.Value
	if err := unpack(b, args, kwargs, "seconds", &seconds, "fn", &fn); err != nil {
		return err
	}
	t := &Timer{Span: callSpan(thread)}
	if t.Every, err = engine.Seconds(seconds); err != nil {
		return fmt.Errorf("every(): %w", err)
	}
	if t.Every < shortestTimer {
		return fmt.Errorf("every(): want at least %s seconds, got %s", "0.01", seconds)
	}
	if t.Func, err = ownFunction(b.Name(), fn); err != nil {
		return err
	}
	r.Timers = append(r.Timers, t)
	return nil
}
