package starhost_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// What ctx offers to tools and resolvers.

const contexts = `
def start(): return {"pool": "open"}
lifespan(start)
def seen(ctx): return ctx.request_id + "|" + ctx.call_id
def run(s: resolve(seen), ctx) -> str:
    return "|".join([s, ctx.request_id, ctx.call_id, ctx.protocol_version, str(ctx.headers), ctx.state["pool"],
                     ctx.client.name, ctx.client.version, str(ctx.client.supports("sampling.tools")), str(ctx.client.supports("tasks")),
                     str(ctx.client.capabilities["roots"])])
def say(ctx) -> str:
    for level in ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]:
        ctx.log(level, {"level": level, "n": 9007199254740993})
    ctx.log("error", "named", logger = "shop")
    return "said"
def work(ctx) -> str:
    ctx.progress(1, 4)
    ctx.progress(2.5, 4, "half")
    ctx.progress(3)
    return "done"
def whisper(ctx): ctx.log("error", "from a resolver"); ctx.progress(1)
def quiet(w: resolve(whisper)) -> str: return "quiet"
def misspelt(ctx) -> str: return ctx.request
[tool(f) for f in [run, say, work, quiet, misspelt]]
`

func TestContextOffersTheCall(t *testing.T) {
	onBoth(t, contexts, func(t *testing.T, c *client) {
		p := c.pipe()
		p.ids = 9007199254740992 // the next id is beyond what a float holds
		text := c.call("run", "", nobody).text()
		parts := strings.Split(text, "|")
		require.Equal(t, "9007199254740993", parts[0], "the request's id as text, in a resolver")
		require.Equal(t, "9007199254740993", parts[2], "and in the tool")
		require.Equal(t, parts[1], parts[3])
		require.NotEmpty(t, parts[1])
		require.Equal(t, []string{c.revision, "None", "open", "raw", "1.5", "True", "False", `{"listChanged": True}`}, parts[4:])
	})
}

func TestContextNamesWhatWasProbablyMeant(t *testing.T) {
	onBoth(t, contexts, func(t *testing.T, c *client) {
		require.Equal(t, "Error executing tool misspelt: ctx has no .request (did you mean .request_id?)", c.call("misspelt", "", nobody).failure())
	})
}

// levels are those of the log messages among notes.
func levels(t *testing.T, notes []message) []string {
	t.Helper()
	var list []string
	for _, n := range notes {
		require.Equal(t, "notifications/message", n.Method)
		var params struct{ Level string }
		require.NoError(t, json.Unmarshal(n.Params, &params))
		list = append(list, params.Level)
	}
	return list
}

func TestLogIsSentAtTheLevelTheClientWants(t *testing.T) {
	all := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", "error"}
	t.Run(handshake, func(t *testing.T) {
		c := connect(t, serve(t, contexts), handshake)
		m := c.request("logging/setLevel", json.RawMessage(`{"level":"error"}`), nobody)
		require.Nil(t, m.Error)
		require.Equal(t, "said", c.call("say", "", nobody).text())
		require.Equal(t, all[4:], levels(t, c.pipe().notes))
		require.JSONEq(t, `{"level":"error","data":{"level":"error","n":9007199254740993}}`, string(c.pipe().notes[0].Params))
		require.Contains(t, string(c.pipe().notes[0].Params), "9007199254740993")
		require.JSONEq(t, `{"level":"error","data":"named","logger":"shop"}`, string(c.pipe().notes[4].Params))

		c.pipe().notes = nil
		require.Nil(t, c.request("logging/setLevel", json.RawMessage(`{"level":"debug"}`), nobody).Error)
		c.call("say", "", nobody)
		require.Equal(t, all, levels(t, c.pipe().notes))
	})
	t.Run(rounds, func(t *testing.T) {
		c := connect(t, serve(t, contexts), rounds)
		require.Equal(t, "said", c.call("say", "", nobody).text())
		require.Empty(t, c.pipe().notes, "nobody asked for any")
		c.meta = `,"io.modelcontextprotocol/logLevel":"critical"`
		c.call("say", "", nobody)
		require.Equal(t, all[5:8], levels(t, c.pipe().notes))
		c.pipe().notes = nil
		c.call("quiet", "", nobody)
		require.Empty(t, c.pipe().notes, "below that level")
		c.meta = ""
		c.call("say", "", nobody)
		require.Empty(t, c.pipe().notes, "it was for that request only")
	})
}

func TestResolverMayLogAndReportProgress(t *testing.T) {
	onBoth(t, contexts, func(t *testing.T, c *client) {
		if c.revision == handshake {
			c.meta = `,"progressToken":"p"`
			require.Nil(t, c.request("logging/setLevel", json.RawMessage(`{"level":"error"}`), nobody).Error)
		} else {
			c.meta = `,"progressToken":"p","io.modelcontextprotocol/logLevel":"error"`
		}
		require.Equal(t, "quiet", c.call("quiet", "", nobody).text())
		require.Len(t, c.pipe().notes, 2)
		require.JSONEq(t, `{"level":"error","data":"from a resolver"}`, string(c.pipe().notes[0].Params))
		require.JSONEq(t, `{"progressToken":"p","progress":1}`, string(c.pipe().notes[1].Params))
	})
}

func TestProgressNeedsAToken(t *testing.T) {
	onBoth(t, contexts, func(t *testing.T, c *client) {
		require.Equal(t, "done", c.call("work", "", nobody).text())
		require.Empty(t, c.pipe().notes)
		for _, token := range []string{`"abc"`, `7`, `9007199254740993`} {
			c.pipe().notes = nil
			c.meta = `,"progressToken":` + token
			require.Equal(t, "done", c.call("work", "", nobody).text())
			var got []string
			for _, n := range c.pipe().notes {
				require.Equal(t, "notifications/progress", n.Method)
				got = append(got, string(n.Params))
			}
			require.Len(t, got, 3)
			require.JSONEq(t, `{"progressToken":`+token+`,"progress":1,"total":4}`, got[0])
			require.JSONEq(t, `{"progressToken":`+token+`,"progress":2.5,"total":4,"message":"half"}`, got[1])
			require.JSONEq(t, `{"progressToken":`+token+`,"progress":3}`, got[2])
			require.Contains(t, got[0], token)
		}
	})
}

func TestLifespanMakesTheState(t *testing.T) {
	out := new(printout)
	host, err := starhost.Load(context.Background(), files(`
def start():
    print("start")
    return {"pool": "open"}
def stop(state): print("stop " + state["pool"])
lifespan(start, stop)
def run(ctx) -> str: return ctx.state["pool"]
tool(run)
`), starhost.Options{Entry: "shop.star", Output: out})
	require.NoError(t, err)
	require.Equal(t, []string{"start"}, out.take())
	for _, revision := range []string{handshake, rounds} {
		require.Equal(t, "open", connect(t, host, revision).call("run", "", nobody).text())
	}
	require.Empty(t, out.take(), "once for the server, not for each connection or call")
	require.NoError(t, host.Close(context.Background()))
	require.Equal(t, []string{"stop open"}, out.take())
}
