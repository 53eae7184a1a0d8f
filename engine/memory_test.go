package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

// ledger is a ledger that is told what the heap holds. What the tests before have left
// there does not count.
func ledger(limit int64, left *int64) *Ledger {
	l := NewLedger(limit)
	l.based = time.Now().Add(24 * time.Hour) // as if the base had been taken: 0
	l.left = func() int64 { return *left }
	l.heap = l.left
	return l
}

func limited(l *Ledger, memory int64) (*Budget, func()) {
	thread := &starlark.Thread{}
	release := Limits{Memory: memory, Ledger: l}.Apply(thread)
	return BudgetOf(thread), release
}

func TestBudgetEndsWhatHoldsTooMuch(t *testing.T) {
	var left int64
	b, release := limited(ledger(1<<30, &left), 1000)
	defer release()
	require.NoError(t, b.Charge(600))
	left = 600
	err := b.Charge(600)
	require.EqualError(t, err, "stopped because it held more than 1000 bytes of memory: work on less at a time (raise the limit with --call-memory)")
	require.False(t, Catchable(err))
	require.Equal(t, err, b.Charge(1), "it stays stopped")
	require.Equal(t, err, Interrupted(b.thread, errors.New("cancelled")))
}

func TestBudgetForgivesGarbage(t *testing.T) {
	var left int64
	b, release := limited(ledger(1<<30, &left), 1000)
	defer release()
	for range 100 {
		require.NoError(t, b.Charge(600), "nothing is left of the last one")
	}
	left = 500
	require.ErrorContains(t, b.Charge(600), "held more than 1000 bytes")
}

func TestBudgetRefusesWhatIsTooMuchAtOnce(t *testing.T) {
	var left int64
	b, release := limited(ledger(1<<40, &left), 1<<40)
	defer release()
	require.NoError(t, b.Charge(MaxAtOnce))
	require.EqualError(t, b.Charge(MaxAtOnce+1), "stopped before it made a value of more than 64 MiB; work on a part at a time")
}

func TestLedgerStopsTheCostliestCall(t *testing.T) {
	var left int64
	l := ledger(1000, &left)
	small, releaseSmall := limited(l, 1<<20)
	large, releaseLarge := limited(l, 1<<20)
	defer releaseSmall()
	require.NoError(t, large.Charge(700))
	require.NoError(t, small.Charge(200))
	left = 900
	require.NoError(t, small.Charge(200), "another one is costlier")
	require.EqualError(t, large.Charge(1), "stopped because all calls together held more than 1000 bytes of memory, and this one most of it (raise the limit with --max-memory)")
	releaseLarge()
	left = 400
	require.NoError(t, small.Charge(100))
}

func TestThreadWithoutLimitsIsNeverStopped(t *testing.T) {
	b := BudgetOf(&starlark.Thread{})
	require.NoError(t, b.Charge(1<<50))
	require.NoError(t, b.Work(1<<50))
}

func TestWorkCountsAsSteps(t *testing.T) {
	thread := &starlark.Thread{}
	defer Limits{Steps: 1000}.Apply(thread)()
	require.NoError(t, BudgetOf(thread).Work(900))
	require.EqualError(t, BudgetOf(thread).Work(200), "stopped after 1000 steps: does a loop end? (raise the limit with --max-steps)")
}

func TestChargeEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	thread := &starlark.Thread{}
	NewScope(ctx).Attach(thread)
	defer Limits{}.Apply(thread)()
	require.NoError(t, BudgetOf(thread).Charge(0))
	why := &Interrupt{Text: "enough"}
	cancel(why)
	require.Equal(t, why, BudgetOf(thread).Charge(0))
}

// What no guard counts is found by looking at the heap, also while nobody charges.
func TestWatchdogStopsWhatNobodyCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left int64
		l := ledger(1000, &left)
		idle, releaseIdle := limited(l, 1<<20)
		busy, releaseBusy := limited(l, 1<<20)
		require.NoError(t, busy.Charge(10))
		time.Sleep(2 * lookEvery)
		require.NoError(t, busy.Charge(0))
		l.mu.Lock()
		left = 5000
		l.mu.Unlock()
		time.Sleep(2 * lookEvery)
		require.ErrorContains(t, busy.Charge(0), "all calls together held more than 1000 bytes")
		require.NoError(t, idle.Charge(0), "one at a time")
		releaseBusy()
		time.Sleep(restFor - 2*lookEvery)
		require.NoError(t, idle.Charge(0), "what was stopped has time to end")
		time.Sleep(4 * lookEvery)
		require.Error(t, idle.Charge(0))
		releaseIdle()
		time.Sleep(2 * lookEvery)
		l.mu.Lock()
		defer l.mu.Unlock()
		require.False(t, l.armed, "nobody looks while nothing runs")
	})
}

func TestSizesArePutInWords(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 bytes", 1000: "1000 bytes", 4096: "4 KiB", 128 << 20: "128 MiB", 1<<20 + 1: "1048577 bytes"} {
		require.Equal(t, want, Size(bytes))
	}
}
