package starhost_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/starhost"
	startesting "github.com/mcpstar/mcpstar/starhost/testing"
)

const hooked = `
loaded = time.now().year
Yes = model(yes = bool)
def make(): return {"state": time.now().year}
lifespan(make)
def look(name): return "looked for " + name
def confirm(seen: resolve(look)): return elicit("Take it at %d?" % time.now().year, Yes)
def take(name: str, seen: resolve(look), yes: resolve(confirm), ctx) -> str:
    return "%s %s %d %d %d %d" % (seen, yes.yes, loaded, ctx.state["state"], time.now().year, random.int(1, 1000000))
tool(take)
`

// take calls the tool once, and accepts.
func take(t *testing.T, test *starhost.Test, revision string) string {
	t.Helper()
	host, err := starhost.Load(t.Context(), fstest.MapFS{"shop.star": {Data: []byte(hooked)}}, starhost.Options{Test: test})
	require.NoError(t, err)
	client, err := startesting.Connect(t.Context(), host, startesting.Options{
		Revision: revision,
		Answer: func(context.Context, startesting.Question) (startesting.Answer, error) {
			return startesting.Answer{Result: json.RawMessage(`{"action":"accept","content":{"yes":true}}`)}, nil
		},
	})
	require.NoError(t, err)
	played, err := client.Call(t.Context(), "take", json.RawMessage(`{"name":"x"}`))
	require.NoError(t, err)
	require.NoError(t, client.Close())
	require.NoError(t, host.Close(t.Context()))
	var result struct{ Content []struct{ Text string } }
	require.NoError(t, json.Unmarshal(played.Result, &result))
	return result.Content[0].Text
}

func TestATestCanReplaceTheWorld(t *testing.T) {
	for _, revision := range []string{startesting.Rounds, startesting.Handshake} {
		world := func() *starhost.Test {
			n := uint64(0)
			return &starhost.Test{World: &engine.World{
				Now:     func() time.Time { return time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC) },
				Random:  func() uint64 { n++; return n },
				Reached: func(what string) { require.Fail(t, "all of it is scripted", what) },
			}}
		}
		first := take(t, world(), revision)
		require.Contains(t, first, "looked for x True 1999 1999 1999 ")
		require.Equal(t, first, take(t, world(), revision))
	}
}

func TestATestSeesWhatResolversDo(t *testing.T) {
	for revision, want := range map[string][]string{
		startesting.Rounds:    {"shop:look computed ", "shop:confirm asked ", "shop:look computed ", "shop:confirm answered accept", " ran "},
		startesting.Handshake: {"shop:look computed ", "shop:confirm asked ", "shop:confirm answered accept", " ran "},
	} {
		var seen []string
		take(t, &starhost.Test{Observe: func(tool string, e round.Event) {
			require.Equal(t, "take", tool)
			seen = append(seen, e.Key+" "+string(e.What)+" "+string(e.Action))
		}}, revision)
		require.Equal(t, want, seen, revision)
	}
}

func TestATestCanReplaceAResolver(t *testing.T) {
	instead := starlark.NewBuiltin("look", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return starlark.String("replaced"), nil
	})
	for _, revision := range []string{startesting.Rounds, startesting.Handshake} {
		require.Contains(t, take(t, &starhost.Test{Replace: func(key string) starlark.Callable {
			if key == "shop:look" {
				return instead
			}
			return nil
		}}, revision), "replaced True")
	}
}
