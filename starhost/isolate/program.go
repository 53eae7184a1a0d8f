package isolate

import (
	"context"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// A Program is the scripts of a server: what a [Worker] stands for in the host's
// process, and what [Serve] serves in the other.
type Program interface {
	// Offer is what the scripts offer now.
	Offer() *calls.Offer
	// Call answers a request: see [calls.Runner.Call].
	Call(context.Context, *calls.Request, calls.Client) (*calls.Answer, error)
	// Attach tells an audience from now on what changes, and returns what is offered
	// now.
	Attach(calls.Audience) *calls.Offer
	// Reload loads the scripts anew. With an error the version before goes on.
	Reload(context.Context) (*reload.Change, error)
	// Watch reloads whenever a file has changed, until ctx ends, and tells done of
	// each reload; nil tells the program's log of those that fail.
	Watch(ctx context.Context, done func(*reload.Change, error)) error
	// Close waits for the calls that run, but no longer than ctx, and ends the
	// scripts.
	Close(context.Context) error
}
