package starhost_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load/report"
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
		options.Words = starlark.StringDict{"stalling": starlark.NewBuiltin("stalling", stalling)}
		err = starhost.Work(args[0], options, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// stalling is a word of the workers that never ends.
func stalling(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	select {}
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

// What a worker of these tests can't hold.
const fragile = `
Sure = model(yes = bool)
seen = store.memory()

def sure(title: str) -> Sure:
    return elicit("Order %s?" % title, Sure)

def order(title: str, ok: resolve(sure)) -> str:
    return "ordered " + title if ok.yes else "left " + title

def count() -> int:
    return seen.add("n", 1)

def hoard(n: int) -> int:
    held = {}
    for i in range(n): held[i] = (i, i, i, i)
    return len(held)

def hoarding() -> str:
    return str(hoard(1 << 40))

tool(order)
tool(count)
tool(hoard)
prompt(hoarding)
resource("shop://hoard", hoarding)
`

// serveFragile serves [fragile] so that only the worker's memory has a limit.
func serveFragile(t *testing.T, options starhost.Options) *starhost.Host {
	t.Helper()
	options.MaxSteps = 1 << 50
	options.Limits = starhost.CallLimits{Timeout: 5 * time.Minute, Memory: 1 << 40, AllMemory: 1 << 40}
	options.Isolate = &starhost.Isolation{Memory: 16 << 20}
	return serveIsolated(t, fragile, options)
}

const starved = `the scripts' process needed more than 16 MiB of memory and was ended; ask for less, or a part at a time (raise the limit with --isolate-memory)`

func TestWorkerThatEndsTakesItsCallsWithItAndNothingElse(t *testing.T) {
	var kept register
	log := new(printout)
	host := serveFragile(t, starhost.Options{OnCall: kept.began, Logger: logTo(log), StateKeys: [][]byte{[]byte(strings.Repeat("k", 32))}})
	hoard := func(c *client) {
		r := c.call("hoard", `{"n":1099511627776}`, nobody)
		require.Equal(t, "Error executing tool hoard: "+starved, r.failure())
	}
	old, modern, other := connect(t, host, handshake), connect(t, host, rounds), connect(t, host, handshake)
	require.Equal(t, "1", old.call("count", `{}`, nobody).text())
	require.Equal(t, "2", modern.call("count", `{}`, nobody).text())

	// A call that waits for an answer lives in the worker on a handshake's connection,
	// and in the client's hands between rounds.
	yes := accept(`{"yes":true}`)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(log.take(), "\n"))
		}
	})
	waits := modern.once("order", `{"title":"Dune"}`, "", nobody)
	waited := old.call("order", `{"title":"Emma"}`, func(question) string {
		hoard(other)
		return yes
	})
	require.Equal(t, "Error executing tool order: "+starved, waited.failure())
	require.Equal(t, "ordered Dune", modern.resume("order", `{"title":"Dune"}`, waits.state, map[string]string{"shop:sure": yes}).text())

	require.Equal(t, "1", old.call("count", `{}`, nobody).text(), "what the worker kept in memory is lost")
	require.Equal(t, "ordered Emma", old.call("order", `{"title":"Emma"}`, answering("Emma", yes)).text(), "the session is there")
	hoard(modern)
	require.Equal(t, "1", other.call("count", `{}`, nobody).text())

	outcomes := map[calls.Outcome]int{}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	require.Zero(t, kept.running)
	for _, r := range kept.records {
		outcomes[r.Outcome]++
		require.True(t, r.Known)
	}
	require.Equal(t, map[calls.Outcome]int{calls.OutcomeResult: 6, calls.OutcomeAsks: 1, calls.OutcomeCrashed: 3}, outcomes)
	text := strings.Join(log.take(), "\n")
	require.Equal(t, 2, strings.Count(text, "the scripts' process has ended; another one is started"))
	require.NotContains(t, text, "goroutine ")
}

