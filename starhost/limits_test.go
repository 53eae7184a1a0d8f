package starhost_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// What ends a call that uses too much.

const naps = `
Yes = model(yes = bool)
def nap(seconds: int, ctx): ctx.sleep(seconds); return "rested"
def long_nap(seconds: int, ctx): ctx.sleep(seconds); return "rested"
def confirm(seconds: int, ctx):
    ctx.sleep(seconds)
    return elicit("Sure?", Yes)
def asks(seconds: int, yes: resolve(confirm), ctx):
    ctx.sleep(seconds)
    return "sure"
tool(nap)
tool(long_nap, timeout = 90.5)
tool(asks)
`

func TestCallEndsWhenItsTimeIsUp(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		inBubble(t, revision, naps, func(t *testing.T, c *client, _ *starhost.Host) {
			require.Equal(t, "rested", c.call("nap", `{"seconds":29}`, nobody).text())
			late := func(tool, arguments string, after time.Duration) string {
				id := c.pipe().write("tools/call", c.params(tool, arguments, ""))
				time.Sleep(after - time.Second)
				select {
				case m := <-c.pipe().frames:
					t.Fatalf("too early: %s", m.Result)
				default:
				}
				time.Sleep(2 * time.Second)
				return c.other(id)
			}
			require.Equal(t, "Error executing tool nap: stopped after it had run for 30s, the limit on the time of a call (raise it with tool(timeout = seconds) or --call-timeout)",
				late("nap", `{"seconds":3600}`, 30*time.Second))
			require.Equal(t, "rested", late("long_nap", `{"seconds":90}`, 90*time.Second))
			require.Contains(t, late("long_nap", `{"seconds":3600}`, 90*time.Second), "run for 1m30.5s")
		})
	}
}

func TestTimeInWhichACallWaitsForAnAnswerIsNotCounted(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		inBubble(t, revision, naps, func(t *testing.T, c *client, _ *starhost.Host) {
			slowly := func(question) string {
				time.Sleep(5 * time.Minute)
				return accept(`{"yes":true}`)
			}
			require.Equal(t, "sure", c.call("asks", `{"seconds":14}`, slowly).text())
			require.Contains(t, c.call("asks", `{"seconds":16}`, slowly).failure(), "run for 30s", "its own time is, before and after")
		})
	}
}

func TestTimeoutOfAToolIsANumberOfSeconds(t *testing.T) {
	for _, wrong := range []string{`"5"`, "0", "-1", "1e9", "[]"} {
		require.Contains(t, refusal(t, "def f(): return 1\ntool(f, timeout = "+wrong+")"), "want seconds, from 0.001 to 86400", wrong)
	}
	serve(t, "def f(): return 1\ntool(f, timeout = 0.5)\ndef g(): return 1\ntool(g, timeout = None)")
}

// One call at a time: the second waits for the first, and a call that waits for
// an answer keeps nobody waiting.
func TestCallsBeyondTheLimitWaitForAPlace(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		inBubbleWith(t, revision, naps, starhost.Options{Limits: starhost.CallLimits{Calls: 1}}, func(t *testing.T, c *client) {
			first := c.pipe().write("tools/call", c.params("nap", `{"seconds":20}`, ""))
			time.Sleep(time.Second)
			second := c.pipe().write("tools/call", c.params("nap", `{"seconds":20}`, ""))
			began := time.Now()
			require.Equal(t, first, string(c.pipe().next().ID))
			require.Equal(t, second, string(c.pipe().next().ID))
			require.Equal(t, 39*time.Second, time.Since(began), "one after the other")

			c.pipe().write("tools/call", c.params("long_nap", `{"seconds":60}`, ""))
			time.Sleep(time.Second)
			require.Equal(t, "Error executing tool nap: the server is busy: 1 calls are running, and none of them ended within 30s; try again later (more at once: --max-calls)",
				c.other(c.pipe().write("tools/call", c.params("nap", `{"seconds":1}`, ""))))
			c.pipe().next()

			inBetween := func(question) string {
				if revision == handshake {
					c.pipe().write("tools/call", c.params("nap", `{"seconds":5}`, ""))
					require.Contains(t, string(c.pipe().next().Result), "rested")
				}
				return accept(`{"yes":true}`)
			}
			c.call("asks", `{"seconds":1}`, inBetween)
		})
	}
}

func TestResultsAndArgumentsHaveASize(t *testing.T) {
	host := serveWith(t, `
def grow(n: int) -> str: return "x" * n
def take(text: str) -> int: return len(text)
tool(grow)
tool(take)
`, starhost.Options{Limits: starhost.CallLimits{Result: 1000, Arguments: 1000}})
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, host, revision)
		require.Len(t, c.call("grow", `{"n":900}`, nobody).text(), 900)
		require.Regexp(t, `the result is too large: .*1000.*\(raise the limit with --max-result\)`, c.call("grow", `{"n":1100}`, nobody).failure())
		require.Equal(t, "900", c.call("take", `{"text":"`+strings.Repeat("x", 900)+`"}`, nobody).text())
		require.Equal(t, "Error executing tool take: the arguments are 1011 bytes of JSON, more than 1000; send less, or a part at a time (raise the limit with --max-arguments)",
			c.call("take", `{"text":"`+strings.Repeat("x", 1000)+`"}`, nobody).failure())
	}
}

