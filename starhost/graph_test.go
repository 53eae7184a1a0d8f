package starhost_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost"
)

// How the graph of resolvers runs.

const traced = `
def d(): print("d"); return 1
def c(x: resolve(d)): print("c"); return x
def b(y: resolve(d)): print("b"); return y
def a(p: resolve(b), q: resolve(c)): print("a"); return p + q
def late(): print("late"); return 0
def run(n: int, one: resolve(a), two: resolve(c), three: resolve(late), four: resolve(d)) -> str:
    print("run")
    return "%d" % (one + two + four)
tool(run)
`

func TestGraphRunsInAFixedOrder(t *testing.T) {
	onBothPrinting(t, traced, func(t *testing.T, c *client, out *printout) {
		for range 20 {
			require.Equal(t, "4", c.call("run", `{"n":1}`, nobody).text())
			require.Equal(t, []string{"d", "b", "c", "a", "late", "run"}, out.take())
		}
	})
}

func TestResolverRunsOnceARound(t *testing.T) {
	onBothPrinting(t, traced, func(t *testing.T, c *client, out *printout) {
		c.call("run", `{"n":1}`, nobody).text()
		counts := map[string]int{}
		for _, line := range out.take() {
			counts[line]++
		}
		require.Equal(t, map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "late": 1, "run": 1}, counts)
	})
}

func TestNothingIsRememberedBetweenCalls(t *testing.T) {
	onBothPrinting(t, `
Yes = model(yes = bool)
def look(): print("look"); return 1
def confirm(n): return elicit("Sure about %d?" % n, Yes)
def run(n: int, seen: resolve(look), yes: resolve(confirm)) -> str: return "%s" % yes.yes
tool(run)
`, func(t *testing.T, c *client, out *printout) {
		for _, answer := range []string{"true", "false"} {
			played := c.call("run", `{"n":1}`, answering("Sure", accept(`{"yes":`+answer+`}`)))
			require.Len(t, played.asked, 1, "asked again in the next call")
			require.Equal(t, map[string]string{"true": "True", "false": "False"}[answer], played.text())
			require.Contains(t, out.take(), "look")
		}
	})
}

// A resolver is its function: two names for one are one, two functions from one
// factory are two.
func TestResolverIdentityIsTheFunction(t *testing.T) {
	onBothPrinting(t, `
def look(): print("look"); return 1
peek = look
def counter(name):
    def count(): print("count " + name); return name
    return count
first, second = counter("first"), counter("second")
def run(a: resolve(look), b: resolve(peek), c: resolve(first, key = "counter:first"),
        d: resolve(second, key = "counter:second"), e: resolve(first, key = "counter:first"),
        f: resolve(lambda: print("lambda") or 7, key = "seven")) -> str:
    return "%s %s %s %s %s %s" % (a, b, c, d, e, f)
tool(run)
`, func(t *testing.T, c *client, out *printout) {
		require.Equal(t, "1 1 first second first 7", c.call("run", "", nobody).text())
		require.Equal(t, []string{"look", "count first", "count second", "lambda"}, out.take())
	})
}

func TestResolverWrittenInGoIsLikeAnyOther(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) {
			ran := 0
			host := serveWith(t, `
def double(n, user: resolve(current_user, key = "app:user")): return user * n
def run(n: int, twice: resolve(double), user: resolve(current_user, key = "app:user")) -> str:
    return twice + "/" + user
tool(run)
`, starhost.Options{Resolvers: []starhost.Resolver{{
				Name: "current_user", Params: []string{"n", "ctx"},
				Func: func(ctx context.Context, args []starlark.Value) (starlark.Value, error) {
					ran++
					if args[0].String() == "13" {
						return nil, errors.New("no user number 13")
					}
					return starlark.String("u" + args[0].String()), nil
				},
			}}})
			c := connect(t, host, revision)
			require.Equal(t, "u2u2/u2", c.call("run", `{"n":2}`, nobody).text())
			require.Equal(t, 1, ran)
			require.Equal(t, "Error executing tool run: no user number 13", c.call("run", `{"n":13}`, nobody).failure())
		})
	}
}

