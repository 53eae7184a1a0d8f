package starhost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/wire"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// What the model sees.

// list is the result of tools/list.
func (c *client) list() json.RawMessage {
	c.t.Helper()
	m := c.request("tools/list", json.RawMessage(`{`+strings.TrimPrefix(c.envelope(), ",")+`}`), nobody)
	require.Nil(c.t, m.Error)
	return m.Result
}

// shown is one tool as tools/list shows it.
func (c *client) shown(name string) map[string]json.RawMessage {
	c.t.Helper()
	var list struct{ Tools []map[string]json.RawMessage }
	require.NoError(c.t, json.Unmarshal(c.list(), &list))
	for _, tool := range list.Tools {
		if string(tool["name"]) == fmt.Sprintf("%q", name) {
			return tool
		}
	}
	require.Failf(c.t, "no such tool", name)
	return nil
}

const reserve = `
Stock = model(title = str, copies = int)

def check_stock(title: str) -> Stock:
    return Stock(title = title, copies = {"Dune": 7}.get(title, 0))

def reserve_book(title: str, stock: resolve(check_stock), ctx) -> str:
    """Reserve a copy of a book."""
    return "%s: %d" % (title, stock.copies)

tool(reserve_book)
`

func TestResolvedParameterIsInvisible(t *testing.T) {
	onBoth(t, reserve, func(t *testing.T, c *client) {
		require.JSONEq(t, `{"type":"object","properties":{"title":{"title":"Title","type":"string"}},"required":["title"],"title":"reserve_bookArguments"}`,
			string(c.shown("reserve_book")["inputSchema"]))
		require.NotContains(t, string(c.list()), "stock")
		require.NotContains(t, string(c.list()), "ctx")
	})
}

func TestResolvedParameterIsFilled(t *testing.T) {
	onBoth(t, reserve, func(t *testing.T, c *client) {
		require.Equal(t, "Dune: 7", c.call("reserve_book", `{"title":"Dune"}`, nobody).text())
		require.Equal(t, "Solaris: 0", c.call("reserve_book", `{"title":"Solaris"}`, nobody).text())
	})
}

func TestClientSentValueForAResolvedParameterIsIgnored(t *testing.T) {
	onBoth(t, reserve, func(t *testing.T, c *client) {
		for _, value := range []string{`{"title":"Dune","copies":99}`, `99`, `"lots"`, `null`, `[{}]`} {
			require.Equal(t, "Dune: 7", c.call("reserve_book", `{"title":"Dune","stock":`+value+`,"ctx":1}`, nobody).text())
		}
	})
}

const described = `
def bare():
    return 1

def with_docstring():
    """Says hello.

    To everybody.
    """
    return 1

def with_arguments(name: str, loud: bool = False) -> str:
    """Says hello to one.

    Args:
        name: whom to greet,
            by first name
        loud: in capitals
    """
    return name

def other():
    """Not this."""
    return 1

tool(bare)
tool(with_docstring)
tool(with_arguments)
tool(other, name = "renamed", title = "Another", description = "This.",
    annotations = {"readOnlyHint": True}, icons = [{"src": "https://example.com/i.png"}], meta = {"team": "a"})
`

func TestDescriptionIsTheDocstring(t *testing.T) {
	onBoth(t, described, func(t *testing.T, c *client) {
		require.Equal(t, `""`, string(c.shown("bare")["description"]), "always there")
		require.Equal(t, `"Says hello.\n\nTo everybody.\n"`, string(c.shown("with_docstring")["description"]))

		renamed := c.shown("renamed")
		require.Equal(t, `"This."`, string(renamed["description"]))
		require.Equal(t, `"Another"`, string(renamed["title"]))
		require.JSONEq(t, `{"readOnlyHint":true}`, string(renamed["annotations"]))
		require.JSONEq(t, `[{"src":"https://example.com/i.png"}]`, string(renamed["icons"]))
		require.JSONEq(t, `{"team":"a"}`, string(renamed["_meta"]))
		require.Contains(t, string(renamed["inputSchema"]), `"title":"otherArguments"`, "the function's name")
	})
}

func TestArgsSectionDescribesTheParameters(t *testing.T) {
	onBoth(t, described, func(t *testing.T, c *client) {
		tool := c.shown("with_arguments")
		require.Equal(t, `"Says hello to one."`, string(tool["description"]))
		require.JSONEq(t, `{"type":"object","properties":{
			"name":{"title":"Name","type":"string","description":"whom to greet, by first name"},
			"loud":{"title":"Loud","type":"boolean","default":false,"description":"in capitals"}
			},"required":["name"],"title":"with_argumentsArguments"}`, string(tool["inputSchema"]))
	})
}

func TestToolWithoutArgumentsHasAnEmptyObjectSchema(t *testing.T) {
	onBoth(t, described, func(t *testing.T, c *client) {
		require.JSONEq(t, `{"type":"object","properties":{},"title":"bareArguments"}`, string(c.shown("bare")["inputSchema"]))
	})
}

func TestOptionalParameterIsThePlainType(t *testing.T) {
	onBoth(t, `
def note(text: str | None = None, size: int | None = None) -> str:
    return "%s %s" % (text, size)
tool(note)
`, func(t *testing.T, c *client) {
		require.JSONEq(t, `{"type":"object","properties":{"text":{"title":"Text","type":"string"},"size":{"title":"Size","type":"integer"}},"title":"noteArguments"}`,
			string(c.shown("note")["inputSchema"]))
		for _, arguments := range []string{``, `{}`, `{"text":null}`, `{"text":null,"size":null}`} {
			require.Equal(t, "None None", c.call("note", arguments, nobody).text(), arguments)
		}
	})
}

