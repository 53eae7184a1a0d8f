package starhost_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// What a client hears while a call runs.

func TestALongWaitIsToldAsProgress(t *testing.T) {
	const script = `
def nap(told: bool, ctx):
    if told: ctx.progress(1, 4, "napping")
    ctx.sleep(25)
    ctx.progress(3, 4)
    return "rested"
tool(nap)
`
	for _, revision := range []string{handshake, rounds} {
		inBubble(t, revision, script, func(t *testing.T, c *client, _ *starhost.Host) {
			c.meta = `,"progressToken":"p7"`
			r := c.once("nap", `{"told":true}`, "", nobody)
			require.Equal(t, "rested", r.text())
			var last float64
			var count int
			for _, n := range c.pipe().notes {
				var p struct {
					ProgressToken json.RawMessage
					Progress      float64
					Total         float64
					Message       string
				}
				require.Equal(t, "notifications/progress", n.Method)
				require.NoError(t, json.Unmarshal(n.Params, &p))
				require.Equal(t, `"p7"`, string(p.ProgressToken))
				require.Greater(t, p.Progress, last)
				require.LessOrEqual(t, p.Progress, p.Total)
				last = p.Progress
				count++
			}
			require.Equal(t, 4, count, "the script's two, and one each ten seconds")
			require.Equal(t, 3.0, last)

			c.meta = ""
			c.pipe().notes = nil
			c.once("nap", `{"told":true}`, "", nobody)
			require.Empty(t, c.pipe().notes, "nobody asked to know")
		})
	}
}

func TestSleepEndsWithItsCall(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		inBubble(t, revision, "def nap(ctx): ctx.sleep(3600)\ntool(nap, timeout = 7200)", func(t *testing.T, c *client, _ *starhost.Host) {
			id := c.pipe().write("tools/call", c.params("nap", "", ""))
			synctest.Wait()
			began := time.Now()
			c.pipe().notify("notifications/cancelled", json.RawMessage(`{"requestId":`+id+`}`))
			synctest.Wait()
			require.Less(t, time.Since(began), time.Second)
		})
	}
}

func TestSleepWantsSeconds(t *testing.T) {
	onBoth(t, "def nap(n, ctx): ctx.sleep(n)\ntool(nap)", func(t *testing.T, c *client) {
		require.Contains(t, c.call("nap", `{"n":-1}`, nobody).failure(), "ctx.sleep: want a number of seconds, 0 or more, got -1 (int)")
		require.Nil(t, c.call("nap", `{"n":0}`, nobody).err)
	})
}
