package starhost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

const shelves = `
server(ttl = 60, scope = "public")
resource("text://a", "always the same", title = "A", description = "Static.", annotations = {"audience": ["user"], "priority": 0.5})
resource("bytes://b", b"\x00\x01", mime_type = "image/png")
def config() -> dict:
    """The settings."""
    return {"debug": True}
resource("config://app", config, ttl = 0.5, scope = "private")
def page() -> str: return "<p>"
resource("page://x", page, mime_type = "text/html", size = 3)
def raw(): return b"\x02"
resource("raw://x", raw)
def many():
    return [embed("part://1", "one"), embed("part://2", b"\x03", mime_type = "application/x")]
resource("many://x", many)
def none(): return None
resource("none://x", none)
def bad(): fail("boom")
resource("bad://x", bad)
def worse(): protocol_error(-32050, "mine", {"a": 1})
resource("worse://x", worse)

def profile(id: int, ctx) -> dict:
    """One user."""
    return {"id": id, "call": ctx.call_id != ""}
resource("users://{id}/profile", profile, icons = [{"src": "data:image/png;base64,AA=="}])
def files(path: list[str]) -> str: return "+".join(path)
resource("file://store{/path*}", files)
def search(q: str = "all", n: int = 3) -> str: return "%s %d" % (q, n)
resource("find://it{?q,n}", search)
def any_file(path: str) -> str: return path
resource("any://{+path}", any_file, any_path = True)
def safe_file(path: str) -> str: return path
resource("safe://{+path}", safe_file)
`

func TestResourcesAreListedInURIOrder(t *testing.T) {
	onBoth(t, shelves, func(t *testing.T, c *client) {
		r := c.send("resources/list", "", nobody)
		r.without("ttlMs", "cacheScope").is(`{"resources":[
			{"name":"bad","uri":"bad://x","description":""},
			{"name":"bytes://b","uri":"bytes://b","description":"","mimeType":"image/png","size":2},
			{"name":"config","uri":"config://app","description":"The settings.","mimeType":"application/json"},
			{"name":"many","uri":"many://x","description":""},
			{"name":"none","uri":"none://x","description":""},
			{"name":"page","uri":"page://x","description":"","mimeType":"text/html","size":3},
			{"name":"raw","uri":"raw://x","description":""},
			{"name":"text://a","title":"A","uri":"text://a","description":"Static.","mimeType":"text/plain","size":15,
			 "annotations":{"audience":["user"],"priority":0.5}},
			{"name":"worse","uri":"worse://x","description":""}]}`)
		templates := c.send("resources/templates/list", "", nobody)
		templates.without("ttlMs", "cacheScope").is(`{"resourceTemplates":[
			{"name":"any_file","uriTemplate":"any://{+path}","description":"","mimeType":"text/plain"},
			{"name":"files","uriTemplate":"file://store{/path*}","description":"","mimeType":"text/plain"},
			{"name":"search","uriTemplate":"find://it{?q,n}","description":"","mimeType":"text/plain"},
			{"name":"safe_file","uriTemplate":"safe://{+path}","description":"","mimeType":"text/plain"},
			{"name":"profile","uriTemplate":"users://{id}/profile","description":"One user.","mimeType":"application/json",
			 "icons":[{"src":"data:image/png;base64,AA=="}]}]}`)
		if c.revision == rounds {
			require.Equal(t, "60000", r.member("ttlMs"))
			require.Equal(t, `"public"`, templates.member("cacheScope"))
		}
	})
}