func TestModelsAreInlined(t *testing.T) {
	onBoth(t, `
Point = model(x = int, y = int)
def move(to: Point, via: list[Point] = []) -> Point:
    return to
tool(move)
`, func(t *testing.T, c *client) {
		point := `{"properties":{"x":{"title":"X","type":"integer"},"y":{"title":"Y","type":"integer"}},"required":["x","y"],"title":"Point","type":"object"}`
		tool := c.shown("move")
		var in struct{ Properties map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal(tool["inputSchema"], &in))
		require.JSONEq(t, point, string(in.Properties["to"]))
		require.Contains(t, string(in.Properties["via"]), `"items":{`)
		require.JSONEq(t, point, string(tool["outputSchema"]))
		require.NotContains(t, string(c.list()), "$ref")
		require.NotContains(t, string(c.list()), "$defs")
	})
}

func TestOutputSchemaFollowsTheReturnType(t *testing.T) {
	onBoth(t, `
Stock = model(title = str, copies = int)
def none(): return 1
def anything() -> any: return 1
def loose() -> dict: return {}
def scalar() -> int: return 1
def many() -> list[str]: return []
def maybe() -> int | None: return None
def nothing() -> None: return None
def instance() -> Stock: return Stock(title = "x", copies = 1)
def table() -> dict[str, int]: return {}
[tool(f) for f in [none, anything, loose, scalar, many, maybe, nothing, instance, table]]
`, func(t *testing.T, c *client) {
		for _, name := range []string{"none", "anything", "loose"} {
			require.NotContains(t, c.shown(name), "outputSchema", name)
		}
		wrapped := func(name, inner string) string {
			return `{"type":"object","properties":{"result":` + inner + `},"required":["result"],"title":"` + name + `Output"}`
		}
		for name, want := range map[string]string{
			"scalar":   wrapped("scalar", `{"title":"Result","type":"integer"}`),
			"many":     wrapped("many", `{"title":"Result","type":"array","items":{"type":"string"}}`),
			"maybe":    wrapped("maybe", `{"title":"Result","anyOf":[{"type":"integer"},{"type":"null"}]}`),
			"nothing":  wrapped("nothing", `{"title":"Result","type":"null"}`),
			"instance": `{"type":"object","properties":{"title":{"title":"Title","type":"string"},"copies":{"title":"Copies","type":"integer"}},"required":["title","copies"],"title":"Stock"}`,
			"table":    `{"type":"object","additionalProperties":{"type":"integer"},"title":"tableDictOutput"}`,
		} {
			require.JSONEq(t, want, string(c.shown(name)["outputSchema"]), name)
		}
	})
}

func TestToolsListIsOnePageInNameOrder(t *testing.T) {
	onBoth(t, `
def b(): return 1
def a(): return 1
def C(): return 1
[tool(f) for f in [b, a, C]]
`, func(t *testing.T, c *client) {
		var list struct {
			Tools      []struct{ Name string }
			NextCursor *string
			ResultType string
			TTL        *int   `json:"ttlMs"`
			CacheScope string `json:"cacheScope"`
			Meta       map[string]struct{ Name, Version string }
		}
		text := c.list()
		require.NoError(t, json.Unmarshal(text, &list))
		require.Nil(t, list.NextCursor)
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		require.Equal(t, []string{"C", "a", "b"}, names)
		require.Equal(t, string(text), string(c.list()), "byte for byte the same when asked again")
		if c.revision == handshake {
			for _, key := range []string{"resultType", "ttlMs", "cacheScope"} {
				require.NotContains(t, string(text), key)
			}
			return
		}
		require.Equal(t, "complete", list.ResultType)
		require.NotNil(t, list.TTL)
		require.Zero(t, *list.TTL)
		require.Equal(t, "private", list.CacheScope)
		require.Contains(t, string(text), `"io.modelcontextprotocol/serverInfo":{"name":"shop","version":`)
	})
}

func TestToolsAreTheSameOnBothRevisions(t *testing.T) {
	host := serve(t, described)
	members := func(revision string) string {
		for _, m := range membersOf(t, connect(t, host, revision).list()) {
			if m.key == "tools" {
				return string(m.value)
			}
		}
		return ""
	}
	require.Contains(t, members(handshake), "with_docstring")
	require.Equal(t, members(handshake), members(rounds), "byte for byte")
}

func TestChangedToolsAreListedAndToldOnce(t *testing.T) {
	version := func(script string) *load.Snapshot {
		s, err := load.Load(context.Background(), load.Options{Root: files(script), Entry: "shop.star"})
		require.NoError(t, err)
		return s
	}
	first := version("def a(): return 1\ntool(a)")
	second := version("def b(): return 1\ndef c(): return 1\ntool(b)\ntool(c)")
	scripts := calls.New(first, starlark.None, calls.Options{})
	server := wire.New(scripts, wire.Options{})
	conn, transport := frame.Pipe(frame.StdioOptions{})
	served := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() { served <- server.Serve(ctx, transport) }()
	p := &pipe{t: t, conn: conn, frames: make(chan message, 100), broken: make(chan error, 1)}
	go p.read()
	defer func() { _ = conn.Close(); stop(); <-served }()
	c := &client{connection: p, t: t, revision: handshake, declares: allCapabilities}
	c.greet()

	require.Contains(t, string(c.list()), `"name":"a"`)
	scripts.Publish(second, starlark.None)
	note := p.next()
	require.Equal(t, "notifications/tools/list_changed", note.Method)
	require.NotContains(t, string(c.list()), `"name":"a"`)
	require.Contains(t, string(c.list()), `"name":"b"`)
	require.Contains(t, string(c.list()), `"name":"c"`)
	require.Equal(t, "Unknown tool: a", c.call("a", "", nobody).failure())
	require.Empty(t, p.notes, "one notification for the whole change")
}
