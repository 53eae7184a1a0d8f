package callctx

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

// A Host is the server that a function runs in.
type Host interface {
	// SetEnabled puts a tool, prompt, resource or template on the lists, or takes it
	// off. kind is one of these words, or "" where the name says enough.
	SetEnabled(kind, name string, on bool) error
}

const hostKey = "mcpstar.host"

// AttachHost makes h the server of everything that runs on thread from now on.
func AttachHost(thread *starlark.Thread, h Host) { thread.SetLocal(hostKey, h) }

// Words are the names of this package that a script may use.
func Words() starlark.StringDict {
	return starlark.StringDict{"set_enabled": starlark.NewBuiltin("set_enabled", setEnabled)}
}

// setEnabled is set_enabled(name, on, kind = ""). name is that of a tool or prompt, or
// the URI of a resource or template.
func setEnabled(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name, kind string
	var on bool
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name, "on", &on, "kind?", &kind); err != nil {
		return nil, err
	}
	switch kind {
	case "", "tool", "prompt", "resource":
	default:
		return nil, fmt.Errorf(`set_enabled: there is no kind %q; write "tool", "prompt" or "resource"`, kind)
	}
	host, ok := thread.Local(hostKey).(Host)
	if !ok {
		return nil, errors.New("set_enabled() works while the server runs; at the top of a file write tool(fn, enabled = False)")
	}
	return starlark.None, host.SetEnabled(kind, name, on)
}
