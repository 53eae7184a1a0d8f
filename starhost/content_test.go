package starhost_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContentBlocksCarryWhatTheProtocolHas(t *testing.T) {
	onBoth(t, `
def show():
    return [
        text("t", annotations = {"audience": ["user"], "priority": 1}, meta = {"a": 1}),
        image(b"\x00", "image/png", annotations = {"lastModified": "2026-05-31"}),
        audio(b"\x01", "audio/wav", meta = {"b": None}),
        embed("a://b", "held", mime_type = "text/x", annotations = {"priority": 0}),
        embed("a://c", b"\xff", meta = {"c": [1]}),
        link("a://d"),
        link("a://e", name = "e", title = "E", description = "Five", mime_type = "text/y", size = 5,
             icons = [{"src": "https://x/y.png", "sizes": ["48x48"]}], annotations = {"audience": ["assistant"]}, meta = {"d": 1}),
    ]
tool(show)
`, func(t *testing.T, c *client) {
		c.send("tools/call", `"name":"show"`, nobody).is(`{"isError":false,"content":[
			{"type":"text","text":"t","annotations":{"audience":["user"],"priority":1},"_meta":{"a":1}},
			{"type":"image","data":"AA==","mimeType":"image/png","annotations":{"lastModified":"2026-05-31"}},
			{"type":"audio","data":"AQ==","mimeType":"audio/wav","_meta":{"b":null}},
			{"type":"resource","resource":{"uri":"a://b","mimeType":"text/x","text":"held"},"annotations":{"priority":0}},
			{"type":"resource","resource":{"uri":"a://c","blob":"/w=="},"_meta":{"c":[1]}},
			{"type":"resource_link","uri":"a://d","name":"a://d"},
			{"type":"resource_link","uri":"a://e","name":"e","title":"E","description":"Five","mimeType":"text/y","size":5,
			 "icons":[{"src":"https://x/y.png","sizes":["48x48"]}],"annotations":{"audience":["assistant"]},"_meta":{"d":1}}]}`)
	})
}

func TestAResultMayBeMadeByHand(t *testing.T) {
	onBoth(t, `
Stock = model(title = str, copies = int)
def plain(): return result(content = ["a", link("x://y")], meta = {"k": 1})
tool(plain)
def error() -> Stock: return result(content = "no luck", is_error = True, structured = {"why": "rain"})
tool(error)
def typed() -> Stock: return result(content = "seven", structured = {"title": "Dune", "copies": "7"})
tool(typed)
def wrapped() -> int: return result(structured = 7)
tool(wrapped)
def free(): return result(structured = {"any": ["thing"]})
tool(free)
def empty(): return result()
tool(empty)
def misfit() -> Stock: return result(structured = {"title": "Dune"})
tool(misfit)
def missing() -> Stock: return result(content = "x")
tool(missing)
def scalar(): return result(structured = 5)
tool(scalar)
def optional(ok: bool) -> str | input_required: return "ok"
tool(optional)
`, func(t *testing.T, c *client) {
		call := func(name string) reply {
			return c.send("tools/call", `"name":"`+name+`","arguments":{"ok":true}`, nobody)
		}
		call("plain").is(`{"isError":false,"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"x://y","name":"x://y"}],"_meta":{"k":1}}`)
		call("error").is(`{"isError":true,"content":[{"type":"text","text":"no luck"}],"structuredContent":{"why":"rain"}}`)
		call("typed").is(`{"isError":false,"content":[{"type":"text","text":"seven"}],"structuredContent":{"title":"Dune","copies":7}}`)
		call("wrapped").is(`{"isError":false,"content":[{"type":"text","text":"7"}],"structuredContent":{"result":7}}`)
		call("free").is(`{"isError":false,"content":[{"type":"text","text":"{\n  \"any\": [\n    \"thing\"\n  ]\n}"}],"structuredContent":{"any":["thing"]}}`)
		call("empty").is(`{"isError":false,"content":[]}`)
		require.Contains(t, call("misfit").failure(), "1 validation error for misfitOutput\ncopies: expected an integer, got nothing")
		require.Contains(t, call("missing").failure(), "write result(structured = ...)")
		require.Contains(t, call("scalar").failure(), "structured is a dict or a model, got 5 (int)")
		call("optional").is(`{"isError":false,"content":[{"type":"text","text":"ok"}],"structuredContent":{"result":"ok"}}`)
	})
}

func TestASchemaIsShownAsItWasWritten(t *testing.T) {
	const shown = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"a":{"$anchor":"A","type":"integer","default":3,"x-own":[null]}},` +
		`"properties":{"n":{"$ref":"#A"},"region":{"type":"string","x-mcp-header":"Region"},"deep":{"type":"object","properties":{"d":{"default":1.5}}}},` +
		`"if":{"required":["region"]},"then":{"required":["n"]},"unevaluatedProperties":false}`
	onBoth(t, `
def run(n, region, deep, ctx): return [n, region, deep]
tool(run, input_schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
    "$defs": {"a": {"$anchor": "A", "type": "integer", "default": 3, "x-own": [None]}},
    "properties": {"n": {"$ref": "#A"}, "region": {"type": "string", "x-mcp-header": "Region"},
                   "deep": {"type": "object", "properties": {"d": {"default": 1.5}}}},
    "if": {"required": ["region"]}, "then": {"required": ["n"]}, "unevaluatedProperties": False,
})
`, func(t *testing.T, c *client) {
		require.Contains(t, c.send("tools/list", "", nobody).member("tools"), `"inputSchema":`+shown)
		content := func(arguments string) string {
			r := c.send("tools/call", `"name":"run","arguments":`+arguments, nobody)
			return r.member("content")
		}
		require.Contains(t, content(`{"n":9007199254740993,"region":"eu"}`), `"9007199254740993"`)
		require.Contains(t, content(`{"deep":{}}`), `\"d\": 1.5`)
		require.Contains(t, c.call("run", `{"region":"eu"}`, nobody).failure(), "1 validation error for runArguments\nexpected arguments that fit the tool's schema, got this:")
		require.Contains(t, c.call("run", `{"n":"x"}`, nobody).failure(), "validation error for runArguments")
		require.Contains(t, c.call("run", `{"more":1}`, nobody).failure(), "validation error for runArguments")
	})
}