func TestResolverMayReturnAnything(t *testing.T) {
	onBoth(t, `
def nothing(): return None
def pair(): return (1, "two")
def many(): return {"a": [1, {"b": None}]}
def fn(): return len
def run(a: resolve(nothing), b: resolve(pair), c: resolve(many), d: resolve(fn)) -> str:
    return "%r %r %r %d" % (a, b, c, d("four"))
tool(run)
`, func(t *testing.T, c *client) {
		require.Equal(t, `None (1, "two") {"a": [1, {"b": None}]} 4`, c.call("run", "", nobody).text())
	})
}

func TestResolverResultIsCheckedAgainstItsType(t *testing.T) {
	onBoth(t, `
Stock = model(title = str, copies = int)
def wrong(how) -> Stock:
    return {"dict": {"title": "Dune", "copies": "7"}, "none": None, "bad": {"title": 1, "copies": "x"}}[how]
def run(how: str, stock: resolve(wrong)) -> str: return repr(stock)
tool(run)
`, func(t *testing.T, c *client) {
		require.Equal(t, `Stock(title = "Dune", copies = 7)`, c.call("run", `{"how":"dict"}`, nobody).text(), "converted like an argument")
		require.Contains(t, c.call("run", `{"how":"none"}`, nobody).failure(),
			"Error executing tool run: resolver wrong() is declared -> Stock, but: ")
		failure := c.call("run", `{"how":"bad"}`, nobody).failure()
		require.Contains(t, failure, "title: ")
		require.Contains(t, failure, "copies: ")
	})
}

// What a parameter gets of an outcome.
const consumers = `
Order = model(copies = int)
def ask(title): return elicit("How many of %s?" % title, Order)
def compute(): return 5
def both(title: str, plain: resolve(ask), whole: resolve(ask, outcome = True)) -> str:
    return "%d %s" % (plain.copies, whole.action)
def whole(title: str, got: resolve(ask, outcome = True), computed: resolve(compute, outcome = True)) -> str:
    return "%s %r %s %d" % (got.action, got.data, computed.action, computed.data)
tool(both)
tool(whole)
`

func TestConsumerMayTakeTheWholeOutcome(t *testing.T) {
	onBoth(t, consumers, func(t *testing.T, c *client) {
		for answer, want := range map[string]string{
			accept(`{"copies":2}`): "accept Order(copies = 2) accept 5",
			decline:                "decline None accept 5",
			cancel:                 "cancel None accept 5",
		} {
			require.Equal(t, want, c.call("whole", `{"title":"Dune"}`, answering("How many", answer)).text())
		}
	})
}

func TestOneQuestionFeedsBothKindsOfConsumer(t *testing.T) {
	onBoth(t, consumers, func(t *testing.T, c *client) {
		played := c.call("both", `{"title":"Dune"}`, answering("How many", accept(`{"copies":2}`)))
		require.Equal(t, "2 accept", played.text())
		require.Len(t, played.asked, 1)
		require.Len(t, played.asked[0], 1)
		require.Equal(t, "Error executing tool both: Resolver for parameter 'plain' could not resolve: elicitation was decline",
			c.call("both", `{"title":"Dune"}`, answering("How many", decline)).failure())
	})
}

// An error ends the call at once: on 2026-07-28 questions that were collected
// before it are not sent.
func TestFailureOfAResolverEndsTheCallAtOnce(t *testing.T) {
	onBothPrinting(t, `
Yes = model(yes = bool)
def confirm(): return elicit("Sure?", Yes)
def broken(): fail("the shop is closed")
def late(): print("late")
def run(a: resolve(confirm), b: resolve(broken), c: resolve(late)) -> str: print("run"); return "ran"
tool(run)
`, func(t *testing.T, c *client, out *printout) {
		played := c.call("run", "", answering("Sure", accept(`{"yes":true}`)))
		require.Equal(t, "Error executing tool run: the shop is closed", played.failure())
		require.Equal(t, 1, played.rounds)
		require.Empty(t, out.take())
		if c.revision == rounds {
			require.Empty(t, played.asked, "nobody was asked in vain")
		}
	})
}

