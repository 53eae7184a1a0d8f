package starhost

import (
	"time"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// CallLimits bound what scripts may use. Zero fields mean the default. A call that
// exceeds one ends with an error that the model reads; a file that does so while
// it loads is refused.
type CallLimits struct {
	// Timeout is how long a call may run, not counting the time in which it waits
	// for answers; on 2026-07-28, each of its rounds. Default 30 s. A tool can have its own:
	// tool(timeout = seconds). Loading may take as long too, but no more than 5 s.
	Timeout time.Duration
	// Overtime is how long a call may go on when it has been stopped, because its time
	// is up or nobody waits for it any more. Default 10 s. No script goes on for so
	// long, but a Go function may. Then the Logger is told, and with [Options.Isolate]
	// the worker ends.
	Overtime time.Duration
	// Calls is how many calls run at once. Others wait, at most as long as a call
	// may run. Default 64.
	Calls int
	// Memory is how many bytes one call may hold, about. Default 128 MiB.
	Memory int64
	// AllMemory is how many bytes all calls may hold together, about, beside what
	// the program itself holds. Default 384 MiB. When it is exceeded the costliest
	// call is stopped.
	AllMemory int64
	// Result is how long the JSON of a result may be, in bytes. Default 8 MiB.
	Result int
	// Arguments is how long the JSON of a call's arguments may be. Default 16 MiB.
	Arguments int
}

// limits are those of one thread.
func (o *Options) limits() engine.Limits {
	if o.ledger == nil {
		o.ledger = engine.NewLedger(o.Limits.AllMemory)
	}
	return engine.Limits{Steps: o.MaxSteps, Memory: o.Limits.Memory, Ledger: o.ledger}
}

func (l CallLimits) load(to *load.Options) {
	if l.Timeout > 0 {
		to.Timeout = min(l.Timeout, load.DefaultTimeout)
	}
}

func (l CallLimits) calls(to *calls.Options) {
	to.Timeout, to.Overtime, to.Calls = l.Timeout, l.Overtime, l.Calls
	to.ResultLimits.Bytes, to.ArgumentLimits.Bytes = l.Result, l.Arguments
}
