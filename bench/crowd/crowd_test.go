package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The crowd, in small.
func TestNobodyIsLostInACrowd(t *testing.T) {
	var out strings.Builder
	require.NoError(t, crowd(t.Context(), &out, 200, 100), out.String())
	require.Contains(t, out.String(), "200 calls at once: 200 good, 0 wrong, p50 ")
	require.Contains(t, out.String(), "calls 200 good, 0 wrong")
}
