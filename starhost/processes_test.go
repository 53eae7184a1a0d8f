package starhost_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost"
)

// What several instances of a server must agree on, whichever of them answers.

// inProcess, set in the environment, makes the test below print what one process
// makes of a server instead of comparing what five of them do.
const inProcess = "MCPSTAR_TEST_PROCESS"

const compared = `
Stock = model(title = str, copies = int)
Order = describe(model(
    copies = field(int, ge = 1, le = 9), wrap = field(bool, default = False), size = enum(s = "Small", l = "Large"),
    colours = list[enum("red", "green", "blue")], note = field(str | None, max_length = 9, default = None)), "What to order")
def ask_copies(title): return elicit("How many of %s?" % title, Order)
def raw(title): return elicit("More about %s?" % title, schema({"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "integer"}}}))
def suggest(title): return sample(
    [{"role": "user", "content": {"type": "text", "text": "Like %s?" % title}}], max_tokens = 50, metadata = {"z": 1, "a": {"y": 2, "b": 3}},
    model_preferences = {"costPriority": 0.5, "hints": [{"name": "x"}]})
def roots(): return list_roots()
def open_it(title): return elicit_url("Open %s" % title, "https://example.com/" + title)
def order(
    title: str, options: dict[str, int | str | None], stock: list[Stock],
    a: resolve(ask_copies), b: resolve(suggest), c: resolve(roots), d: resolve(open_it), e: resolve(lambda: elicit("?", Order), key = "my:key"),
    f: resolve(raw)) -> dict[str, Stock]:
    """Order."""
    return {}
tool(order, annotations = {"readOnlyHint": True, "openWorldHint": False})
tool(raw, name = "another")
`

const comparedArguments = `{"title":"Dune","options":{"z":1,"a":"x"},"stock":[{"title":"Dune","copies":1}]}`

// The test runs itself five times, each time as a process of its own.
func TestFiveProcessesAgreeOnDigestsKeysAndTools(t *testing.T) {
	if os.Getenv(inProcess) != "" {
		fmt.Printf("<<<%s>>>", whatOneProcessMakes(t))
		return
	}
	var first string
	for range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), inProcess+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		_, text, found := strings.Cut(string(out), "<<<")
		require.True(t, found, string(out))
		text, _, found = strings.Cut(text, ">>>")
		require.True(t, found)
		if first == "" {
			first = text
		}
		require.Equal(t, first, text)
	}
	for _, part := range []string{`"inputSchema"`, "shop:ask_copies", "shop:suggest", "shop:roots", "shop:open_it", "my:key", "shop:raw"} {
		require.Contains(t, first, part)
	}
}

// whatOneProcessMakes is tools/list and, for each question of a call, its wire key,
// its params and the digest that its answer is pinned to.
func whatOneProcessMakes(t *testing.T) string {
	t.Helper()
	keys := [][]byte{[]byte(stateKey)}
	c := connect(t, serveWith(t, compared, starhost.Options{StateKeys: keys}), rounds)
	asked := c.once("order", comparedArguments, "", nobody)

	ring, err := seal.NewRing(keys...)
	require.NoError(t, err)
	arguments, err := seal.ArgumentsDigest(json.RawMessage(comparedArguments))
	require.NoError(t, err)
	state, err := ring.Open(asked.state, seal.Binding{Method: "tools/call", Target: "order", Arguments: arguments, Audience: "shop"}, time.Now())
	require.NoError(t, err)
	pins := round.DecodeState(state).Asked
	require.Len(t, pins, len(asked.asked))

	text := string(c.list())
	for i, q := range asked.asked {
		require.Equal(t, q.key, pins[i].Key)
		require.Len(t, pins[i].Digest, 22)
		text += fmt.Sprintf("\n%s %s %s", q, pins[i].Digest, arguments)
	}
	return text
}