func TestResourcesAreRead(t *testing.T) {
	onBoth(t, shelves, func(t *testing.T, c *client) {
		for uri, want := range map[string]string{
			"text://a":             `{"uri":"text://a","mimeType":"text/plain","text":"always the same"}`,
			"bytes://b":            `{"uri":"bytes://b","mimeType":"image/png","blob":"AAE="}`,
			"config://app":         `{"uri":"config://app","mimeType":"application/json","text":"{\n  \"debug\": true\n}"}`,
			"page://x":             `{"uri":"page://x","mimeType":"text/html","text":"<p>"}`,
			"raw://x":              `{"uri":"raw://x","mimeType":"application/octet-stream","blob":"Ag=="}`,
			"none://x":             `{"uri":"none://x","mimeType":"application/json","text":"null"}`,
			"many://x":             `{"uri":"part://1","text":"one"},{"uri":"part://2","mimeType":"application/x","blob":"Aw=="}`,
			"users://7/profile":    `{"uri":"users://7/profile","mimeType":"application/json","text":"{\n  \"id\": 7,\n  \"call\": true\n}"}`,
			"file://store/a/b%20c": `{"uri":"file://store/a/b%20c","mimeType":"text/plain","text":"a+b c"}`,
			"find://it":            `{"uri":"find://it","mimeType":"text/plain","text":"all 3"}`,
			"find://it?n=5":        `{"uri":"find://it?n=5","mimeType":"text/plain","text":"all 5"}`,
			"find://it?q=x&n=4":    `{"uri":"find://it?q=x&n=4","mimeType":"text/plain","text":"x 4"}`,
			"any://../x":           `{"uri":"any://../x","mimeType":"text/plain","text":"../x"}`,
			"safe://a/b":           `{"uri":"safe://a/b","mimeType":"text/plain","text":"a/b"}`,
		} {
			r := c.send("resources/read", `"uri":"`+uri+`"`, nobody)
			r.without("ttlMs", "cacheScope").is(`{"contents":[` + want + `]}`)
		}
	})
}

func TestWhatIsReadSaysHowLongItMayBeKept(t *testing.T) {
	c := connect(t, serve(t, shelves), rounds)
	for uri, want := range map[string][2]string{"text://a": {"60000", `"public"`}, "config://app": {"500", `"private"`}} {
		r := c.send("resources/read", `"uri":"`+uri+`"`, nobody)
		require.Equal(t, want, [2]string{r.member("ttlMs"), r.member("cacheScope")})
	}
	old := connect(t, serve(t, shelves), handshake)
	require.Empty(t, old.send("resources/read", `"uri":"text://a"`, nobody).member("ttlMs"))
}

func TestResourcesThatCantBeReadAreErrors(t *testing.T) {
	onBoth(t, shelves, func(t *testing.T, c *client) {
		for uri, want := range map[string]struct {
			code    int
			message string
			data    string
		}{
			"quite-other://zzz":     {-32602, "Unknown resource: quite-other://zzz", `{"uri":"quite-other://zzz"}`},
			"text://b":              {-32602, "Unknown resource: text://b (did you mean text://a?)", `{"uri":"text://b"}`},
			"safe://a/../../b":      {-32602, "Unknown resource: safe://a/../../b", `{"uri":"safe://a/../../b"}`},
			"safe://%2Fetc":         {-32602, "Unknown resource: safe://%2Fetc", `{"uri":"safe://%2Fetc"}`},
			"file://store/a/..%2Fb": {-32602, "Unknown resource: file://store/a/..%2Fb", `{"uri":"file://store/a/..%2Fb"}`},
			"any://a%00b":           {-32602, "Unknown resource: any://a%00b", `{"uri":"any://a%00b"}`},
			"bad://x":               {-32603, "Error reading resource bad://x: boom", `{"uri":"bad://x"}`},
			"worse://x":             {-32050, "mine", `{"a":1}`},
			"users://seven/profile": {-32602, "Error reading resource users://seven/profile: 1 validation error for profileArguments\nid: expected an integer, got \"seven\" (str)", `{"uri":"users://seven/profile"}`},
		} {
			c.send("resources/read", `"uri":"`+uri+`"`, nobody).refused(want.code, want.message, want.data)
		}
		c.send("resources/read", `"a":1`, nobody).fails(-32602, "Invalid request parameters")
	})
}

const askingTemplate = `
Why = model(why = str)
def ask(id): return elicit("Why do you want %d?" % id, Why)
def secret(id: int, why: resolve(ask)) -> str: return "%d: %s" % (id, why.why)
resource("secret://{id}", secret)
def which(): return elicit("Which?", Why)
def fixed(which: resolve(which), ctx) -> str: return which.why
resource("secret://fixed", fixed)
resource("secret://one", lambda: "x", name = "one")
`

