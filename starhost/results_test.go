package starhost_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// From what a tool returns to what the client gets.

// expectResults calls tools without arguments and compares content and structured
// content, both as JSON text; "" for structured content that must not be there.
func expectResults(t *testing.T, script string, want map[string][2]string) {
	t.Helper()
	onBoth(t, script, func(t *testing.T, c *client) {
		for tool, w := range want {
			played := c.call(tool, "", nobody)
			require.Equal(t, w[0], played.member("content"), tool)
			require.Equal(t, w[1], played.member("structuredContent"), tool)
			require.Equal(t, "false", played.member("isError"), tool)
			if c.revision == rounds {
				require.Equal(t, `"complete"`, played.member("resultType"))
				require.Contains(t, played.member("_meta"), `"io.modelcontextprotocol/serverInfo":{"name":"shop"`)
			} else {
				require.Empty(t, played.member("resultType"))
				require.NotContains(t, played.member("_meta"), "serverInfo")
			}
		}
	})
}

func text(s string) string { return `{"type":"text","text":` + s + `}` }

func TestResultsBecomeContentBlocks(t *testing.T) {
	expectResults(t, `
def word(): return "naïve <b> \"x\""
def number(): return 9007199254740993
def half(): return 2.0
def yes(): return True
def nothing(): return None
def table(): return {"b": [1, 2], "a": {"ü": None}}
def pair(): return (1, "two")
def many(): return ["one", 2, ["three", [4]], None, {"five": 5}]
def empty(): return []
def block(): return text("hi")
def blocks(): return [text("hi"), "there", image("aGk=", "image/png"), audio("aGk=", mime_type = "audio/wav")]
[tool(f) for f in [word, number, half, yes, nothing, table, pair, many, empty, block, blocks]]
`, map[string][2]string{
		"word":    {`[` + text(`"naïve <b> \"x\""`) + `]`, ``},
		"number":  {`[` + text(`"9007199254740993"`) + `]`, ``},
		"half":    {`[` + text(`"2.0"`) + `]`, ``},
		"yes":     {`[` + text(`"true"`) + `]`, ``},
		"nothing": {`[]`, ``},
		"table":   {`[` + text(`"{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": {\n    \"ü\": null\n  }\n}"`) + `]`, ``},
		"pair":    {`[` + text(`"1"`) + `,` + text(`"two"`) + `]`, ``},
		"many":    {`[` + text(`"one"`) + `,` + text(`"2"`) + `,` + text(`"three"`) + `,` + text(`"4"`) + `,` + text(`"{\n  \"five\": 5\n}"`) + `]`, ``},
		"empty":   {`[]`, ``},
		"block":   {`[` + text(`"hi"`) + `]`, ``},
		"blocks":  {`[` + text(`"hi"`) + `,` + text(`"there"`) + `,{"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"audio","data":"aGk=","mimeType":"audio/wav"}]`, ``},
	})
}

func TestStructuredContentFollowsTheReturnType(t *testing.T) {
	expectResults(t, `
Stock = model(title = str, copies = int, note = field(str | None, default = None))
def word() -> str: return "x"
def number() -> int: return 9007199254740993
def nothing() -> None: return None
def maybe() -> int | None: return None
def either() -> int | str: return "x"
def many() -> list[int]: return [1, 2]
def instance() -> Stock: return Stock(title = "Dune", copies = 7)
def loose_instance() -> Stock: return {"copies": "7", "title": "Dune"}
def instances() -> list[Stock]: return [Stock(title = "Dune", copies = 7)]
def table() -> dict[str, int]: return {"b": 1, "a": 2}
def anything() -> any: return 1
def bare() -> dict: return {"a": 1}
def raw() -> schema({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}): return {"n": 1}
[tool(f) for f in [word, number, nothing, maybe, either, many, instance, loose_instance, instances, table, anything, bare, raw]]
`, map[string][2]string{
		"word":           {`[` + text(`"x"`) + `]`, `{"result":"x"}`},
		"number":         {`[` + text(`"9007199254740993"`) + `]`, `{"result":9007199254740993}`},
		"nothing":        {`[]`, `{"result":null}`},
		"maybe":          {`[]`, `{"result":null}`},
		"either":         {`[` + text(`"x"`) + `]`, `{"result":"x"}`},
		"many":           {`[` + text(`"1"`) + `,` + text(`"2"`) + `]`, `{"result":[1,2]}`},
		"instance":       {`[` + text(`"{\n  \"title\": \"Dune\",\n  \"copies\": 7,\n  \"note\": null\n}"`) + `]`, `{"title":"Dune","copies":7,"note":null}`},
		"loose_instance": {`[` + text(`"{\n  \"copies\": \"7\",\n  \"title\": \"Dune\"\n}"`) + `]`, `{"title":"Dune","copies":7,"note":null}`},
		"instances":      {`[` + text(`"{\n  \"title\": \"Dune\",\n  \"copies\": 7,\n  \"note\": null\n}"`) + `]`, `{"result":[{"title":"Dune","copies":7,"note":null}]}`},
		"table":          {`[` + text(`"{\n  \"b\": 1,\n  \"a\": 2\n}"`) + `]`, `{"b":1,"a":2}`},
		"anything":       {`[` + text(`"1"`) + `]`, ``},
		"bare":           {`[` + text(`"{\n  \"a\": 1\n}"`) + `]`, ``},
		"raw":            {`[` + text(`"{\n  \"n\": 1\n}"`) + `]`, `{"n":1}`},
	})
}

