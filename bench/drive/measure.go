package drive

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// samples is how many latencies are kept; of more calls, a fair choice.
const samples = 1 << 14

// Latencies collect how long calls took. It is safe for concurrent use, and does not
// grow without end.
type Latencies struct {
	mu    sync.Mutex
	good  int
	took  []time.Duration
	bad   int
	wrong []error // the first few
}

// Time runs a call and keeps how long it took, or what was wrong with it.
func (l *Latencies) Time(call func() error) {
	began := time.Now()
	err := call()
	took := time.Since(began)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		if l.bad++; len(l.wrong) < 10 {
			l.wrong = append(l.wrong, err)
		}
		return
	}
	l.good++
	if len(l.took) < samples {
		l.took = append(l.took, took)
	} else if i := rand.IntN(l.good); i < samples {
		l.took[i] = took
	}
}

// Errors are what was wrong, of much the first few.
func (l *Latencies) Errors() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.wrong)
}

// Good counts the calls that got their answer.
func (l *Latencies) Good() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.good
}

// String is one line.
func (l *Latencies) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	took := slices.Sorted(slices.Values(l.took))
	at := func(share float64) time.Duration {
		if len(took) == 0 {
			return 0
		}
		return took[min(int(share*float64(len(took))), len(took)-1)].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("%d good, %d wrong, p50 %s, p99 %s, max %s", l.good, l.bad, at(.5), at(.99), at(1))
}

// A Size is how large the process is.
type Size struct {
	Goroutines int
	Heap       uint64 // bytes in use, after a collection
}

// Measure collects garbage and measures the process.
func Measure() Size {
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return Size{Goroutines: runtime.NumGoroutine(), Heap: stats.HeapAlloc}
}

func (s Size) String() string {
	return fmt.Sprintf("%d goroutines, %.1f MiB", s.Goroutines, float64(s.Heap)/(1<<20))
}

// Settled measures until there are at most that many goroutines, for the moment
// in which connections that have ended are taken apart.
func Settled(goroutines int) Size {
	size := Measure()
	for end := time.Now().Add(3 * time.Second); size.Goroutines > goroutines && time.Now().Before(end); size = Measure() {
		runtime.Gosched()
	}
	return size
}