func TestTemplatesAskAsToolsDo(t *testing.T) {
	onBoth(t, askingTemplate, func(t *testing.T, c *client) {
		p := c.play("resources/read", `"uri":"secret://42"`, answering("Why do you want 42?", accept(`{"why":"fun"}`)))
		p.without("ttlMs", "cacheScope").is(`{"contents":[{"uri":"secret://42","mimeType":"text/plain","text":"42: fun"}]}`)
		require.Len(t, p.asked, 1)
		c.play("resources/read", `"uri":"secret://fixed"`, answering("Which?", accept(`{"why":"that"}`))).without("ttlMs", "cacheScope").is(
			`{"contents":[{"uri":"secret://fixed","mimeType":"text/plain","text":"that"}]}`)
		c.send("resources/read", `"uri":"secret://one"`, nobody).without("ttlMs", "cacheScope").is(
			`{"contents":[{"uri":"secret://one","mimeType":"text/plain","text":"x"}]}`)
	})
}

func TestStateOfAResourceIsBoundToItsURI(t *testing.T) {
	c := connect(t, serve(t, askingTemplate), rounds)
	first := c.send("resources/read", `"uri":"secret://42"`, nobody)
	again := `,"inputResponses":{"shop:ask":` + accept(`{"why":"fun"}`) + `},"requestState":"` + first.state + `"`
	c.send("resources/read", `"uri":"secret://43"`+again, nobody).refused(-32602, "Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
	require.Nil(t, c.send("resources/read", `"uri":"secret://42"`+again, nobody).err)
}

func TestListsHavePagesWithStableCursors(t *testing.T) {
	script := ""
	for i := range 5 {
		script += fmt.Sprintf("def t%d(): return %d\ntool(t%d)\nprompt(t%d)\nresource('x://%d', t%d)\nresource('y%d://{a}', lambda a: a, name = 'y')\n", i, i, i, i, i, i, i)
	}
	for _, revision := range []string{handshake, rounds} {
		host, err := starhost.Load(context.Background(), files(script), starhost.Options{Entry: "shop.star", PageSize: 2})
		require.NoError(t, err)
		c := connect(t, host, revision)
		for method, member := range map[string]string{
			"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates",
		} {
			cursor, pages, seen := "", 0, 0
			for {
				params := ""
				if cursor != "" {
					params = `"cursor":"` + cursor + `"`
				}
				r := c.send(method, params, nobody)
				require.Nil(t, r.err)
				var list []json.RawMessage
				require.NoError(t, json.Unmarshal([]byte(r.member(member)), &list))
				seen += len(list)
				pages++
				next := r.member("nextCursor")
				if next == "" {
					break
				}
				require.NoError(t, json.Unmarshal([]byte(next), &cursor))
			}
			require.Equal(t, []int{3, 5}, []int{pages, seen}, method)
			c.send(method, `"cursor":"nonsense"`, nobody).fails(-32602, "Invalid request parameters")
		}
	}
}

// A completion has the limits of a call.
func TestCompletionIsLimited(t *testing.T) {
	const script = `
def review(topic: str, style: str) -> str: return ""
prompt(review)
def nap(value, ctx): ctx.sleep(3600)
def spin(value):
    while True: pass
completion(review, "topic", nap)
completion(review, "style", spin)
`
	host := serveWith(t, script, starhost.Options{MaxSteps: 100_000, Limits: starhost.CallLimits{Timeout: 20 * time.Millisecond}})
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, host, revision)
		for argument, why := range map[string]string{
			"topic": "Error completing argument topic: stopped after it had run for 20ms, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)",
			"style": "Error completing argument style: stopped after",
		} {
			r := c.send("completion/complete", `"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"`+argument+`","value":""}`, nobody)
			require.NotNil(t, r.err)
			require.Equal(t, -32603, r.err.Code)
			require.Contains(t, r.err.Message, why)
		}
	}
}

