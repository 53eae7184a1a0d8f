package frame

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIdsComeBackAsTheyWere(t *testing.T) {
	ids := []string{`1`, `"1"`, `0`, `-5`, `""`, `9007199254740993`, `9223372036854775807`, `123456789012345678901234567890`,
		`1.5`, `1e3`, `"é\u2028😀\"\\"`, `"\ud800"`, `"<&>"`, `"mcpstar/id::1"`}
	s, _ := testServer(t)
	legacy, modern := newRawClient(t, s, StdioOptions{}), newRawClient(t, s, StdioOptions{})
	legacy.handshake()
	for _, id := range ids {
		legacy.send(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)
		require.Contains(t, legacy.recv(), `"id":`+canonicalID([]byte(id))+`,"result"`)
		modern.send(callM(id, "echo", `{}`))
		require.Contains(t, modern.recv(), `"id":`+canonicalID([]byte(id))+`,"result"`)
	}
}
