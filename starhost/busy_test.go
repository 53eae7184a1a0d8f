package starhost_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Many clients of both revisions at once, on a server whose values they all share.
// The race detector is the judge here as much as the answers are.
func TestManyClientsAtOnceGetTheirOwnAnswers(t *testing.T) {
	host := serve(t, `
SHELF = {"Dune": [1, 2, 3]}
Order = model(copies = int)
def start(): return {"shelf": SHELF, "prices": store.memory()}
lifespan(start)
def look(title, ctx): return ctx.state["shelf"]["Dune"] + [len(title)]
def count(ctx): return ctx.state["prices"].add("calls", 1)
def ask(title, seen: resolve(look)): return elicit("How many of %s (%d)?" % (title, seen[-1]), Order)
def order(title: str, tags: list[str], seen: resolve(look), o: resolve(ask), n: resolve(count)) -> str:
    return "%d %s %s %s" % (o.copies, title, seen, tags)
tool(order)
`)
	url := online(t, host)
	const each = 20
	var all sync.WaitGroup
	for i := range 8 {
		revision := []string{handshake, rounds}[i%2]
		var c *client
		if i < 4 {
			c = connect(t, host, revision)
		} else {
			c = connectOnline(t, url, revision, allCapabilities)
		}
		all.Go(func() {
			for n := range each {
				title := strings.Repeat("x", i+1) + fmt.Sprint(n)
				played := c.call("order", fmt.Sprintf(`{"title":%q,"tags":["t%d"]}`, title, i), func(q question) string {
					if !strings.Contains(string(q.params), fmt.Sprintf("How many of %s (%d)?", title, len(title))) {
						return decline
					}
					return accept(fmt.Sprintf(`{"copies":%d}`, n))
				})
				want := fmt.Sprintf(`%d %s [1, 2, 3, %d] ["t%d"]`, n, title, len(title), i)
				if isError, text := played.content(); isError || text != want {
					t.Errorf("client %d, call %d: got %q, want %q", i, n, text, want)
				}
			}
		})
	}
	all.Wait()
}
