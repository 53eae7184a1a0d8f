package declare

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// timeout unpacks a number of seconds.
type timeout struct{ to *time.Duration }

// longest is more than anybody waits for a tool.
const longest = 24 * 60 * 60

// Unpack implements starlark.Unpacker. None leaves it to the host.
func (t *timeout) Unpack(v starlark.Value) error {
	if v == starlark.None {
		return nil
	}
	seconds, isNumber := starlark.AsFloat(v)
	if !isNumber || !(seconds > 0 && seconds <= longest) {
		return fmt.Errorf("got %s, want seconds, from 0.001 to %d", engine.Describe(v), longest)
	}
	*t.to = max(time.Duration(seconds*float64(time.Second)), time.Millisecond)
	return nil
}
