package isolate

import (
	"context"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// A Program is the scripts of a server: what a [Worker] stands for in the host's
// process, and what [Serve] serves in the other.
type Program interface {
	calls.Scripts
	// Reload loads the scripts anew. With an error the version before goes on.
	Reload(context.Context) (*reload.Change, error)
	// Watch reloads whenever a file has changed, until ctx ends, and tells done of
	// each reload; nil tells the program's log of those that fail.
	Watch(ctx context.Context, done func(*reload.Change, error)) error
	// Close waits for the calls that run, but no longer than ctx, and ends the
	// scripts.
	Close(context.Context) error
}
