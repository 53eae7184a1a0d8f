package starhost_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// How a call ends that goes wrong in a script.

const failing = `
def look(how):
    if how == "fail":
        fail("the shelf is empty")
    if how == "protocol":
        protocol_error(-32055, "not a shelf", {"shelf": 9007199254740993, "or": ["a", None]})
    if how == "bare":
        protocol_error(-32056, "no data")
    if how == "crash":
        return [][1]
    if how == "type":
        return 1 + "x"
    if how == "empty":
        fail("")
    return how
def in_resolver(how: str, x: resolve(look)) -> str: return x
def in_tool(how: str) -> str: return look(how)
def attempted(how: str) -> str:
    got = attempt(look, how)
    return "%s %r %r" % (got.ok, got.value, got.error)
tool(in_resolver)
tool(in_tool)
tool(attempted)
`

func TestFailureIsAnErrorResultTheModelCanRead(t *testing.T) {
	onBoth(t, failing, func(t *testing.T, c *client) {
		for _, tool := range []string{"in_resolver", "in_tool"} {
			require.Equal(t, "Error executing tool "+tool+": the shelf is empty", c.call(tool, `{"how":"fail"}`, nobody).failure())
			require.Equal(t, "Error executing tool "+tool+": ", c.call(tool, `{"how":"empty"}`, nobody).failure())
		}
	})
}

func TestCrashOfAScriptIsAnErrorResultWithoutATrace(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		log := new(printout)
		c := connect(t, serveWith(t, failing, starhost.Options{Logger: logTo(log)}), revision)
		for _, tool := range []string{"in_resolver", "in_tool"} {
			for how, says := range map[string]string{"crash": "out of range", "type": "unknown binary op"} {
				failure := c.call(tool, `{"how":"`+how+`"}`, nobody).failure()
				require.Contains(t, failure, "Error executing tool "+tool+": ")
				require.Contains(t, failure, says)
				require.NotContains(t, failure, "\n", "one line")
			}
		}
		require.Contains(t, strings.Join(log.take(), "\n"), "shop.star:10:16", "the operator sees where")
	}
}

func TestProtocolErrorReachesTheClientExactly(t *testing.T) {
	onBoth(t, failing, func(t *testing.T, c *client) {
		for _, tool := range []string{"in_resolver", "in_tool", "attempted"} {
			c.call(tool, `{"how":"protocol"}`, nobody).refused(-32055, "not a shelf", `{"shelf":9007199254740993,"or":["a",null]}`)
			c.call(tool, `{"how":"bare"}`, nobody).refused(-32056, "no data", ``)
		}
		require.Equal(t, "x", c.call("in_tool", `{"how":"x"}`, nobody).text(), "the connection goes on")
	})
}

func TestAttemptCatchesFailuresOnly(t *testing.T) {
	onBoth(t, failing, func(t *testing.T, c *client) {
		require.Equal(t, `True "x" None`, c.call("attempted", `{"how":"x"}`, nobody).text())
		require.Equal(t, `False None "the shelf is empty"`, c.call("attempted", `{"how":"fail"}`, nobody).text())
		require.Contains(t, c.call("attempted", `{"how":"crash"}`, nobody).text(), "False None ")
	})
}
