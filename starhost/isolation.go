package starhost

import (
	"context"
	"errors"
	"io"

	"github.com/mcpstar/mcpstar/starhost/isolate"
)

// Isolation keeps the scripts in a process of their own, the worker. When a call does
// what no limit stops, the worker ends and not the program: the calls in it get an
// error, another worker is started, and sessions, transports and keys are where they
// were. What the worker before kept in memory is lost: the lifespan's state begins
// anew, and so does what set_enabled() has switched. While there is no worker calls
// wait for one, no longer than [CallLimits.Timeout].
//
// It is a fence against accidents. A process is not a sandbox: scripts whose authors
// are not trusted need the confinement of the operating system as well.
type Isolation struct {
	// Command starts the worker: a program, as a rule this one, that calls [Work] with
	// the same path and the same options, and its arguments. It must be set. The worker
	// has the environment of this process but for what begins with MCPSTAR_, where
	// secrets are.
	Command []string

	// Memory is how many bytes the worker may have beside what it begins with. 0 is
	// 1 GiB. Give it more than [CallLimits.AllMemory]: then calls are stopped one by one
	// before the worker ends.
	Memory int64
}

// Work is the other side of [Options.Isolate]: the worker's whole work. It loads the
// server at path as [LoadDir] does, serves it to the process that has started this one
// over its standard input and output, and returns when that process is gone or has had
// enough. Nothing else may be written to out.
//
// Options that concern scripts count here: words, resolvers, limits, Output, OnFailed.
// Those that concern clients (keys, HTTP, OnCall, Tracer) count in the other process.
func Work(path string, opts Options, in io.Reader, out io.Writer) error {
	return isolate.Serve(in, out, func(ctx context.Context, stuck func(name string)) (isolate.Program, error) {
		opts.stuck = stuck
		return programAt(ctx, path, opts)
	})
}

// errIsolateFS says why [Load] isolates nothing.
var errIsolateFS = errors.New("starhost: Isolate is for LoadDir: the worker reads the files itself")

// worker starts the scripts in another process.
func (o *Options) worker(ctx context.Context) (isolate.Program, error) {
	return isolate.Start(ctx, isolate.Options{
		Command: o.Isolate.Command,
		Memory:  o.Isolate.Memory,
		Wait:    o.Limits.Timeout,
		Stderr:  o.Output,
		Logger:  o.Logger,
	})
}
