package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where a script failed is for standard error; the wire has the short text.
func TestServeSaysWhereAScriptFailed(t *testing.T) {
	path := script(t, "def f() -> str:\n    return {}[\"b\"]\n\ntool(f)\n")
	request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
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
				streams{in: strings.NewReader(request), out: &out, err: &errs})
			require.Equal(t, 0, status, errs.String())
			require.Contains(t, out.String(), `Error executing tool f: key \"b\" not in dict"`)
			require.NotContains(t, out.String(), "shop.star")
			c.check(t, errs.String())
		})
	}
}
