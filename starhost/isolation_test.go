package starhost_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// With -isolate the tests of this package have their scripts run by workers, wherever
// what they look at can cross to another process. That must make no difference.
var isolated = flag.Bool("isolate", false, "run scripts in workers")

// crosses reports whether a worker can be told all of the options. What scripts print
// crosses too, but not in step with what they answer.
func crosses(o starhost.Options) bool {
	if _, compared := o.Output.(*printout); compared {
		return false
	}
	return o.Words == nil && o.Resolvers == nil && o.Test == nil && o.OnFailed == nil && o.Logger == nil
}

// workerName makes this test binary a worker.
const workerName = "worker-of-tests"

// workerOptions are those that a worker is told.
type workerOptions struct {
	MaxSteps   uint64
	MaxCallAge time.Duration
	Limits     starhost.CallLimits
}

// isolation is a worker of this test binary.
func isolation(t testing.TB, path string, o starhost.Options) *starhost.Isolation {
	t.Helper()
	options, err := json.Marshal(workerOptions{o.MaxSteps, o.MaxCallAge, o.Limits})
	require.NoError(t, err)
	return &starhost.Isolation{Command: []string{os.Args[0], workerName, path, string(options)}}
}

// work is the worker's main.
func work(args []string) int {
	var o workerOptions
	err := json.Unmarshal([]byte(args[1]), &o)
	if err == nil {
		options := starhost.Options{Output: os.Stderr, MaxSteps: o.MaxSteps, MaxCallAge: o.MaxCallAge, Limits: o.Limits}
		err = starhost.Work(args[0], options, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serveIsolated is serveWith with a worker. Unless options.Isolate says more, it is
// one of this test binary.
func serveIsolated(t testing.TB, script string, options starhost.Options) *starhost.Host {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.star")
	require.NoError(t, os.WriteFile(path, []byte(script), 0o644))
	given := options.Isolate
	options.Isolate = isolation(t, path, options)
	if given != nil {
		options.Isolate.Memory = given.Memory
	}
	host, err := starhost.LoadDir(context.Background(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close(context.Background())) })
	return host
}
