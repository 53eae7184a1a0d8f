package engine

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"
)

// A Ledger keeps account of the memory that the scripts of a host take together.
// What each takes is counted in its [Budget]; when the counts say that it is too
// much, garbage is collected and what is really left is measured, so that a
// script which makes much and keeps little goes on. When too much is left, the
// costliest script is stopped.
//
// Counting misses what no guard sees, so while scripts run a ledger also looks at
// the heap, fifty times a second. It is safe for concurrent use.
type Ledger struct {
	limit int64
	total atomic.Int64 // of all open budgets

	mu    sync.Mutex
	open  map[*Budget]struct{}
	base  int64 // what the heap held when none of them was open
	based time.Time
	armed bool
	rests time.Time // until then the watchdog waits for what it stopped

	// Tests replace these. heap is cheap and counts garbage, left collects it.
	heap, left func() int64
}

const (
	// DefaultMemory is how many bytes one call may hold.
	DefaultMemory = 128 << 20
	// DefaultAllMemory is how many bytes all calls together may hold.
	DefaultAllMemory = 384 << 20
	// MaxAtOnce is how many bytes one operation may make, whatever the budget is:
	// nobody can stop it on its way.
	MaxAtOnce = 64 << 20
	// stepBytes is about what a step takes that no guard looks at, such as list.append.
	stepBytes = 16
	lookEvery = 20 * time.Millisecond
	// restFor is how long the watchdog waits for a script that it has stopped.
	restFor = 200 * time.Millisecond
	// baseAge is how old the measure of what is not the scripts' may be.
	baseAge = time.Second
)

// NewLedger is a ledger on which scripts may hold limit bytes together; 0 is
// [DefaultAllMemory].
func NewLedger(limit int64) *Ledger {
	if limit == 0 {
		limit = DefaultAllMemory
	}
	return &Ledger{
		limit: limit,
		open:  map[*Budget]struct{}{},
		heap:  func() int64 { return metric("/memory/classes/heap/objects:bytes") },
		left: func() int64 {
			runtime.GC()
			return metric("/gc/heap/live:bytes")
		},
	}
}

func metric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// A Budget is what one thread may still use. The thread charges it; the ledger
// may stop it from elsewhere.
type Budget struct {
	limit  int64
	used   atomic.Int64
	ledger *Ledger
	thread *starlark.Thread
	steps  uint64 // that have been charged
	most   uint64 // steps that the thread may do
	stop   atomic.Pointer[Interrupt]
}

const budgetKey = "mcpstar.budget"

// BudgetOf is the budget of what runs on thread. It is never nil: a thread
// without limits (a plain test) has one that is never used up.
func BudgetOf(thread *starlark.Thread) *Budget {
	if b, ok := thread.Local(budgetKey).(*Budget); ok {
		return b
	}
	b := &Budget{limit: math.MaxInt64, most: math.MaxUint64, thread: thread}
	thread.SetLocal(budgetKey, b)
	return b
}

// enter gives thread a budget of its own on the ledger.
func (l *Ledger) enter(thread *starlark.Thread, limit int64, steps uint64) *Budget {
	b := &Budget{limit: limit, most: steps, ledger: l, thread: thread, steps: thread.Steps}
	thread.SetLocal(budgetKey, b)
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); len(l.open) == 0 && now.Sub(l.based) > baseAge {
		l.base, l.based = metric("/gc/heap/live:bytes"), now
	}
	l.open[b] = struct{}{}
	if !l.armed {
		l.armed = true
		time.AfterFunc(lookEvery, l.look)
	}
	return b
}

func (l *Ledger) leave(b *Budget) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.open[b]; ok {
		delete(l.open, b)
		l.total.Add(-b.used.Load())
	}
}

// Charge counts bytes that an operation is about to make. The error is the
// *[Interrupt] that has stopped the thread, perhaps for another reason: whoever
// works in a loop charges 0 bytes now and then, to stop with its call.
func (b *Budget) Charge(bytes int64) error {
	if i := b.stop.Load(); i != nil {
		return i
	}
	if bytes == 0 {
		return b.ended()
	}
	if b.limit == math.MaxInt64 {
		return nil
	}
	if bytes > MaxAtOnce || bytes < 0 {
		return b.Stop(fmt.Sprintf("stopped before it made a value of more than %d MiB; work on a part at a time", MaxAtOnce>>20))
	}
	used := b.used.Add(bytes)
	if total := b.ledger.total.Add(bytes); used > b.limit || total > b.ledger.limit {
		return b.ledger.settle(b, bytes)
	}
	return nil
}

