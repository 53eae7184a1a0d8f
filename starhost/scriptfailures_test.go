package starhost

import (
	"log/slog"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

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
