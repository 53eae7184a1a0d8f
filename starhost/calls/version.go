package calls

import (
	"context"
	"sync/atomic"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost/load"
)

// A version is what the server offers at a moment. It is immutable but for the
// count of the calls that run on it.
type version struct {
	snapshot *load.Snapshot
	state    starlark.Value // what the lifespan made, frozen
	offer    atomic.Pointer[Offer]
	stop     context.CancelFunc // ends its timers

	users atomic.Int64 // running calls, and one more while it is the current one
	ended chan struct{}
}

func newVersion(snapshot *load.Snapshot, state starlark.Value, switched switches) *version {
	v := &version{snapshot: snapshot, state: state, ended: make(chan struct{})}
	v.offer.Store(newOffer(snapshot, switched))
	v.users.Store(1)
	return v
}

// acquire keeps the version from ending; false when it has ended already.
func (v *version) acquire() bool {
	for {
		n := v.users.Load()
		if n == 0 {
			return false
		}
		if v.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release undoes one acquire.
func (v *version) release() {
	if v.users.Add(-1) == 0 {
		close(v.ended)
	}
}

// enter is the current version, acquired.
func (r *Runner) enter() *version {
	for {
		if v := r.current.Load(); v.acquire() {
			return v
		}
	}
}
