package dialect

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// attempt(fn, *args, **kwargs) calls fn and gives a value with .ok, .value and
// .error: what Python does with try. .error is the bare text given to fail(), or
// the interpreter's words, and None when fn succeeded; .value is None when it
// did not. The value is true when fn succeeded.
//
// It never catches what must end the call: a limit, a cancellation, a
// protocol_error.
func attempt(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("%s: missing argument for fn: attempt(fn, *args)", b.Name())
	}
	fn, ok := args[0].(starlark.Callable)
	if !ok {
		return nil, fmt.Errorf("%s: fn is %s; want a function, not called: attempt(fn, *args)",
			b.Name(), engine.Describe(args[0]))
	}
	v, err := starlark.Call(thread, fn, args[1:], kwargs)
	if err == nil {
		return &attempted{ok: true, value: v, err: starlark.None}, nil
	}
	if !engine.Catchable(err) || stopped(thread, err) {
		return nil, err
	}
	return &attempted{value: starlark.None, err: starlark.String(engine.FailureText(err))}, nil
}

// stopped reports whether err only says that the thread has been stopped.
func stopped(thread *starlark.Thread, err error) bool {
	if engine.Interrupted(thread, err) != err {
		return true
	}
	// Whoever stops a thread with no more than its Cancel is obeyed too.
	var failure *engine.Failure
	return !errors.As(err, &failure) && strings.HasPrefix(err.Error(), "Starlark computation cancelled")
}

// An attempted is what came of an attempt.
type attempted struct {
	ok    bool
	value starlark.Value
	err   starlark.Value // a str, or None
}

var (
	_ starlark.HasAttrs   = (*attempted)(nil)
	_ exactjson.Encodable = (*attempted)(nil)
)

// JSON is an object with the three fields.
func (a *attempted) JSON() any {
	return exactjson.Object{{Name: "ok", Value: a.ok}, {Name: "value", Value: a.value}, {Name: "error", Value: a.err}}
}

func (a *attempted) String() string {
	if a.ok {
		return fmt.Sprintf("attempt(ok = True, value = %s)", a.value)
	}
	return fmt.Sprintf("attempt(ok = False, error = %s)", a.err)
}

func (a *attempted) Type() string          { return "attempt" }
func (a *attempted) Freeze()               { a.value.Freeze() }
func (a *attempted) Truth() starlark.Bool  { return starlark.Bool(a.ok) }
func (a *attempted) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: %s", a.Type()) }
func (a *attempted) AttrNames() []string   { return []string{"error", "ok", "value"} }

func (a *attempted) Attr(name string) (starlark.Value, error) {
	switch name {
	case "ok":
		return starlark.Bool(a.ok), nil
	case "value":
		return a.value, nil
	case "error":
		return a.err, nil
	}
	return nil, nil
}
