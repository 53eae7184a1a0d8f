package engine

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAWorldReplacesClockAndRandomness(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	w := &World{Now: func() time.Time { return start }, Random: func() uint64 { return 7 }}
	scope := NewScope(WithWorld(context.Background(), w))
	require.Equal(t, start, scope.Now())
	require.Equal(t, rand.New(rand.NewPCG(7, 7)).Uint64(), scope.Random.Uint64())
	require.Equal(t, start, scope.Real())
}

func TestAWorldTellsWhatItLeavesToTheMachine(t *testing.T) {
	var told []string
	scripted := func() time.Time { return time.Time{} }
	w := &World{Now: scripted, Reached: func(what string) { told = append(told, what) }}
	scope := NewScope(WithWorld(context.Background(), w))
	scope.Now()
	scope.Real()
	require.Empty(t, told)
	scope.Random.Uint64()
	require.Equal(t, []string{"random"}, told)

	w.Now = nil
	scope.Now()
	require.Equal(t, []string{"random", "clock"}, told)
	require.NotNil(t, WorldOf(context.Background()))
}