func TestWorkerThatEndsInAPromptOrAResourceIsAnError(t *testing.T) {
	host := serveFragile(t, starhost.Options{})
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, host, revision)
		m := c.request("prompts/get", json.RawMessage(`{"name":"hoarding"`+c.envelope()+`}`), nobody)
		require.Equal(t, &rpcError{Code: -32603, Message: "Error rendering prompt hoarding: " + starved}, m.Error)
		m = c.request("resources/read", json.RawMessage(`{"uri":"shop://hoard"`+c.envelope()+`}`), nobody)
		require.Equal(t, &rpcError{Code: -32603, Message: "Error reading resource shop://hoard: " + starved, Data: json.RawMessage(`{"uri":"shop://hoard"}`)}, m.Error)
	}
}

func TestWorkerThatDoesNotBeginSaysWhy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.star")
	require.NoError(t, os.WriteFile(path, []byte("def f(x: resolve(g)): return 1\ntool(f)\n\"a\" \"b\"\n"), 0o644))
	_, here := starhost.LoadDir(t.Context(), path, starhost.Options{})
	var output strings.Builder
	_, there := starhost.LoadDir(t.Context(), path, starhost.Options{Output: &output, Isolate: isolation(t, path, starhost.Options{})})
	var problems *report.Error
	require.ErrorAs(t, there, &problems, "a report is one on the other side too")
	require.Equal(t, here.Error(), there.Error())
	require.Empty(t, output.String())

	for command, want := range map[string]string{
		"/nowhere/mcpstar": "the process for the scripts did not start",
		os.Args[0]:         "the scripts' process ended before it was ready (exit status 2)",
		"":                 "the command that starts a worker is not set",
	} {
		var words []string
		if command != "" {
			words = []string{command, "-no-such-flag"}
		}
		_, err := starhost.LoadDir(t.Context(), path, starhost.Options{Isolate: &starhost.Isolation{Command: words}})
		require.ErrorContains(t, err, want)
	}
	_, err := starhost.Load(t.Context(), files("tool(lambda: 1, name = \"x\")"), starhost.Options{Entry: "shop.star", Isolate: isolation(t, path, starhost.Options{})})
	require.ErrorContains(t, err, "Isolate is for LoadDir")
}

// versioned is [fragile] with a tool that says which version it is.
func versioned(tool, says string) string {
	return fragile + fmt.Sprintf("\ndef %s() -> str: return %q\ntool(%s)\n", tool, says, tool)
}

func TestWorkerReloads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.star")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) }
	write(versioned("first", "1"))
	options := starhost.Options{MaxSteps: 1 << 50, Limits: starhost.CallLimits{Timeout: 5 * time.Minute, Memory: 1 << 40, AllMemory: 1 << 40}}
	options.Isolate = isolation(t, path, options)
	options.Isolate.Memory = 16 << 20
	host, err := starhost.LoadDir(t.Context(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close(context.Background())) })
	c := connect(t, host, handshake)
	p := c.pipe()
	listed := func(tool string) bool { return strings.Contains(string(c.list()), `"name":"`+tool+`"`) }
	require.True(t, listed("first"))

	write(versioned("second", "2"))
	change, err := host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, "~ count  ~ hoard  ~ order  ~ prompt hoarding  ~ shop://hoard  + second  - first", change.String())
	require.Equal(t, "notifications/tools/list_changed", p.next().Method)
	require.True(t, listed("second"))
	require.Equal(t, "2", c.call("second", `{}`, nobody).text())

	write(fragile + "tool(missing)\n")
	_, here := starhost.LoadDir(t.Context(), path, starhost.Options{})
	_, err = host.Reload(t.Context())
	var problems *report.Error
	require.ErrorAs(t, err, &problems)
	require.Equal(t, here.Error(), err.Error())
	require.Equal(t, "2", c.call("second", `{}`, nobody).text(), "the version before goes on")

	type told struct {
		change *starhost.Change
		err    error
	}
	tell := make(chan told, 100)
	ctx, stop := context.WithCancel(t.Context())
	watched := make(chan error, 1)
	go func() { watched <- host.Watch(ctx, func(c *starhost.Change, err error) { tell <- told{c, err} }) }()
	for n, version := range []string{"third", "fourth"} {
		write(versioned(version, version))
		require.NotNil(t, (<-tell).change)
		require.Equal(t, version, c.call(version, `{}`, nobody).text())
		if n == 0 { // the next worker watches as well
			require.Contains(t, c.call("hoard", `{"n":1099511627776}`, nobody).failure(), starved)
			require.Equal(t, version, c.call(version, `{}`, nobody).text())
		}
	}
	stop()
	require.NoError(t, <-watched)
}

