package callctx

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// sleep is ctx.sleep(seconds). It ends with the call.
func (c *Context) sleep(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "seconds", &v); err != nil {
		return nil, err
	}
	d, err := engine.Seconds(v)
	if err != nil {
		return nil, fmt.Errorf("ctx.sleep: %w", err)
	}
	return starlark.None, engine.Sleep(engine.ScopeOf(thread).Context, d)
}

// closeSSE is ctx.close_sse(retry = 0): retry is in seconds.
func (c *Context) closeSSE(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v starlark.Value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "retry?", &v); err != nil {
		return nil, err
	}
	retry, err := engine.Seconds(v)
	if err != nil {
		return nil, fmt.Errorf("ctx.close_sse: %w", err)
	}
	if c.info.CloseSSE != nil {
		c.info.CloseSSE(retry)
	}
	return starlark.None, nil
}
