package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/clock"
	"github.com/mcpstar/mcpstar/builtins/internal/startest"
	"github.com/mcpstar/mcpstar/engine"
)

func TestScripts(t *testing.T) {
	words := Words()
	words["time"] = clock.Words()["time"]
	startest.Run(t, "testdata/*.star", words)
}

// run runs a script on a thread of its own and gives its globals.
func run(t *testing.T, thread *starlark.Thread, script string) (starlark.StringDict, error) {
	t.Helper()
	return startest.Exec(thread, "shop.star", script, Words())
}

func TestEachPrintIsOneLine(t *testing.T) {
	for _, test := range []struct{ call, want string }{
		{`print("a", 1, [True, "b"])`, `a 1 [True, "b"]`},
		{`print()`, ``},
		{`print("a", "b", sep = "")`, `ab`},
		{`print("a", end = "")`, `a`},
		{`print("a", end = "!")`, `a!`},
		{`print("a", end = "!\n")`, `a!`},
		{`print("a", end = "\n\n")`, "a\n"},
		{`print(b"raw")`, `raw`},
	} {
		var lines []string
		thread := &starlark.Thread{Print: func(_ *starlark.Thread, msg string) { lines = append(lines, msg) }}
		_, err := run(t, thread, test.call)
		require.NoError(t, err, test.call)
		require.Equal(t, []string{test.want}, lines, test.call)
	}
}

func TestPrintIsCalledFromItsOwnFrame(t *testing.T) {
	// Hosts put the caller's place before a line.
	var line int32
	thread := &starlark.Thread{Print: func(thread *starlark.Thread, _ string) { line = thread.CallFrame(1).Pos.Line }}
	_, err := run(t, thread, "\n\nprint(1)")
	require.NoError(t, err)
	require.EqualValues(t, 3, line)
}

func TestFailEndsWithItsBareText(t *testing.T) {
	_, err := run(t, new(starlark.Thread), `fail("no stock of", "Dune", [7], sep = "/")`)
	var failure *engine.Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "no stock of/Dune/[7]", failure.Text)
	require.Equal(t, "no stock of/Dune/[7]", engine.FailureText(err))
}

func TestProtocolErrorCarriesCodeMessageAndData(t *testing.T) {
	for _, test := range []struct {
		call string
		want engine.ProtocolError
	}{
		{`protocol_error(-32602, "bad")`, engine.ProtocolError{Code: -32602, Message: "bad"}},
		{`protocol_error(-32602, "bad", None)`, engine.ProtocolError{Code: -32602, Message: "bad"}},
		{
			`protocol_error(code = 2147483647, message = "", data = {"b": 1 << 70, "a": [1.0]})`,
			engine.ProtocolError{Code: 1<<31 - 1, Data: json.RawMessage(`{"b":1180591620717411303424,"a":[1.0]}`)},
		},
		{`attempt(lambda: protocol_error(-2147483648, "x"))`, engine.ProtocolError{Code: -1 << 31, Message: "x"}},
	} {
		_, err := run(t, new(starlark.Thread), test.call)
		var protocol *engine.ProtocolError
		require.ErrorAs(t, err, &protocol, test.call)
		require.Equal(t, test.want, *protocol, test.call)
	}
}

// spin never ends by itself; caught says whether attempt gave a value.
const spin = `
def spin():
    while True:
        pass
caught = attempt(spin)
`

func TestAttemptNeverCatchesWhatStopsTheThread(t *testing.T) {
	t.Run("a limit on steps", func(t *testing.T) {
		thread := new(starlark.Thread)
		release := engine.Limits{Steps: 10_000}.Apply(thread)
		defer release()
		_, err := run(t, thread, spin)
		var interrupt *engine.Interrupt
		require.ErrorAs(t, engine.Interrupted(thread, err), &interrupt)
	})
	t.Run("a limit on depth", func(t *testing.T) {
		thread := new(starlark.Thread)
		release := engine.Limits{Depth: 100}.Apply(thread)
		defer release()
		_, err := run(t, thread, "def f(): return attempt(f)\ncaught = f()")
		var interrupt *engine.Interrupt
		require.ErrorAs(t, engine.Interrupted(thread, err), &interrupt)
	})
	t.Run("the end of the call", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		thread := new(starlark.Thread)
		engine.NewScope(ctx).Attach(thread)
		release := engine.Limits{}.Apply(thread)
		defer release()
		cancel(errors.New("the client went away"))
		_, err := run(t, thread, spin)
		require.ErrorContains(t, engine.Interrupted(thread, err), "the client went away")
	})
	t.Run("a plain Cancel", func(t *testing.T) {
		thread := new(starlark.Thread)
		thread.SetMaxExecutionSteps(10_000)
		_, err := run(t, thread, spin)
		require.ErrorContains(t, err, "Starlark computation cancelled: too many steps")
	})
	t.Run("a builtin that was interrupted", func(t *testing.T) {
		wait := starlark.NewBuiltin("wait", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return nil, &engine.Interrupt{Text: "stopped after 5 s"}
		})
		_, err := starlark.Call(new(starlark.Thread), Words()["attempt"], starlark.Tuple{wait}, nil)
		require.ErrorContains(t, err, "stopped after 5 s")
	})
}

func TestBulkWorkCountsAsSteps(t *testing.T) {
	for _, call := range []string{
		`sum(range(10000))`, `format(1, "10000")`, `text.chars("x" * 10000)`, `text.lines("\n" * 10000)`,
		`json.encode("x" * 10000)`, `json.decode(" " * 10000 + "1")`, `json.indent(" " * 10000 + "1")`, `print("x" * 10000)`,
	} {
		thread := &starlark.Thread{Print: func(*starlark.Thread, string) {}}
		_, err := run(t, thread, call)
		require.NoError(t, err, call)
		require.GreaterOrEqual(t, thread.Steps, uint64(10_000), call)
	}
}

// worst are the arguments that take longest among those that are accepted.
var worst = []string{
	`sum([pow(2, 99999)] * 600 + [1] * 999000)`,
	`pow(pow(2, 4096) - 3, pow(2, 4096) - 1, pow(2, 4096) - 2)`,
	`pow(7, 35000)`,
	`divmod(pow(2, 99999), pow(2, 50000) - 1)`,
	`round(pow(2, 99999) - 1, -15000)`,
	`format(pow(2, 99999), "_d")`,
	`format(0.1, "8000000.8000000f")`,
	`json.decode("[" + "{}," * 199000 + "0]")`,
	`json.decode("[" + "0," * 999000 + "0]")`,
	`json.decode('"' + "x" * 8000000 + '"')`,
	`text.chars("日" * 1000000)`,
}

// Without a limit, some of these would run for minutes, which the timeout of
// go test ends. BenchmarkWorst says how long they do take.
func TestTheWorstArgumentsEnd(t *testing.T) {
	for _, script := range worst {
		_, err := startest.Exec(new(starlark.Thread), "shop.star", script, Words())
		require.NoError(t, err, script)
	}
}

func BenchmarkWorst(b *testing.B) {
	for _, script := range worst {
		b.Run(script, func(b *testing.B) {
			for b.Loop() {
				_, err := startest.Exec(new(starlark.Thread), "shop.star", script, Words())
				require.NoError(b, err)
			}
		})
	}
}
