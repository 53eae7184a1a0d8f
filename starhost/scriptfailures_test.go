package starhost

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load/report"
	hosttest "github.com/mcpstar/mcpstar/starhost/testing"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

const clumsy = `
def look(d):
    return d["b"]

def price() -> int:
    return look({"a": 1})

def broken(cents: resolve(price)) -> str:
    return str(cents)

def meant() -> str:
    fail("closed today")

def handled() -> str:
    return attempt(price).error

tool(broken)
tool(meant)
tool(handled)
`

// What the model reads is short; the author is told the place.
func TestAScriptThatFailsIsToldWithItsPlace(t *testing.T) {
	var failed []calls.Failed
	host, err := Load(t.Context(), fstest.MapFS{"shop.star": {Data: []byte(clumsy)}}, Options{
		OnFailed: func(f calls.Failed) { failed = append(failed, f) },
	})
	require.NoError(t, err)
	require.Equal(t, `Error executing tool broken: key "b" not in dict`, call(t, host, "broken"))
	require.Len(t, failed, 1)
	require.Equal(t, "tools/call", failed[0].Method)
	require.Equal(t, "broken", failed[0].Name)
	require.NotEmpty(t, failed[0].Call)
	require.Equal(t, `error[runtime]: key "b" not in dict
 --> shop.star:3:12
  |
3 |     return d["b"]
  |            ^^^^^
...
6 |     return look({"a": 1})
  |            -------------- called from here
  |
  = help: where a key may be missing, write `+"`d.get(key, default)`"+`

1 error`, failed[0].Report.Error())

	require.Equal(t, "Error executing tool meant: closed today", call(t, host, "meant"))
	require.Equal(t, `key "b" not in dict`, call(t, host, "handled"))
	require.Len(t, failed, 1, "what the author meant or handled is no failure")
}

func TestAScriptThatFailsIsLogged(t *testing.T) {
	var logged lockedText
	host, err := Load(t.Context(), fstest.MapFS{"shop.star": {Data: []byte(clumsy)}}, Options{
		Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	require.NoError(t, err)
	client, err := hosttest.Connect(t.Context(), host, hosttest.Options{})
	require.NoError(t, err)
	_, err = client.Call(t.Context(), "broken", nil)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	require.Contains(t, logged.String(), "shop.star:3:12")
	require.Contains(t, logged.String(), "level=WARN")
}

func TestALifespanThatFailsIsToldWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ script, says string }{
		"a line": {"def open_shop():\n    return {}[1]\n\nlifespan(open_shop)\n",
			"error[lifespan]: the lifespan did not start: open_shop() failed: key 1 not in dict\n --> shop.star:2:"},
		"a question": {"def open_shop():\n    return list_roots()\n\nlifespan(open_shop)\n",
			"error[lifespan]: the lifespan did not start: open_shop() returned a question, and there is nobody to ask yet\n --> shop.star:1:1"},
		"fail": {"def open_shop():\n    fail('no stock')\n\nlifespan(open_shop)\n",
			"error[lifespan]: the lifespan did not start: open_shop() failed: no stock\n --> shop.star:2:"},
		"a limit": {"def open_shop():\n    return [0] * 100000000\n\nlifespan(open_shop)\n",
			"error[lifespan]: the lifespan did not start: open_shop() failed: stopped before it made a value of more than 64 MiB; work on a part at a time\n --> shop.star:2:12\n"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(t.Context(), fstest.MapFS{"shop.star": {Data: []byte(c.script)}}, Options{})
			var bad *report.Error
			require.ErrorAs(t, err, &bad)
			require.Contains(t, err.Error(), c.says)
		})
	}

	host, err := Load(t.Context(), fstest.MapFS{"shop.star": {Data: []byte(
		"def open_shop():\n    return {}\n\ndef close_shop(shop):\n    return shop['till']\n\nlifespan(open_shop, close_shop)\n")}}, Options{})
	require.NoError(t, err)
	require.ErrorContains(t, host.Close(t.Context()), "did not stop cleanly: close_shop() failed: key \"till\" not in dict\n --> shop.star:5:")
}

// What a call ends with whose script could not go on: what the client is told, and
// the report.
type ending struct{ script, says, report string }

// endsLike calls what each script declares, on both revisions. A bubble, so that no
// limit on time takes time.
func endsLike(t *testing.T, endings map[string]ending) {
	t.Helper()
	for name, want := range endings {
		for _, revision := range []string{hosttest.Handshake, hosttest.Rounds} {
			t.Run(name+" on "+revision, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					says, told := orderOnce(t, want.script, revision)
					require.Equal(t, want.says, says)
					require.Len(t, told, 1, "once")
					require.Equal(t, strings.TrimPrefix(want.report, "\n"), told[0].Report.Error())
				})
			})
		}
	}
}

// orderOnce calls the tool order, or the prompt or the resource that a script has in
// its place, and says yes to what it asks.
func orderOnce(t *testing.T, script, revision string) (says string, told []calls.Failed) {
	t.Helper()
	host, err := Load(t.Context(), fstest.MapFS{"shop.star": {Data: []byte(script)}}, Options{
		OnFailed: func(f calls.Failed) { told = append(told, f) },
		MaxSteps: 100_000,
		Limits:   CallLimits{Memory: 4 << 20}, // more than the steps count for
	})
	require.NoError(t, err)
	client, err := hosttest.Connect(t.Context(), host, hosttest.Options{Revision: revision, Answer: agree})
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	var reply hosttest.Reply
	switch s := host.Snapshot(); {
	case len(s.Prompts) > 0:
		reply, err = client.Request(t.Context(), "prompts/get", client.Envelope(exactjson.Object{{Name: "name", Value: "order"}}))
	case s.Tool("order") == nil:
		reply, err = client.Request(t.Context(), "resources/read", client.Envelope(exactjson.Object{{Name: "uri", Value: "order://7"}}))
	default:
		var played *hosttest.Played
		played, err = client.Call(t.Context(), "order", nil)
		require.NoError(t, err)
		reply = played.Reply
	}
	require.NoError(t, err)
	return textOf(t, reply), told
}

// agree answers what a server asks.
func agree(_ context.Context, q hosttest.Question) (hosttest.Answer, error) {
	if q.Method == "roots/list" {
		return hosttest.Answer{Result: json.RawMessage(`{"roots":[]}`)}, nil
	}
	return accept("yes"), nil
}

// A limit that a call exceeds is told with the place where the script was.
func TestALimitIsToldWithItsPlace(t *testing.T) {
	endsLike(t, map[string]ending{
		"steps, in a function that the tool calls": {`
def total(prices):
    sum = 0
    while True:
        sum += prices[0]

def order() -> int:
    return total([250])

tool(order)
`, "Error executing tool order: stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)", `
error[limit]: stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)
 --> shop.star:5:9
  |
5 |         sum += prices[0]
  |         ^^^
...
8 |     return total([250])
  |            ------------ called from here

1 error`},
		"steps, in a resolver that has an answer": {`
Note = model(text = str)

def ask_note() -> Note:
    return elicit("Why?", Note)

def price(note: resolve(ask_note)) -> int:
    for a in range(1000000):
        for b in note.text.elems():
            print(b, end = "")
    return 1

def order(cents: resolve(price)) -> int:
    return cents

tool(order)
`, "Error executing tool order: stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)", `
error[limit]: stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)
  --> shop.star:10:13
   |
10 |             print(b, end = "")
   |             ^^^^^^^^^^^^^^^^^^

1 error`},
		"depth, in a resolver": {`
def dig(n):
    return dig(n + 1)

def price() -> int:
    return dig(0)

def order(cents: resolve(price)) -> int:
    return cents

tool(order)
`, "Error executing tool order: stopped at 1000 calls inside calls: does the recursion end?", `
error[limit]: stopped at 1000 calls inside calls: does the recursion end?
 --> shop.star:3:12
  |
3 |     return dig(n + 1)
  |            ^^^------- called from here
...
6 |     return dig(0)
  |            ------ called from here
  |
  = note: 1022 more calls led there

1 error`},
		"depth, in an attempt": {`
def dig(n):
    return dig(n + 1)

def order() -> bool:
    return attempt(dig, 0).ok

tool(order)
`, "Error executing tool order: stopped at 1000 calls inside calls: does the recursion end?", `
error[limit]: stopped at 1000 calls inside calls: does the recursion end?
 --> shop.star:3:12
  |
3 |     return dig(n + 1)
  |            ^^^------- called from here
...
6 |     return attempt(dig, 0).ok
  |            --------------- called from here
  |
  = note: 1022 more calls led there

1 error`},
		"memory": {`
def table(width):
    return [0] * width

def order() -> int:
    return len(table(1000000))

tool(order)
`, "Error executing tool order: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory)", `
error[limit]: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory)
 --> shop.star:3:12
  |
3 |     return [0] * width
  |            ^^^^^^^^^^^
...
6 |     return len(table(1000000))
  |                -------------- called from here

1 error`},
		"memory, in a method": {`
def order() -> int:
    return len(("x" * 1000).replace("x", "y" * 8000))

tool(order)
`, "Error executing tool order: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory)", `
error[limit]: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory)
 --> shop.star:3:16
  |
3 |     return len(("x" * 1000).replace("x", "y" * 8000))
  |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

1 error`},
		"one value": {`
def label(n):
    return "x" * n

def order() -> str:
    return attempt(label, 100000000).value

tool(order)
`, "Error executing tool order: stopped before it made a value of more than 64 MiB; work on a part at a time", `
error[limit]: stopped before it made a value of more than 64 MiB; work on a part at a time
 --> shop.star:3:12
  |
3 |     return "x" * n
  |            ^^^^^^^
...
6 |     return attempt(label, 100000000).value
  |            ------------------------- called from here

1 error`},
		"steps, in the key of a sorted": {`
def rank(n):
    while n:
        n += 1

def order() -> list[int]:
    return sorted([3, 1, 2], key = rank)

tool(order)
`, "Error executing tool order: stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)", `
error[limit]: stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)
 --> shop.star:4:9
  |
4 |         n += 1
  |         ^
...
7 |     return sorted([3, 1, 2], key = rank)
  |            ----------------------------- called from here

1 error`},
		"a builtin": {`
def order() -> str:
    pair = [0]
    for _ in range(40):
        pair = [pair, pair]
    return str(pair)

tool(order)
`, "Error executing tool order: stopped before it printed a value that holds more than 1000000 values; print a part of it", `
error[limit]: stopped before it printed a value that holds more than 1000000 values; print a part of it
 --> shop.star:6:12
  |
6 |     return str(pair)
  |            ^^^^^^^^^

1 error`},
		"steps, in a factory": {`
def spin():
    while True: pass

def order(copies: field(int, factory = spin)) -> int:
    return copies

tool(order)
`, "Error executing tool order: stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)", `
error[limit]: stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)
 --> shop.star:3:5
  |
3 |     while True: pass
  |     ^^^^^^^^^^

1 error`},
		"time": {`
def bake(ctx):
    ctx.sleep(3600)

def order(ctx) -> str:
    bake(ctx)
    return "baked"

tool(order)
`, "Error executing tool order: stopped after it had run for 30s, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)", `
error[limit]: stopped after it had run for 30s, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)
 --> shop.star:3:5
  |
3 |     ctx.sleep(3600)
  |     ^^^^^^^^^^^^^^^
...
6 |     bake(ctx)
  |     --------- called from here

1 error`},
		"time, in a resolver with an attempt": {`
def price(ctx) -> int:
    return 0 if attempt(ctx.sleep, 3600).ok else 1

def order(cents: resolve(price)) -> int:
    return cents

tool(order, timeout = 1.5)
`, "Error executing tool order: stopped after it had run for 1.5s, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)", `
error[limit]: stopped after it had run for 1.5s, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)
 --> shop.star:3:17
  |
3 |     return 0 if attempt(ctx.sleep, 3600).ok else 1
  |                 ^^^^^^^^^^^^^^^^^^^^^^^^

1 error`},
		"a prompt": {`
def order() -> str:
    return "x" * 8000000

prompt(order)
`, "Error rendering prompt order: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory) (-32603)", `
error[limit]: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory)
 --> shop.star:3:12
  |
3 |     return "x" * 8000000
  |            ^^^^^^^^^^^^^

1 error`},
		"a resource": {`
def order(id) -> str:
    return id * 8000000

resource("order://{id}", order)
`, "Error reading resource order://7: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory) (-32603)", `
error[limit]: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory)
 --> shop.star:3:12
  |
3 |     return id * 8000000
  |            ^^^^^^^^^^^^

1 error`},
		"a resource that a tool reads": {`
def stock() -> str:
    return "x" * 8000000

def order(ctx) -> str:
    return str(attempt(ctx.read_resource, "shop://stock"))

resource("shop://stock", stock)
tool(order)
`, "Error executing tool order: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory)", `
error[limit]: stopped because it held more than 4 MiB of memory: work on less at a time (raise the limit with --call-memory)
 --> shop.star:3:12
  |
3 |     return "x" * 8000000
  |            ^^^^^^^^^^^^^

1 error`},
		"time, in a resource that a tool reads": {`
def stock(ctx) -> str:
    ctx.sleep(3600)
    return "one"

def order(ctx) -> str:
    return str(ctx.read_resource("shop://stock"))

resource("shop://stock", stock)
tool(order)
`, "Error executing tool order: stopped after it had run for 30s, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)", `
error[limit]: stopped after it had run for 30s, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)
 --> shop.star:3:5
  |
3 |     ctx.sleep(3600)
  |     ^^^^^^^^^^^^^^^

1 error`},
	})
}

// A value that does not fit what its function is declared to return is told where
// that is declared.
func TestAResultThatDoesNotFitIsToldWithItsType(t *testing.T) {
	endsLike(t, map[string]ending{
		"a resolver": {`
def price() -> int:
    return "free"

def order(cents: resolve(price)) -> int:
    return cents

tool(order)
`, `Error executing tool order: resolver price() is declared -> int, but: expected an integer, got "free" (str)`, `
error[result-type]: resolver price() is declared -> int, but: expected an integer, got "free" (str)
 --> shop.star:2:16
  |
2 | def price() -> int:
  |                ^^^

1 error`},
		"a resolver that asks": {`
def ask_place() -> str:
    return list_roots()

def order(place: resolve(ask_place)) -> str:
    return place

tool(order)
`, "Error executing tool order: resolver ask_place() is declared -> str, but: expected a string, got a roots_answer", `
error[result-type]: resolver ask_place() is declared -> str, but: expected a string, got a roots_answer
 --> shop.star:2:20
  |
2 | def ask_place() -> str:
  |                    ^^^

1 error`},
		"a tool": {`
Receipt = model(title = str, copies = int)

def order() -> Receipt:
    return {"title": 5}

tool(order)
`, "Error executing tool order: 2 validation errors for orderOutput\ntitle: expected a string, got 5 (int)\ncopies: expected an integer, got nothing", `
error[result-type]: 2 validation errors for orderOutput
       title: expected a string, got 5 (int)
       copies: expected an integer, got nothing
 --> shop.star:4:16
  |
4 | def order() -> Receipt:
  |                ^^^^^^^

1 error`},
		"a tool with a result by hand": {`
def order() -> int:
    return result("sent", structured = "none")

tool(order)
`, `Error executing tool order: 1 validation error for orderOutput
expected an integer, got "none" (str)`, `
error[result-type]: 1 validation error for orderOutput
       expected an integer, got "none" (str)
 --> shop.star:2:16
  |
2 | def order() -> int:
  |                ^^^

1 error`},
		"a tool with half a result": {`
def order() -> int:
    return result("sent")

tool(order)
`, "Error executing tool order: the tool is declared -> int, so its result has a structured part; write result(structured = ...)", `
error[result-type]: the tool is declared -> int, so its result has a structured part; write result(structured = ...)
 --> shop.star:2:16
  |
2 | def order() -> int:
  |                ^^^

1 error`},
		"a tool that another function makes": {`
def make(word):
    def order(
        times: int = 3,  # -> str
    ) -> list[
        int
    ]:
        return word * times

    return order

tool(make("a"), name = "order")
`, `Error executing tool order: 1 validation error for orderOutput
expected a list, got "aaa" (str)`, `
error[result-type]: 1 validation error for orderOutput
       expected a list, got "aaa" (str)
 --> shop.star:5:10
  |
5 |     ) -> list[
  |          ^^^^^
6 |         int
7 |     ]:
  |     ^

1 error`},
		"a prompt": {`
def order() -> str:
    return 5

prompt(order)
`, "Error rendering prompt order: order() is declared -> str, but: expected a string, got 5 (int) (-32603)", `
error[result-type]: order() is declared -> str, but: expected a string, got 5 (int)
 --> shop.star:2:16
  |
2 | def order() -> str:
  |                ^^^

1 error`},
		"a resource": {`
def order(id) -> list[int]:
    return [id + "a"]

resource("order://{id}", order)
`, `Error reading resource order://7: order() is declared -> list[int], but: [0]: expected an integer, got "7a" (str) (-32603)`, `
error[result-type]: order() is declared -> list[int], but: [0]: expected an integer, got "7a" (str)
 --> shop.star:2:18
  |
2 | def order(id) -> list[int]:
  |                  ^^^^^^^^^

1 error`},
		"a resource that a tool reads": {`
def stock() -> int:
    return "one"

def order(ctx) -> str:
    return str(ctx.read_resource("shop://stock"))

resource("shop://stock", stock)
tool(order)
`, `Error executing tool order: stock() is declared -> int, but: expected an integer, got "one" (str)`, `
error[result-type]: stock() is declared -> int, but: expected an integer, got "one" (str)
 --> shop.star:2:16
  |
2 | def stock() -> int:
  |                ^^^

1 error`},
	})
}

// The interpreter has no place for `while True` itself, and tells the one before.
func TestAnEndlessLoopIsToldWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ body, place string }{
		"first":               {"    while True: pass", "2:5"},
		"after a call":        {"    n = len([])\n    word = 'x'\n    while True: pass", "4:5"},
		"after its text":      {"    \"\"\"Order.\"\"\"\n    while True:\n        word = 'x'", "3:5"},
		"after a def":         {"    def inner(): return 1\n    while True: pass", "3:5"},
		"in a loop":           {"    for n in [1]:\n        while True: pass", "3:9"},
		"in a branch":         {"    for n in [1]:\n        if n == 2: pass\n        else:\n            str(n)\n            while 1: pass", "6:13"},
		"under its condition": {"    if len([]) == 0:\n        while True: pass", "3:9"},
		"in a def":            {"    def inner():\n        while True: pass\n    inner()", "3:9"},
		"not the next one":    {"    n = 1\n    while n: n += 1\n    while True: pass", "3:11"},
		"not behind a call":   {"    for n in range(10000000): pass\n    str(1)\n    while True: pass", "2:14"},
	} {
		t.Run(name, func(t *testing.T) {
			_, told := orderOnce(t, "def order():\n"+c.body+"\ntool(order)\n", hosttest.Rounds)
			require.Len(t, told, 1)
			require.Contains(t, told[0].Report.Error(), " --> shop.star:"+c.place+"\n")
		})
	}
}

// Whoever has cancelled a call, or does not stay for it, has not met a limit.
func TestACancelledCallIsNotTold(t *testing.T) {
	for _, revision := range []string{hosttest.Handshake, hosttest.Rounds} {
		for name, leave := range map[string]func(*testing.T, *hosttest.Client){
			"cancelled": func(t *testing.T, c *hosttest.Client) {
				params := c.Envelope(exactjson.Object{{Name: "requestId", Value: "x"}})
				require.NoError(t, c.Send(append([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":`), append(params, '}')...)))
				synctest.Wait()
				require.NoError(t, c.Close())
			},
			"gone": func(t *testing.T, c *hosttest.Client) { require.NoError(t, c.Close()) },
		} {
			t.Run(name+" on "+revision, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var ended []calls.Outcome
					host, err := Load(t.Context(), fstest.MapFS{"shop.star": {Data: []byte("def order(ctx): ctx.sleep(20)\ntool(order)\n")}}, Options{
						OnFailed: func(f calls.Failed) { t.Error(f.Report) },
						OnCall:   func() func(wire.Record) { return func(r wire.Record) { ended = append(ended, r.Outcome) } },
					})
					require.NoError(t, err)
					client, err := hosttest.Connect(t.Context(), host, hosttest.Options{Revision: revision})
					require.NoError(t, err)
					params := client.Envelope(exactjson.Object{{Name: "name", Value: "order"}})
					require.NoError(t, client.Send(append([]byte(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":`), append(params, '}')...)))
					synctest.Wait()
					require.Empty(t, ended)
					leave(t, client)
					require.NoError(t, host.Close(t.Context()))
					require.Equal(t, []calls.Outcome{calls.OutcomeCancelled}, ended)
				})
			})
		}
	}
}