func TestArgumentsAreCompleted(t *testing.T) {
	onBoth(t, `
def styles(value, topic, ctx):
    return [s for s in [topic or "none", "plain", "fancy"] if s.startswith(value)]
def review(topic: str, style: str, tone: enum("calm", "Cross", "kind") = "calm") -> str: return ""
prompt(review)
completion(review, "style", styles)
def ids(value): return [value + str(i) for i in range(120)]
def user(id: str, part: enum("a", "b")) -> str: return id
resource("users://{id}/{part}", user)
completion("users://{id}/{part}", "id", ids)
def broken(value): fail("no luck")
completion(review, "topic", broken)
`, func(t *testing.T, c *client) {
		prompt := func(argument, value, rest string) reply {
			return c.send("completion/complete", `"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"`+argument+`","value":"`+value+`"}`+rest, nobody)
		}
		prompt("style", "p", "").is(`{"completion":{"values":["plain"],"total":1,"hasMore":false}}`)
		prompt("style", "", `,"context":{"arguments":{"topic":"cats"}}`).is(`{"completion":{"values":["cats","plain","fancy"],"total":3,"hasMore":false}}`)
		prompt("tone", "c", "").is(`{"completion":{"values":["calm","Cross"],"total":2,"hasMore":false}}`)
		prompt("topic", "c", "").fails(-32603, "Error completing argument topic: no luck")
		prompt("stile", "c", "").fails(-32602, "prompt review has no argument stile (did you mean style?)")

		r := c.send("completion/complete", `"ref":{"type":"ref/resource","uri":"users://{id}/{part}"},"argument":{"name":"id","value":"u"}`, nobody)
		var got struct {
			Completion struct {
				Values  []string
				Total   int
				HasMore bool
			}
		}
		require.NoError(t, json.Unmarshal(r.raw, &got))
		require.Len(t, got.Completion.Values, 100)
		require.Equal(t, 120, got.Completion.Total)
		require.True(t, got.Completion.HasMore)

		c.send("completion/complete", `"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"x","value":""}`, nobody).fails(-32602, "Unknown prompt: nope")
		c.send("completion/complete", `"ref":{"type":"ref/resource","uri":"nope://x"},"argument":{"name":"x","value":""}`, nobody).fails(-32602, "Unknown resource: nope://x")
	})
}

func TestCapabilitiesSayWhatIsThere(t *testing.T) {
	host := serve(t, "def run(): pass\ntool(run)")
	const want = `{"logging":{},"completions":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`
	c := connect(t, host, rounds)
	require.JSONEq(t, want, c.send("server/discover", "", nobody).member("capabilities"))
	p := dial(t, host)
	m := p.request("initialize", json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`), nobody)
	require.Contains(t, string(m.Result), `"prompts":{"listChanged":true}`)
	var got struct{ Capabilities json.RawMessage }
	require.NoError(t, json.Unmarshal(m.Result, &got))
	require.JSONEq(t, want, string(got.Capabilities))
}

func TestAResourceOfTheServerIsReadInACall(t *testing.T) {
	onBoth(t, shelves+askingTemplate+`
def show(uri: str, ctx):
    return [(b.text or b.data, b.uri) for b in ctx.read_resource(uri)][0][0]
tool(show)
def copy(uri: str, ctx): return ctx.read_resource(uri)
tool(copy)
def loop(n: int, ctx): return ctx.read_resource("loop://%d" % (n + 1))
resource("loop://{n}", loop)
`, func(t *testing.T, c *client) {
		require.Equal(t, "always the same", c.call("show", `{"uri":"text://a"}`, nobody).text())
		require.Equal(t, "AAE=", c.call("show", `{"uri":"bytes://b"}`, nobody).text())
		require.Contains(t, c.call("show", `{"uri":"users://7/profile"}`, nobody).text(), `"id": 7`)
		c.send("tools/call", `"name":"copy","arguments":{"uri":"many://x"}`, nobody).is(`{"isError":false,"content":[
			{"type":"resource","resource":{"uri":"part://1","text":"one"}},
			{"type":"resource","resource":{"uri":"part://2","mimeType":"application/x","blob":"Aw=="}}]}`)
		require.Equal(t, `Error executing tool show: there is no resource "text://b" (did you mean text://a?)`,
			c.call("show", `{"uri":"text://b"}`, nobody).failure())
		require.Equal(t, `Error executing tool show: boom`, c.call("show", `{"uri":"bad://x"}`, nobody).failure())
		require.Contains(t, c.call("show", `{"uri":"secret://1"}`, nobody).failure(), "asks a question")
		require.Contains(t, c.call("show", `{"uri":"loop://1"}`, nobody).failure(), "resources read each other more than 20 deep")
	})
}