func TestQuestionsHaveTheSizeOfAResult(t *testing.T) {
	host := serveWith(t, `
Yes = model(yes = bool)
def confirm(n): return elicit("x" * n, Yes)
def buy(n: int, yes: resolve(confirm)) -> str: return "bought"
tool(buy)
`, starhost.Options{Limits: starhost.CallLimits{Result: 1000}})
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, host, revision)
		require.Equal(t, "bought", c.call("buy", `{"n":500}`, answering("x", accept(`{"yes":true}`))).text())
		require.Regexp(t, `the questions are 1\d\d\d bytes of JSON, more than 1000; ask with less text \(raise the limit with --max-result\)`, c.call("buy", `{"n":1000}`, nobody).failure())
	}
}

func TestCallEndsWhenItHoldsTooMuch(t *testing.T) {
	host := serveWith(t, `
def zeroes(n: int) -> int: return len([0] * n)
def shared(n: int) -> list: return [(0,) * n] * 30
tool(zeroes)
tool(shared)
`, starhost.Options{Limits: starhost.CallLimits{Memory: 1 << 20}})
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, host, revision)
		require.Equal(t, "10000", c.call("zeroes", `{"n":10000}`, nobody).text())
		require.Equal(t, "Error executing tool zeroes: stopped because it held more than 1 MiB of memory: work on less at a time (raise the limit with --call-memory)",
			c.call("zeroes", `{"n":100000}`, nobody).failure())
		require.Contains(t, c.call("zeroes", `{"n":1000000000}`, nobody).failure(), "stopped before it made a value of more than 64 MiB")
		require.Equal(t, "10000", c.call("zeroes", `{"n":10000}`, nobody).text(), "the next call is another one")
	}
	c := connect(t, serveWith(t, "def shared(n: int): return [(0,) * n] * 30\ntool(shared)", starhost.Options{}), rounds)
	require.Contains(t, c.call("shared", `{"n":900000}`, nobody).failure(), "what shared() returned can't be handed on")
}

func TestLoadingHasTheSameLimits(t *testing.T) {
	for script, want := range map[string]string{
		"x = 'ab'\nfor i in range(60):\n    x = x + x\n":                        "stopped before it made a value of more than 64 MiB",
		"x = [0] * 100000000\n":                                                 "stopped before it made a value of more than 64 MiB",
		"def f():\n    while True: pass\nf()\n":                                 "stopped after",
		"def f(x: [0] * 100000000): pass\ntool(f)\n":                            "stopped before it made",
		"x = (0,)\nfor i in range(45):\n    x = (x, x)\nd = {x: 1}\n":           "stopped at a tuple that holds more than",
		"def f(x = [0] * 100000000): pass\n":                                    "stopped before it made",
		"def f(x): return x * 100000000\ny = [f(z) for z in ['abcdef']]\n":      "stopped before it made",
		"m = ('a' * 100000).replace\nx = m('', 'b' * 100000)\n":                 "stopped before it made",
		"x = [1]\ndef f(n): return n if n == 0 else f(n - 1) + f(n - 1)\nf(90)": "stopped after",
	} {
		report := refusal(t, script)
		require.Contains(t, report, "error[limit]", script)
		require.Contains(t, report, want, script)
		require.NotContains(t, report, "gate", script)
	}
}

// The place of an error is the author's, whatever was woven in.
func TestGuardsLeaveErrorsWhereTheyAre(t *testing.T) {
	report := refusal(t, "def f(a, b):\n    return a + b.join(a) * 2\nx = f(1, 'x')\n")
	require.Contains(t, report, "--> shop.star:2:16\n")
	require.Contains(t, report, "2 |     return a + b.join(a) * 2\n  |                ^^^^^^^^^")
}

// inBubbleWith is inBubble with options.
func inBubbleWith(t *testing.T, revision, script string, options starhost.Options, test func(t *testing.T, c *client)) {
	t.Helper()
	t.Run(revision, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			options.Entry = "shop.star"
			host, err := starhost.Load(context.Background(), files(script), options)
			require.NoError(t, err)
			defer func() { require.NoError(t, host.Close(context.Background())) }()
			test(t, connect(t, host, revision))
		})
	})
}

// other is the text of the response to a request of that id.
func (c *client) other(id string) string {
	c.t.Helper()
	m := c.pipe().next()
	require.Equal(c.t, id, string(m.ID))
	_, text := reply{t: c.t, raw: m.Result}.content()
	return text
}
