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
