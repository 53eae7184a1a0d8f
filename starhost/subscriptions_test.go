package starhost_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// Lists and resources that change while the server runs, and who is told.

const changing = `
def extra(): return "extra"
tool(extra, enabled = False)
prompt(extra, enabled = False)
resource("extra://x", extra, enabled = False)
resource("extra://{y}/z", lambda y: y, name = "y", enabled = False)
resource("stock://dune", "7")

def switch(name: str, on: bool, kind: str = ""):
    set_enabled(name, on, kind = kind)
tool(switch)
def touch(uri: str, ctx): ctx.notify_resource_updated(uri)
tool(touch)
`

// methods are the notifications that came, in order.
func methods(notes []message) []string {
	var list []string
	for _, n := range notes {
		list = append(list, n.Method)
	}
	return list
}

// told are the notifications that have come after a while.
func (p *pipe) told() []message {
	p.t.Helper()
	time.Sleep(50 * time.Millisecond)
	synctest.Wait()
	for {
		select {
		case m := <-p.frames:
			require.Empty(p.t, m.ID, "a request or an answer")
			p.notes = append(p.notes, m)
			continue
		default:
		}
		notes := p.notes
		p.notes = nil
		return notes
	}
}

// inBubble runs a test where time is not real.
func inBubble(t *testing.T, revision, script string, test func(t *testing.T, c *client, host *starhost.Host)) {
	t.Helper()
	t.Run(revision, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			host, err := starhost.Load(context.Background(), files(script), starhost.Options{Entry: "shop.star"})
			require.NoError(t, err)
			defer func() { require.NoError(t, host.Close(context.Background())) }()
			test(t, connect(t, host, revision), host)
		})
	})
}

func (c *client) names(method, member, key string) []string {
	c.t.Helper()
	r := c.send(method, "", nobody)
	var list []map[string]json.RawMessage
	require.NoError(c.t, json.Unmarshal([]byte(r.member(member)), &list))
	var names []string
	for _, item := range list {
		var name string
		require.NoError(c.t, json.Unmarshal(item[key], &name))
		names = append(names, name)
	}
	return names
}

// listen opens a stream of notifications, which the server acknowledges first.
func (c *client) listen(filter string) string {
	c.t.Helper()
	id := c.pipe().write("subscriptions/listen", json.RawMessage(`{"notifications":`+filter+c.envelope()+`}`))
	ack := c.pipe().next()
	require.Equal(c.t, "notifications/subscriptions/acknowledged", ack.Method)
	require.Contains(c.t, string(ack.Params), `"io.modelcontextprotocol/subscriptionId":`+id)
	return id
}

func TestWhatIsSwitchedOffIsNotThere(t *testing.T) {
	onBoth(t, changing, func(t *testing.T, c *client) {
		require.Equal(t, []string{"switch", "touch"}, c.names("tools/list", "tools", "name"))
		require.Equal(t, "Unknown tool: extra", c.call("extra", "", nobody).failure())
		c.send("prompts/get", `"name":"extra"`, nobody).fails(-32602, "Unknown prompt: extra")
		c.send("resources/read", `"uri":"extra://x"`, nobody).fails(-32602, "Unknown resource: extra://x")
		c.send("resources/read", `"uri":"extra://y/z"`, nobody).fails(-32602, "Unknown resource: extra://y/z")

		for name, kind := range map[string]string{"extra": "tool", "extra://x": "", "extra://{y}/z": "resource"} {
			require.Nil(t, c.call("switch", `{"name":"`+name+`","on":true,"kind":"`+kind+`"}`, nobody).err)
		}
		require.Equal(t, []string{"extra", "switch", "touch"}, c.names("tools/list", "tools", "name"))
		require.Empty(t, c.names("prompts/list", "prompts", "name"), "only the tool was meant")
		require.Equal(t, []string{"extra://x", "stock://dune"}, c.names("resources/list", "resources", "uri"))
		require.Equal(t, []string{"extra://{y}/z"}, c.names("resources/templates/list", "resourceTemplates", "uriTemplate"))
		require.Equal(t, "extra", c.call("extra", "", nobody).text())
		require.Nil(t, c.send("resources/read", `"uri":"extra://y/z"`, nobody).err)

		require.Nil(t, c.call("switch", `{"name":"touch","on":false}`, nobody).err)
		require.Equal(t, "Unknown tool: touch", c.call("touch", `{"uri":"x"}`, nobody).failure())
		require.Equal(t, `Error executing tool switch: set_enabled: "extra" is a tool and a prompt; write set_enabled("extra", ..., kind = "tool")`,
			c.call("switch", `{"name":"extra","on":true}`, nobody).failure())
		require.Equal(t, `Error executing tool switch: set_enabled: there is no tool, prompt or resource "extro" (did you mean extra?)`,
			c.call("switch", `{"name":"extro","on":true}`, nobody).failure())
	})
}

