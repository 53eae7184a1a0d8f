package cover

import (
	"context"
	"encoding/json"
	"strings"
	gotesting "testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/testing"
)

const shop = `"""A shop."""

Yes = model(yes = bool)

def confirm(n: int) -> Yes:
    """Asks for many only."""
    if n < 10:
        return Yes(yes = True)
    elif n > 100:
        fail("too many")
    return elicit("Sure?", Yes)

def folders():
    return list_roots()

def order(n: int, yes: resolve(confirm)) -> str:
    for i in range(n):
        if i == 500:
            return "never"
    return "ordered"

def where(f: resolve(folders)) -> str:
    return "here"

def review(code: str) -> str:
    return code

tool(order)
tool(where)
prompt(review)
`

// play calls order with each of the arguments, and answers what is asked.
func play(t *gotesting.T, c *Coverage, answer string, calls ...string) string {
	t.Helper()
	o := starhost.Options{Entry: "shop.star"}
	c.Watch("shop", &o)
	host, err := starhost.Load(t.Context(), fstest.MapFS{"shop.star": {Data: []byte(shop)}}, o)
	require.NoError(t, err)
	c.Loaded("shop", host.Snapshot())
	for _, args := range calls {
		client, err := testing.Connect(t.Context(), host, testing.Options{
			Answer: func(context.Context, testing.Question) (testing.Answer, error) {
				return testing.Answer{Result: json.RawMessage(answer)}, nil
			},
		})
		require.NoError(t, err)
		_, err = client.Call(t.Context(), "order", json.RawMessage(args))
		require.NoError(t, err)
		require.NoError(t, client.Close())
	}
	var out strings.Builder
	require.NoError(t, c.Report(&out))
	return out.String()
}

func TestCoverageGrowsWithTheCalls(t *gotesting.T) {
	c := new(Coverage)
	require.Equal(t, `shop/shop.star: 42% of 21 lines, not 7-11, 14, 17-20, 23, 26
shop: tool order never ran
shop: prompt review never ran
shop: tool where never ran
shop: resolver shop:confirm: never ran
shop: resolver shop:folders: never ran
`, play(t, c, ""))
	require.Equal(t, `shop/shop.star: 66% of 21 lines, not 9-11, 14, 19, 23, 26
shop: prompt review never ran
shop: tool where never ran
shop: resolver shop:confirm: never asked, never declined
shop: resolver shop:folders: never ran
`, play(t, c, "", `{"n": 3}`))
	require.Contains(t, play(t, c, `{"action":"accept","content":{"yes":true}}`, `{"n": 30}`), "shop:confirm: never declined\n")
	report := play(t, c, `{"action":"decline"}`, `{"n": 30}`, `{"n": 300}`)
	require.NotContains(t, report, "shop:confirm")
	require.Contains(t, report, "not 14, 19, 23, 26\n")
}