// A worker begins again with the files as they are then.
func TestWorkerThatCantBeginAgainIsTriedUntilItCan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.star")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) }
	write(versioned("first", "1"))
	log := new(printout)
	options := starhost.Options{MaxSteps: 1 << 50, Limits: starhost.CallLimits{Timeout: 5 * time.Minute, Memory: 1 << 40, AllMemory: 1 << 40}}
	options.Isolate = isolation(t, path, options)
	options.Isolate.Memory = 16 << 20
	options.Logger = logTo(log)
	host, err := starhost.LoadDir(t.Context(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close(context.Background())) })
	c := connect(t, host, rounds)
	write("tool(missing)")
	require.Contains(t, c.call("hoard", `{"n":1099511627776}`, nobody).failure(), starved)
	require.Equal(t, "Error executing tool first: the server's scripts can't be loaded at the moment; try again later", c.call("first", `{}`, nobody).failure())
	require.Contains(t, string(c.list()), `"name":"first"`, "lists are the last ones")
	write(versioned("second", "2"))
	for {
		if text := c.once("second", `{}`, "", nobody); !strings.Contains(string(text.raw), "can't be loaded at the moment") {
			require.Equal(t, "2", text.text())
			break
		}
	}
	require.NotContains(t, string(c.list()), `"name":"first"`)
	require.Equal(t, 1, strings.Count(strings.Join(log.take(), "\n"), "can't begin; it is tried again"))
}

// A Go function that looks at nothing can't be stopped. In this process it is told of,
// in a worker it ends the worker.
func TestCallThatDoesNotStopEndsTheWorker(t *testing.T) {
	const script = "def stall() -> str: return str(stalling())\ndef fine() -> str: return \"fine\"\ntool(stall, timeout = 0.02)\ntool(fine)\n"
	limits := starhost.CallLimits{Overtime: 20 * time.Millisecond}

	told := make(noise, 100)
	log := slog.New(slog.NewTextHandler(told, &slog.HandlerOptions{Level: slog.LevelError}))
	release := make(chan struct{})
	word := func(_ *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		<-release
		return starlark.None, nil
	}
	here := serveWith(t, script, starhost.Options{Limits: limits, Logger: log, Words: starlark.StringDict{"stalling": starlark.NewBuiltin("stalling", word)}})
	p := dial(t, here)
	c := &client{connection: p, t: t, revision: rounds, declares: allCapabilities}
	id := p.write("tools/call", c.params("stall", `{}`, ""))
	require.Contains(t, <-told, "a call does not stop")
	close(release)
	require.Equal(t, id, string(p.next().ID))

	host := serveIsolated(t, script, starhost.Options{Limits: limits})
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, host, revision)
		require.Equal(t, "Error executing tool stall: the scripts' process was ended, because a call of stall did not stop when it was told to; it is started again",
			c.call("stall", `{}`, nobody).failure())
		require.Equal(t, "fine", c.call("fine", `{}`, nobody).text())
	}
}

// What a call costs more when it runs in a worker: two crossings of a pipe.
func BenchmarkIsolation(b *testing.B) {
	const script = `
def a(title: str) -> str: return title + "a"
def b(x: resolve(a)) -> str: return x + "b"
def c(x: resolve(a), y: resolve(b)) -> str: return x + y
def order(title: str, x: resolve(c)) -> str: return x
tool(order)
`
	for name, host := range map[string]*starhost.Host{
		"here":     serveHere(b, script, starhost.Options{}),
		"isolated": serveIsolated(b, script, starhost.Options{}),
	} {
		for _, revision := range []string{handshake, rounds} {
			b.Run(name+"/"+revision, func(b *testing.B) {
				c := connect(b, host, revision)
				b.ReportAllocs()
				for b.Loop() {
					c.once("order", `{"title":"Dune"}`, "", nobody)
				}
			})
		}
	}
}