func TestChangedListsAreToldOnce(t *testing.T) {
	inBubble(t, handshake, changing, func(t *testing.T, c *client, _ *starhost.Host) {
		require.Empty(t, c.pipe().told())
		c.call("switch", `{"name":"extra","on":true,"kind":"tool"}`, nobody)
		require.Equal(t, []string{"notifications/tools/list_changed"}, methods(c.pipe().told()))
		c.call("switch", `{"name":"extra","on":true,"kind":"tool"}`, nobody)
		require.Empty(t, c.pipe().told(), "it was on already")
		c.call("switch", `{"name":"extra","on":true,"kind":"prompt"}`, nobody)
		c.call("switch", `{"name":"extra://x","on":true}`, nobody)
		c.call("switch", `{"name":"extra://{y}/z","on":true}`, nobody)
		require.ElementsMatch(t, []string{"notifications/prompts/list_changed", "notifications/resources/list_changed"}, methods(c.pipe().told()))
		c.call("switch", `{"name":"extra","on":false,"kind":"prompt"}`, nobody)
		require.Equal(t, []string{"notifications/prompts/list_changed"}, methods(c.pipe().told()))
	})
	inBubble(t, rounds, changing, func(t *testing.T, c *client, _ *starhost.Host) {
		c.call("switch", `{"name":"extra","on":true,"kind":"tool"}`, nobody)
		require.Empty(t, c.pipe().told(), "nobody has subscribed")
		id := c.listen(`{"promptsListChanged":true}`)
		c.call("switch", `{"name":"extra","on":false,"kind":"tool"}`, nobody)
		c.call("switch", `{"name":"extra","on":true,"kind":"prompt"}`, nobody)
		notes := c.pipe().told()
		require.Equal(t, []string{"notifications/prompts/list_changed"}, methods(notes))
		require.Contains(t, string(notes[0].Params), `"io.modelcontextprotocol/subscriptionId":`+id)
	})
}

func TestUpdatesOfAResourceAreToldToSubscribers(t *testing.T) {
	inBubble(t, handshake, changing, func(t *testing.T, c *client, _ *starhost.Host) {
		touch := func() { require.Nil(t, c.call("touch", `{"uri":"stock://dune"}`, nobody).err) }
		touch()
		require.Empty(t, c.pipe().told())
		require.Nil(t, c.send("resources/subscribe", `"uri":"stock://dune"`, nobody).err)
		touch()
		notes := c.pipe().told()
		require.Equal(t, []string{"notifications/resources/updated"}, methods(notes))
		require.JSONEq(t, `{"uri":"stock://dune"}`, string(notes[0].Params))
		require.Nil(t, c.send("resources/unsubscribe", `"uri":"stock://dune"`, nobody).err)
		touch()
		require.Empty(t, c.pipe().told())
		c.send("resources/subscribe", `"uri":"stock://dun"`, nobody).fails(-32602, "Unknown resource: stock://dun (did you mean stock://dune?)")
	})
	inBubble(t, rounds, changing, func(t *testing.T, c *client, _ *starhost.Host) {
		id := c.listen(`{"resourceSubscriptions":["stock://dune"]}`)
		require.Nil(t, c.call("touch", `{"uri":"stock://dune"}`, nobody).err)
		notes := c.pipe().told()
		require.Equal(t, []string{"notifications/resources/updated"}, methods(notes))
		require.Contains(t, string(notes[0].Params), `"uri":"stock://dune"`)
		require.Contains(t, string(notes[0].Params), `"io.modelcontextprotocol/subscriptionId":`+id)
		require.Equal(t, `Error executing tool touch: there is no resource "stock://dun" (did you mean stock://dune?)`,
			c.call("touch", `{"uri":"stock://dun"}`, nobody).failure())
	})
}

func TestTimersRunAgainAndAgainAndNeverOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(printout)
		host, err := starhost.Load(context.Background(), files(`
state = store.memory()
def open_state(): return state
lifespan(open_state)
def tick(ctx):
    n = ctx.state.add("n")
    print("tick", n)
    if n == 2:
        ctx.sleep(2.5)
        print("slept")
    if n == 3:
        fail("no third")
every(1, tick)
`), starhost.Options{Entry: "shop.star", Output: out})
		require.NoError(t, err)
		time.Sleep(500 * time.Millisecond)
		require.Empty(t, out.take())
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, []string{"tick 1"}, out.take())
		time.Sleep(2 * time.Second) // at 3.5 s: the second sleeps
		synctest.Wait()
		require.Equal(t, []string{"tick 2"}, out.take())
		time.Sleep(2 * time.Second) // at 5.5 s
		synctest.Wait()
		require.Equal(t, []string{"slept", "tick 3", "tick 4"}, out.take())
		require.NoError(t, host.Close(context.Background()))
		time.Sleep(10 * time.Second)
		require.Empty(t, out.take(), "the host is closed")
	})
}

