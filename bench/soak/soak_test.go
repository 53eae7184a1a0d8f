package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/bench/drive"
)

// A soak too short to judge growth finds what is lost or hangs.
func TestSoakKeepsEveryCall(t *testing.T) {
	var out strings.Builder
	require.NoError(t, soak(t.Context(), &out, 2*time.Second), out.String())
	require.Contains(t, out.String(), "100%: ")
	require.Contains(t, out.String(), " 0 wrong")
}

func TestFlatTellsGrowth(t *testing.T) {
	sizes := make([]drive.Size, phases)
	for i := range sizes {
		sizes[i] = drive.Size{Goroutines: 20, Heap: 10 << 20}
	}
	sizes[0] = drive.Size{Goroutines: 900, Heap: 900 << 20} // warming up
	require.NoError(t, flat(sizes))
	for i := range sizes {
		sizes[i].Goroutines = 20 + 5*i
	}
	require.ErrorContains(t, flat(sizes), "goroutines grew from 30 to 55")
	for i := range sizes {
		sizes[i] = drive.Size{Goroutines: 20, Heap: uint64(10+4*i) << 20}
	}
	require.ErrorContains(t, flat(sizes), "the heap grew")
}
