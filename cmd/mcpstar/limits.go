package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost"
)

// limitFlags are the flags that bound calls.
type limitFlags struct {
	maxSteps     uint64
	timeout      time.Duration
	calls        int
	callMemory   size
	maxMemory    size
	maxResult    size
	maxArguments size
}

func (l *limitFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	l.callMemory, l.maxMemory = engine.DefaultMemory, engine.DefaultAllMemory
	l.maxResult, l.maxArguments = 8<<20, 16<<20
	flags.Uint64Var(&l.maxSteps, "max-steps", 0, "Starlark instructions in one round, and in loading a file (default 100 million)")
	flags.DurationVar(&l.timeout, "call-timeout", 30*time.Second, "how long a call may run, not counting the time in which it waits for answers")
	flags.IntVar(&l.calls, "max-calls", 64, "how many calls run at once; others wait")
	flags.Var(&l.callMemory, "call-memory", "how much memory one call may hold, about")
	flags.Var(&l.maxMemory, "max-memory", "how much memory all calls together may hold, about")
	flags.Var(&l.maxResult, "max-result", "how long the JSON of a result may be")
	flags.Var(&l.maxArguments, "max-arguments", "how long the JSON of a call's arguments may be")
}

// args are the flags as another process of this command takes them.
func (l *limitFlags) args() []string {
	return []string{
		fmt.Sprintf("--max-steps=%d", l.maxSteps), fmt.Sprintf("--call-timeout=%s", l.timeout), fmt.Sprintf("--max-calls=%d", l.calls),
		fmt.Sprintf("--call-memory=%d", l.callMemory), fmt.Sprintf("--max-memory=%d", l.maxMemory),
		fmt.Sprintf("--max-result=%d", l.maxResult), fmt.Sprintf("--max-arguments=%d", l.maxArguments),
	}
}

// loadFlags are the flags that bound the loading of a server that is not served.
type loadFlags struct {
	maxSteps uint64
	memory   size
}

func (l *loadFlags) add(cmd *cobra.Command) {
	l.memory = engine.DefaultMemory
	cmd.Flags().Uint64Var(&l.maxSteps, "max-steps", 0, "Starlark instructions in loading a file (default 100 million)")
	cmd.Flags().Var(&l.memory, "call-memory", "how much memory the loading of a file may hold, about")
}

func (l *loadFlags) limits() engine.Limits {
	return engine.Limits{Steps: l.maxSteps, Memory: int64(l.memory)}
}

// limits are the host's, or what is wrong with the flags.
func (l *limitFlags) limits() (starhost.CallLimits, error) {
	if l.timeout <= 0 || l.calls <= 0 {
		return starhost.CallLimits{}, fmt.Errorf("--call-timeout and --max-calls are more than 0")
	}
	return starhost.CallLimits{
		Timeout:   l.timeout,
		Calls:     l.calls,
		Memory:    int64(l.callMemory),
		AllMemory: int64(l.maxMemory),
		Result:    int(l.maxResult),
		Arguments: int(l.maxArguments),
	}, nil
}

// tuneMemory lets the collector run less often than Go would by itself, since
// nearly all garbage of a server is the decoding of messages, but often enough
// that garbage does not add much to what the calls hold. most is what there is in any
// case. Whoever sets GOGC or GOMEMLIMIT knows better.
func (l *limitFlags) tuneMemory(most int64) {
	const own = 96 << 20 // what the server needs itself
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(min(int64(l.maxMemory)+own, most))
	}
}

// A size is a number of bytes that people write as 128MiB.
type size int64

var units = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	number, unit := text, int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.suffix); ok {
			number, unit = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n <= 0 || n > 1<<40/unit {
		return fmt.Errorf("%q is no size such as 128MiB", text)
	}
	*s = size(n * unit)
	return nil
}

// String implements pflag.Value.
func (s *size) String() string { return strings.ReplaceAll(engine.Size(int64(*s)), " ", "") }

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }
