package starhost

import (
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/calls"
	hosttest "github.com/mcpstar/mcpstar/starhost/testing"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

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
