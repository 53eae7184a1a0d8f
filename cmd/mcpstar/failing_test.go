package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const callF = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"

// Where a script failed is for standard error; the wire has the short text.
func TestServeSaysWhereAScriptFailed(t *testing.T) {
	path := script(t, "def f() -> str:\n    return {}[\"b\"]\n\ntool(f)\n")
	const block = `error[runtime]: key "b" not in dict
 --> shop.star:2:12
`
	for name, c := range map[string]struct {
		flags []string
		check func(t *testing.T, said string)
	}{
		"text": {nil, func(t *testing.T, said string) {
			require.True(t, strings.HasPrefix(said, block), said)
			require.Equal(t, 1, strings.Count(said, "shop.star:2:12"), said)
		}},
		"json": {[]string{"--log-format", "json"}, func(t *testing.T, said string) {
			require.Equal(t, 1, strings.Count(said, "\n"), said)
			require.Contains(t, said, `"msg":"script error","tool":"f"`)
			require.Contains(t, said, `shop.star:2:12`)
		}},
		"errors only": {[]string{"--log-level", "error"}, func(t *testing.T, said string) { require.Empty(t, said) }},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			status := run(t.Context(), append([]string{"serve", path}, c.flags...),
				streams{in: strings.NewReader(callF), out: &out, err: &errs})
			require.Equal(t, 0, status, errs.String())
			require.Contains(t, out.String(), `Error executing tool f: key \"b\" not in dict"`)
			require.NotContains(t, out.String(), "shop.star")
			c.check(t, errs.String())
		})
	}
}

// So is where it was when a limit stopped it, and the -> T that a value does not fit.
func TestTheConsoleSaysWhereACallEnded(t *testing.T) {
	for name, c := range map[string]struct{ script, tells, shows string }{
		"a limit": {"def spin():\n    while True: pass\n\ndef f():\n    spin()\n\ntool(f)\n",
			"Error executing tool f: stopped after 1000 steps: does a loop end? (raise the limit with --max-steps)",
			`error[limit]: stopped after 1000 steps: does a loop end? (raise the limit with --max-steps)
 --> shop.star:2:5
  |
2 |     while True: pass
  |     ^^^^^^^^^^
...
5 |     spin()
  |     ------ called from here

`},
		"a type": {"def price() -> int:\n    return \"free\"\n\ndef f(cents: resolve(price)):\n    return cents\n\ntool(f)\n",
			`Error executing tool f: resolver price() is declared -> int, but: expected an integer, got "free" (str)`,
			`error[result-type]: resolver price() is declared -> int, but: expected an integer, got "free" (str)
 --> shop.star:1:16
  |
1 | def price() -> int:
  |                ^^^

`},
	} {
		t.Run(name, func(t *testing.T) {
			path := script(t, c.script)
			var out, errs bytes.Buffer
			run(t.Context(), []string{"call", path, "f", "--max-steps", "1000"}, streams{in: strings.NewReader(""), out: &out, err: &errs})
			require.Equal(t, c.shows+c.tells+"\n", errs.String())
			require.Empty(t, out.String())

			serve := func(flags ...string) (said string) {
				var out, errs bytes.Buffer
				status := run(t.Context(), append([]string{"serve", path, "--max-steps", "1000"}, flags...),
					streams{in: strings.NewReader(callF), out: &out, err: &errs})
				require.Equal(t, 0, status, errs.String())
				require.NotContains(t, out.String(), "shop.star")
				require.Contains(t, out.String(), `"text":`+quoted(t, c.tells)+`}`)
				return errs.String()
			}
			said := serve()
			require.True(t, strings.HasPrefix(said, c.shows), said)
			require.Equal(t, 1, strings.Count(said, "shop.star"), said)
			said = serve("--log-format", "json", "--log-level", "info")
			require.Equal(t, 1, strings.Count(said, `"msg":"script error","tool":"f"`), said)
			require.Equal(t, 1, strings.Count(said, `"msg":"call"`), said)
			require.Empty(t, serve("--log-level", "error"))
		})
	}
}

// quoted is a text as JSON.
func quoted(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(text))
	return strings.TrimSpace(b.String())
}
