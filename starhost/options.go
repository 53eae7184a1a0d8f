package starhost

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

// Options say what a host offers to its scripts and how it serves them. The zero
// value is a good start.
type Options struct {
	// Entry is the .star file, or the folder, that is the server, as a path in
	// the file system given to [Load]; "" is the top folder. [LoadDir] sets it.
	Entry string

	// Words are further names for the scripts: Go functions
	// (starlark.NewBuiltin), modules (starlarkstruct.Module), constants. They
	// are frozen. A word of mcpstar's own can't be replaced.
	Words starlark.StringDict

	// Resolvers are resolvers written in Go. Each becomes a word too.
	Resolvers []Resolver

	// Output gets what scripts print. Nil drops it: a program's standard output
	// may be the protocol's, so nothing is printed there by itself.
	Output io.Writer

	// Logger gets the operator's log. Nil logs nothing.
	Logger *slog.Logger

	// StateKeys are the secrets that seal the state of a call between its
	// rounds, at least 32 bytes each. The first seals, all of them open; several
	// instances of a server share them. Nil makes a key of this process, and a
	// restart then ends the calls that wait for an answer.
	StateKeys [][]byte

	// StateTTL is how long a client may take over one round, and before 2026-07-28 over
	// one question. 0 is 10 minutes.
	StateTTL time.Duration

	// MaxCallAge is how long a call may last over all of its rounds. 0 is 1 hour.
	MaxCallAge time.Duration

	// Grace is how long calls may take to finish once [Host.ServeStdio] is told to
	// stop. 0 cancels them at once.
	Grace time.Duration

	// MaxSteps bounds the Starlark instructions of one round, and of loading one
	// file. 0 is 100 million.
	MaxSteps uint64

	// PageSize is how many things a client is shown at once of a list. 0 is 1000.
	PageSize int

	// Limits bound the time, the memory and the rest of what a call may use.
	Limits CallLimits
	ledger *engine.Ledger    // of all its calls
	stuck  func(name string) // told of calls that don't stop; nil: the Logger is

	// Isolate has the scripts loaded and run by another process, under a limit on its
	// memory: see [Isolation]. It is for [LoadDir]. What concerns the scripts is the
	// other process's then: Words, Resolvers, OnFailed and Test count there, and Output
	// gets all that it writes to its standard error. Nil runs them in this one.
	Isolate *Isolation

	// OnCall is told when a round of a call begins; what it returns is told how the
	// round ended. Both must be safe for concurrent use. Nil tells nobody.
	OnCall func() (ended func(wire.Record))

	// OnFailed is told of scripts that fail while they serve: the place, and what
	// to write instead. fail("...") is none. It must be safe for concurrent use.
	// Nil tells the Logger, as a warning.
	OnFailed func(calls.Failed)

	// Tracer makes OpenTelemetry spans: one for each round of a call, under the
	// traceparent of the request's _meta or else under the first round, and a child
	// for each resolver that runs. Nil makes none.
	Tracer trace.TracerProvider

	// HTTP says whom [Host.Handler] serves.
	HTTP HTTPOptions

	// Version is the host program's, for servers that say none of their own.
	Version string

	// Test is what a test puts in the place of the real thing. Nil is nothing.
	Test *Test
}

// Test is what tests of scripts put in the place of the real thing, and what they
// look at. A zero field changes nothing.
type Test struct {
	// World is what scripts reach beyond their own values.
	World *engine.World
	// Observe is told what the resolvers of a tool's calls do. It must be safe for
	// concurrent use.
	Observe func(tool string, event round.Event)
	// Replace gives the function to run in the place of the resolver of that wire
	// key, or nil to leave it be.
	Replace func(key string) starlark.Callable
	// Words are further names for test files, *_test.star, only.
	Words starlark.StringDict
	// Instrument may add to the tree of each file, before it is compiled. Names
	// that it uses must be among [Options.Words].
	Instrument func(path string, file *syntax.File)
}

// HTTPOptions are the guards of [Host.Handler]. The zero value serves programs on
// the same machine and refuses pages in a browser.
type HTTPOptions struct {
	// AllowedHosts are the Host headers that are served, beside loopback
	// addresses: "tools.example.com", "tools.example.com:8443".
	AllowedHosts []string
	// AllowedOrigins are the Origin headers that are served, beside loopback
	// ones: "https://app.example.com".
	AllowedOrigins []string
	// MaxBody is the longest request body in bytes. 0 is 4 MiB.
	MaxBody int64
	// Auth says who may call. Nil serves whoever reaches the address; tools that
	// want scopes can't be called then.
	Auth *Auth
}

// world is a context in which scripts live in the world of a test, if there is one.
func (o *Options) world(ctx context.Context) context.Context {
	if o.Test == nil {
		return ctx
	}
	return engine.WithWorld(ctx, o.Test.World)
}

// print hands what a script prints to Output, one line each.
func (o *Options) print(_ *starlark.Thread, msg string) {
	if o.Output != nil {
		_, _ = io.WriteString(o.Output, msg+"\n") // nobody to tell
	}
}

func (o *Options) load() (load.Options, error) {
	words := starlark.StringDict{}
	for name, v := range o.Words {
		words[name] = v
	}
	l := load.Options{
		Entry:   o.Entry,
		Words:   words,
		Print:   o.print,
		Limits:  o.limits(),
		Version: o.Version,
	}
	o.Limits.load(&l)
	if o.Test != nil {
		l.TestWords, l.Instrument = o.Test.Words, o.Test.Instrument
	}
	for _, r := range o.Resolvers {
		if err := r.add(&l); err != nil {
			return load.Options{}, err
		}
	}
	return l, nil
}

// calls are the options of what runs the calls.
func (o *Options) calls() calls.Options {
	c := calls.Options{
		Logger:     o.Logger,
		Print:      o.print,
		MaxCallAge: o.MaxCallAge,
		Limits:     o.limits(),
		OnFailed:   o.OnFailed,
		OnStuck:    o.stuck,
	}
	o.Limits.calls(&c)
	if o.Test != nil {
		c.World, c.Observe, c.Replace = o.Test.World, o.Test.Observe, o.Test.Replace
	}
	return c
}

// wire are the options of the protocol's side.
func (o *Options) wire() (wire.Options, error) {
	w := wire.Options{
		Logger:   o.Logger,
		StateTTL: o.StateTTL,
		PageSize: o.PageSize,
		Version:  o.Version,
		OnCall:   o.OnCall,
		Tracer:   o.Tracer,
	}
	if o.StateTTL < 0 || o.MaxCallAge < 0 {
		return wire.Options{}, errors.New("starhost: StateTTL and MaxCallAge are no less than 0")
	}
	if o.StateKeys != nil {
		ring, err := seal.NewRing(o.StateKeys...)
		if err != nil {
			return wire.Options{}, err
		}
		w.Keys = ring
	}
	return w, nil
}
