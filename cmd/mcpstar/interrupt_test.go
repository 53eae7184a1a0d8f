package main

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// Someone who is asked can still stop the command, and what they type afterwards
// is no answer.
func TestACallThatAsksCanBeInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	in, typing := io.Pipe()
	err := &transcript{when: "or [c]ancel? ", do: interrupt}
	out := &transcript{when: "never", do: func() {}}
	status := run(ctx, []string{"call", example("backorder.star"), "order_book", "title=Neuromancer"},
		streams{in: in, out: out, err: err, terminal: true})
	require.NoError(t, typing.Close()) // the read that was left behind
	require.Equal(t, exitInterrupted, status)
	require.Contains(t, err.String(), "mcpstar: interrupted")
	require.Empty(t, out.String())
}
