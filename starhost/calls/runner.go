package calls

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// Options say how calls run. Zero fields mean the default.
type Options struct {
	// Logger gets the operator's log. Default: none.
	Logger *slog.Logger
	// Print gets what scripts print. Default: it is dropped.
	Print func(thread *starlark.Thread, msg string)
	// MaxCallAge is how long a call may last over all of its rounds. Default 1 h.
	MaxCallAge time.Duration
	// Limits bound what one call may do.
	Limits engine.Limits
	// Timeout is how long a call may run, not counting the time in which it waits
	// for answers. Default 30 s; a tool may have its own.
	Timeout time.Duration
	// Calls is how many calls run at once; others wait. Default 64.
	Calls int
	// Overtime is how long a call may go on when it has been stopped, because its time
	// is up or nobody waits for it any more, before it counts as stuck. Default 10 s.
	Overtime time.Duration
	// OnStuck is told the name of what is called that does not stop. Default: the
	// Logger is told.
	OnStuck func(name string)
	// ArgumentLimits and ResultLimits bound what comes in and goes out. Their Bytes
	// are by default 16 MiB and 8 MiB.
	ArgumentLimits, ResultLimits exactjson.Limits
	// World is what scripts reach beyond their values. Default: the machine's.
	World *engine.World
	// Observe is told what the resolvers of a tool's calls do. It must be safe for
	// concurrent use. Default: nobody is told.
	Observe func(tool string, event round.Event)
	// Replace gives the function to run in the place of the resolver of that wire
	// key, or nil. It is for tests. Default: none is replaced.
	Replace func(key string) starlark.Callable
	// OnFailed is told of scripts that fail while they serve. It must be safe for
	// concurrent use. Default: the Logger is told.
	OnFailed func(Failed)
}

func (o Options) orDefault() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if o.Print == nil {
		o.Print = func(*starlark.Thread, string) {}
	}
	if o.MaxCallAge == 0 {
		o.MaxCallAge = time.Hour
	}
	o.limitsOrDefault()
	return o
}

// An Audience is told what changes about a server. Its methods must be safe for
// concurrent use.
type Audience interface {
	// Offered is told that something else is offered now than before. Changes come
	// one at a time and in order.
	Offered(before, now *Offer)
	// ResourceUpdated is told that a resource has changed. It returns when those who
	// have subscribed to it know, or ctx ends.
	ResourceUpdated(ctx context.Context, uri string)
	// Tell is told something that whoever has asked for messages of that level wants
	// to know.
	Tell(ctx context.Context, level, text string)
}

// Scripts are what a server does: a [Runner] in this process, or what stands for one in
// another. They must be safe for concurrent use.
type Scripts interface {
	// Offer is what they offer now.
	Offer() *Offer
	// Call answers a request: see [Runner.Call].
	Call(context.Context, *Request, Client) (*Answer, error)
	// Attach tells an audience what is offered now, as if there had been nothing
	// before, and from then on what changes. Scripts have one audience.
	Attach(Audience)
}

var _ Scripts = (*Runner)(nil)

// A Runner runs the calls of a server on its snapshot of the moment: a call keeps the
// one that it began with. It is safe for concurrent use.
type Runner struct {
	options Options
	current atomic.Pointer[version]
	places  chan struct{} // one for each call that runs

	publish  sync.Mutex // one change of what is offered at a time; guards what follows
	audience Audience
	switched switches
	timers   timers
}

// New makes a runner that offers a snapshot. state is what its lifespan made, or
// None.
func New(snapshot *load.Snapshot, state starlark.Value, options Options) *Runner {
	r := &Runner{options: options.orDefault(), audience: Nobody{}, switched: switches{}}
	r.places = make(chan struct{}, r.options.Calls)
	r.Publish(snapshot, state)
	return r
}

// Nobody is the audience of scripts that have none yet.
type Nobody struct{}

// Offered implements [Audience].
func (Nobody) Offered(_, _ *Offer) {}

// ResourceUpdated implements [Audience].
func (Nobody) ResourceUpdated(context.Context, string) {}

// Tell implements [Audience].
func (Nobody) Tell(context.Context, string, string) {}

// Attach implements [Scripts].
func (r *Runner) Attach(audience Audience) {
	r.publish.Lock()
	defer r.publish.Unlock()
	r.audience = audience
	audience.Offered(&Offer{}, r.Offer())
}

// Offer is what the scripts offer now.
func (r *Runner) Offer() *Offer { return r.current.Load().offer.Load() }

// Snapshot is what calls run on now.
func (r *Runner) Snapshot() *load.Snapshot { return r.current.Load().snapshot }

// Publish makes calls run on another snapshot. Calls that run go on with the one they
// began with; no moment shows a mix of two. The channel is closed when the last
// call on the snapshot before has ended.
func (r *Runner) Publish(snapshot *load.Snapshot, state starlark.Value) (retired <-chan struct{}) {
	r.publish.Lock()
	defer r.publish.Unlock()
	previous := r.current.Load()
	if previous != nil {
		r.switched.keep(previous.snapshot, snapshot)
	}
	next := newVersion(snapshot, state, r.switched)
	r.current.Store(next)
	r.timers.start(r, next)
	if previous == nil {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	r.audience.Offered(previous.offer.Load(), next.offer.Load())
	previous.stop()
	previous.release()
	return previous.ended
}

// Tell tells clients that have asked for messages of that level.
func (r *Runner) Tell(ctx context.Context, level, text string) { r.listening().Tell(ctx, level, text) }

// listening is the audience of the moment. It is told while nothing is locked: it may
// take its time.
func (r *Runner) listening() Audience {
	r.publish.Lock()
	defer r.publish.Unlock()
	return r.audience
}

// resourceUpdated is ctx.notify_resource_updated(uri).
func (r *Runner) resourceUpdated(ctx context.Context, uri string) error {
	o := r.Offer()
	if found, _ := o.resource(uri); found == nil {
		return o.noResource(uri)
	}
	r.listening().ResourceUpdated(ctx, uri)
	return nil
}