// Work counts what an operation does at once as steps of the script, so that the
// limit on steps ends a loop that no interpreter counts. The error is the
// *[Interrupt] that has stopped the thread, perhaps for another reason.
func (b *Budget) Work(steps int) error {
	b.thread.Steps += uint64(max(steps, 0))
	if b.thread.Steps > b.most {
		return b.tired()
	}
	return b.Charge(0)
}

func (b *Budget) tired() error {
	return b.Stop(fmt.Sprintf("stopped after %d steps: does a loop end? (raise the limit with --max-steps)", b.most))
}

func (b *Budget) overdrawn() error {
	return b.Stop(fmt.Sprintf("stopped because it held more than %s of memory: work on less at a time (raise the limit with --call-memory)", Size(b.limit)))
}

// ended is the reason why the context of the thread has ended, or nil.
func (b *Budget) ended() error {
	if err := ScopeOf(b.thread).Context.Err(); err != nil {
		return Interrupted(b.thread, err)
	}
	return nil
}

// Stop ends what runs on the thread and gives the reason as an error, or the
// reason for which it was stopped before.
func (b *Budget) Stop(text string) error {
	i := &Interrupt{Text: text}
	if !b.stop.CompareAndSwap(nil, i) {
		return b.stop.Load()
	}
	b.thread.Cancel(text)
	return i
}

// tick charges the steps since the last tick.
func (b *Budget) tick(steps uint64) {
	if steps > b.steps {
		_ = b.Charge(min(int64(steps-b.steps)*stepBytes, MaxAtOnce)) // stops the thread by itself
		b.steps = steps
	}
}

// settle finds out what the counts amount to, and stops who has too much. from
// is about to make pending bytes, which it has charged; nil: nobody is.
func (l *Ledger) settle(from *Budget, pending int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from != nil {
		from.add(-pending)
	}
	left := l.forgive() + pending
	if from != nil {
		from.add(pending)
		if from.used.Load() > from.limit {
			return from.overdrawn()
		}
	}
	over := max(l.total.Load(), left) - l.limit - l.going()
	for over > 0 {
		b := l.costliest()
		if b == nil {
			break // none of the memory is a script's
		}
		_ = b.Stop(fmt.Sprintf("stopped because all calls together held more than %s of memory, and this one most of it (raise the limit with --max-memory)", Size(l.limit)))
		l.rests = time.Now().Add(restFor)
		over -= max(b.used.Load(), 1)
		if from == nil {
			break // nobody knows whose memory it is: see what stopping this one helps
		}
	}
	if from == nil {
		return nil
	}
	if i := from.stop.Load(); i != nil {
		return i
	}
	return nil
}

func (b *Budget) add(bytes int64) {
	b.used.Add(bytes)
	b.ledger.total.Add(bytes)
}

// going is what scripts hold that have been stopped and are about to end. The
// caller holds mu.
func (l *Ledger) going() (bytes int64) {
	for b := range l.open {
		if b.stop.Load() != nil {
			bytes += b.used.Load()
		}
	}
	return bytes
}

// forgive collects garbage and scales the counts down to what is left. The
// caller holds mu.
func (l *Ledger) forgive() (left int64) {
	left = max(l.left()-l.base, 0)
	total := l.total.Load()
	if total <= left || total == 0 {
		return left
	}
	share := float64(left) / float64(total)
	for b := range l.open {
		used := b.used.Load()
		b.add(int64(float64(used)*share) - used)
	}
	return left
}

// costliest is the running budget that has used most. The caller holds mu.
func (l *Ledger) costliest() *Budget {
	var most *Budget
	for b := range l.open {
		if b.stop.Load() == nil && (most == nil || b.used.Load() > most.used.Load()) {
			most = b
		}
	}
	return most
}

// look is the watchdog's look at the heap.
func (l *Ledger) look() {
	l.mu.Lock()
	l.armed = len(l.open) > 0
	if l.armed {
		time.AfterFunc(lookEvery, l.look)
	}
	crowded := l.armed && time.Now().After(l.rests) && l.heap()-l.base > l.limit
	l.mu.Unlock()
	if crowded {
		_ = l.settle(nil, 0)
	}
}

// Size writes a number of bytes for a person: "128 MiB".
func Size(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