// The text shows what was returned, the structured content what the type makes of it.
func TestReturnValueIsConvertedInStructuredContent(t *testing.T) {
	expectResults(t, `
def number() -> int: return "7"
tool(number)
`, map[string][2]string{"number": {`[` + text(`"7"`) + `]`, `{"result":7}`}})
}

func TestReturnValueMustFitItsType(t *testing.T) {
	onBoth(t, `
Stock = model(title = str, copies = int)
def number() -> int: return "seven"
def stock() -> Stock: return {"title": 7}
def word() -> str: return None
[tool(f) for f in [number, stock, word]]
`, func(t *testing.T, c *client) {
		for tool, first := range map[string]string{
			"number": "Error executing tool number: 1 validation error for numberOutput",
			"stock":  "Error executing tool stock: 2 validation errors for stockOutput",
			"word":   "Error executing tool word: 1 validation error for wordOutput",
		} {
			require.Equal(t, first, strings.Split(c.call(tool, "", nobody).failure(), "\n")[0])
		}
	})
}

func TestResultsThatJSONCanNotHoldAreErrors(t *testing.T) {
	onBoth(t, `
def infinite(): return float("inf")
def nan() -> float: return float("nan")
def mojibake(): return "café"[:4]
def deep_mojibake(): return {"a": ["ok", "café"[:4]]}
def typed_mojibake() -> str: return "café"[:4]
def bytes_(): return b"x"
def keys(): return {1: 2}
def fn(): return len
def itself():
    a = []
    a.append(a)
    return a
def large():
    return "x" * (64 << 20)
def bomb():
    a = ["x"]
    for _ in range(40):
        a = [a, a]
    return a
[tool(f) for f in [infinite, nan, mojibake, deep_mojibake, typed_mojibake, bytes_, keys, fn, itself, large, bomb]]
def fine(): return "fine"
tool(fine)
`, func(t *testing.T, c *client) {
		for _, tool := range []string{"infinite", "nan", "mojibake", "deep_mojibake", "typed_mojibake", "keys", "fn", "itself", "large", "bomb"} {
			failure := c.call(tool, "", nobody).failure()
			require.Contains(t, failure, "Error executing tool "+tool+": ")
			require.Less(t, len(failure), 600, tool)
		}
		require.Contains(t, c.call("large", "", nobody).failure(), "too large")
		require.Contains(t, c.call("mojibake", "", nobody).failure(), "UTF-8")
		require.Equal(t, "fine", c.call("fine", "", nobody).text())
	})
}

func TestErrorResultsCarryNoStructuredContent(t *testing.T) {
	onBoth(t, `
def number() -> int: fail("no number today")
tool(number)
`, func(t *testing.T, c *client) {
		played := c.call("number", "", nobody)
		require.Equal(t, "Error executing tool number: no number today", played.failure())
		require.Equal(t, "true", played.member("isError"))
		require.Empty(t, played.member("structuredContent"))
	})
}

func TestResultKeepsTheOrderOfItsKeys(t *testing.T) {
	onBoth(t, `
def run(x: dict) -> dict[str, any]: return x
tool(run)
`, func(t *testing.T, c *client) {
		const in = `{"z":1,"a":{"y":[{"d":1,"c":2}],"b":null},"m":1.50,"e":1e2}`
		got := c.call("run", `{"x":`+in+`}`, nobody).member("structuredContent")
		require.JSONEq(t, in, got)
		require.Equal(t, []string{"z", "a", "m", "e"}, keysOf(t, json.RawMessage(got)))
	})
}

func keysOf(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	var keys []string
	for _, m := range membersOf(t, object) {
		keys = append(keys, m.key)
	}
	return keys
}
