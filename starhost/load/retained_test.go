package load

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// A snapshot holds on to none before it, also where the top of a file has
// operations that run behind a guard.
func TestOldSnapshotsAreCollected(t *testing.T) {
	const loads = 10
	var collected atomic.Int64
	var current *Snapshot
	for n := range loads {
		text := fmt.Sprintf("NAME = 'version %%d' %% %d\ndef hello(to: str) -> str: return to + NAME\ntool(hello)\n", n)
		files := fstest.MapFS{"a.star": {Data: []byte(text)}}
		next, err := Load(t.Context(), Options{Root: files, Entry: "a.star", Previous: current})
		require.NoError(t, err)
		runtime.AddCleanup(next, func(int) { collected.Add(1) }, 0)
		current = next
	}
	for range 100 {
		if runtime.GC(); collected.Load() == loads-1 {
			break
		}
		runtime.Gosched()
	}
	require.EqualValues(t, loads-1, collected.Load())
	runtime.KeepAlive(current)
}