func TestResolverWithoutItsDependencyDoesNotRun(t *testing.T) {
	onBothPrinting(t, `
Yes = model(yes = bool)
def confirm(): print("confirm"); return elicit("Sure?", Yes)
def deliver(yes: resolve(confirm)): print("deliver"); return 1
def price(): print("price"); return 1
def run(a: resolve(deliver), b: resolve(price)) -> str: print("run"); return "ran"
tool(run)
`, func(t *testing.T, c *client, out *printout) {
		played := c.call("run", "", answering("Sure", accept(`{"yes":true}`)))
		require.Equal(t, "ran", played.text())
		if c.revision == handshake {
			require.Equal(t, []string{"confirm", "deliver", "price", "run"}, out.take())
			return
		}
		require.Equal(t, []string{"confirm", "price", "confirm", "deliver", "price", "run"}, out.take())
	})
}

func TestOneCallDoesNotHoldUpAnother(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) {
			entered, leave := make(chan struct{}), make(chan struct{})
			host := serveWith(t, `
def slow(seen: resolve(stuck, key = "stuck")) -> str: return "slow"
def quick() -> str: return "quick"
tool(slow)
tool(quick)
`, starhost.Options{Resolvers: []starhost.Resolver{{Name: "stuck", Func: func(context.Context, []starlark.Value) (starlark.Value, error) {
				close(entered)
				<-leave
				return nil, nil
			}}}})
			c := connect(t, host, revision)
			slow := c.pipe().write("tools/call", c.params("slow", "", ""))
			<-entered
			require.Equal(t, "quick", c.call("quick", "", nobody).text())
			close(leave)
			m := c.pipe().next()
			require.Equal(t, slow, string(m.ID))
			require.Contains(t, string(m.Result), `"slow"`)
		})
	}
}

func TestEndlessScriptIsStopped(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) {
			c := connect(t, serveWith(t, `
def spin():
    while True: pass
def dig(n): return dig(n + 1)
def deep(): return attempt(dig, 0).ok
def a(x: resolve(spin)) -> str: return "a"
def b(x: resolve(deep)) -> str: return "b"
tool(a)
tool(b)
`, starhost.Options{MaxSteps: 100_000}), revision)
			require.Contains(t, c.call("a", "", nobody).failure(), "Error executing tool a: stopped after 100000 steps")
			require.Contains(t, c.call("b", "", nobody).failure(), "Error executing tool b: stopped at 1000 calls inside calls")
		})
	}
}

// A ladder of diamonds: every resolver has two consumers, and still runs once.
func TestSharedResolversOfADeepGraphRunOnce(t *testing.T) {
	const steps = 30
	script := "def r0(): print(0); return 1\n"
	for i := 1; i <= steps; i++ {
		script += strings.NewReplacer("N", strconv.Itoa(i), "M", strconv.Itoa(i-1)).Replace(`
def leftN(x: resolve(rM)): return x
def rightN(x: resolve(rM)): return x
def rN(a: resolve(leftN), b: resolve(rightN)): print(N); return a + b
`)
	}
	script += "def run(x: resolve(r30)) -> int: return x\ntool(run)\n"
	onBothPrinting(t, script, func(t *testing.T, c *client, out *printout) {
		require.Equal(t, strconv.Itoa(1<<steps), c.call("run", "", nobody).text())
		lines := out.take()
		require.Len(t, lines, steps+1)
		for i, line := range lines {
			require.Equal(t, strconv.Itoa(i), line)
		}
	})
}

func TestResolverTakesArgumentsResolversAndContext(t *testing.T) {
	onBoth(t, `
def base(): return 100
def price(copies, start: resolve(base), ctx, *, gift: bool): return "%d %s %s" % (start * copies, gift, ctx.protocol_version)
def order(copies: int, p: resolve(price), gift: bool = False) -> str: return p
tool(order)
`, func(t *testing.T, c *client) {
		require.Equal(t, "300 True "+c.revision, c.call("order", `{"copies":3,"gift":true}`, nobody).text())
		require.Equal(t, "100 False "+c.revision, c.call("order", `{"copies":1}`, nobody).text(), "defaults included")
	})
}