func TestATimerTellsOfUpdatesAndSwitchesLists(t *testing.T) {
	const script = `
resource("stock://dune", "7")
def extra(): return 1
tool(extra, enabled = False)
def tick(ctx):
    ctx.notify_resource_updated("stock://dune")
    set_enabled("extra", True)
every(1, tick)
`
	inBubble(t, handshake, script, func(t *testing.T, c *client, _ *starhost.Host) {
		require.Nil(t, c.send("resources/subscribe", `"uri":"stock://dune"`, nobody).err)
		time.Sleep(time.Second)
		require.ElementsMatch(t, []string{"notifications/resources/updated", "notifications/tools/list_changed"}, methods(c.pipe().told()))
	})
	inBubble(t, rounds, script, func(t *testing.T, c *client, _ *starhost.Host) {
		c.listen(`{"resourceSubscriptions":["stock://dune"],"toolsListChanged":true}`)
		time.Sleep(time.Second)
		require.ElementsMatch(t, []string{"notifications/resources/updated", "notifications/tools/list_changed"}, methods(c.pipe().told()))
	})
}

func TestAReloadKeepsWhatWasSwitchedUnlessItIsDeclaredOtherwise(t *testing.T) {
	folder := files(changing)
	host, err := starhost.Load(context.Background(), folder, starhost.Options{Entry: "shop.star"})
	require.NoError(t, err)
	c := connect(t, host, rounds)
	c.call("switch", `{"name":"extra","on":true,"kind":"tool"}`, nobody)
	c.call("switch", `{"name":"extra://x","on":true}`, nobody)
	folder["shop.star"].Data = []byte("# changed\n" + changing)
	_, err = host.Reload(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"extra", "switch", "touch"}, c.names("tools/list", "tools", "name"))
	require.Equal(t, []string{"extra://x", "stock://dune"}, c.names("resources/list", "resources", "uri"))
}

func TestAReloadTellsOfPromptsAndResources(t *testing.T) {
	folder := files("def a(): return 1\nprompt(a)\nresource('x://a', 'a')\nresource('x://{b}', lambda b: b, name = 'b')\n")
	host, err := starhost.Load(context.Background(), folder, starhost.Options{Entry: "shop.star"})
	require.NoError(t, err)
	folder["shop.star"].Data = []byte("def a(): return 2\nprompt(a)\nresource('x://c', 'c')\nresource('x://{b}', lambda b: b, name = 'b', title = 'B')\n")
	change, err := host.Reload(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"x://c"}, change.Added)
	require.Equal(t, []string{"x://a"}, change.Removed)
	require.Equal(t, []string{"prompt a", "x://{b}"}, change.Changed)
}

func TestStreamsOnOneConnectionDontSilenceEachOther(t *testing.T) {
	inBubble(t, rounds, changing, func(t *testing.T, c *client, _ *starhost.Host) {
		one := c.listen(`{"toolsListChanged":true,"resourceSubscriptions":["stock://dune"]}`)
		two := c.listen(`{"toolsListChanged":true,"promptsListChanged":true}`)
		c.call("switch", `{"name":"extra","on":true,"kind":"tool"}`, nobody)
		notes := c.pipe().told()
		require.Equal(t, []string{"notifications/tools/list_changed", "notifications/tools/list_changed"}, methods(notes))
		require.NotEqual(t, string(notes[0].Params), string(notes[1].Params))

		c.pipe().notify("notifications/cancelled", json.RawMessage(`{"requestId":`+two+c.envelope()+`}`))
		synctest.Wait()
		c.call("switch", `{"name":"extra","on":false,"kind":"tool"}`, nobody)
		c.call("switch", `{"name":"extra","on":true,"kind":"prompt"}`, nobody)
		require.Nil(t, c.call("touch", `{"uri":"stock://dune"}`, nobody).err)
		notes = c.pipe().told()
		require.ElementsMatch(t, []string{"notifications/resources/updated", "notifications/tools/list_changed"}, methods(notes))
		for _, n := range notes {
			require.Contains(t, string(n.Params), `"io.modelcontextprotocol/subscriptionId":`+one)
		}
	})
}

func TestAStreamThatWantsNothingEnds(t *testing.T) {
	c := connect(t, serve(t, changing), rounds)
	r := c.send("subscriptions/listen", `"notifications":{}`, nobody)
	require.Nil(t, r.err)
	require.Contains(t, r.member("_meta"), `"io.modelcontextprotocol/subscriptionId":`)
	c.send("subscriptions/listen", "", nobody).fails(-32602, "Invalid request parameters")
}
