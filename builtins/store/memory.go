package store

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"
)

// Limits of one store.
const (
	maxEntries = 100_000
	maxKey     = 1_024     // bytes of a key
	maxBytes   = 64 << 20  // bytes of everything, roughly
	maxValues  = 1_000_000 // values inside one value, shared ones counted each time
)

// A Memory is what store.memory() makes. It is safe for concurrent use, also
// from scripts whose globals are frozen.
type Memory struct {
	mu      sync.Mutex
	entries map[string]entry
	bytes   int
}

type entry struct {
	value starlark.Value // frozen
	bytes int
}

// NewMemory is an empty store.
func NewMemory() *Memory { return &Memory{entries: map[string]entry{}} }

var _ starlark.HasAttrs = (*Memory)(nil)

// String does not look inside: printing a store must not wait for its lock.
func (m *Memory) String() string { return "<store>" }

// Type is "store".
func (m *Memory) Type() string { return "store" }

// Freeze does nothing: see the package's comment.
func (m *Memory) Freeze() {}

// Truth is true, also for an empty store.
func (m *Memory) Truth() starlark.Bool { return true }

// Hash refuses: a store is no key.
func (m *Memory) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: %s", m.Type()) }

// get is the value under key, or nil.
func (m *Memory) get(key string) starlark.Value {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[key].value
}

func (m *Memory) put(key string, e entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.set(key, e)
}

// swap puts e in the place of what is under key if that equals old. What is not
// there equals None.
func (m *Memory) swap(key string, old starlark.Value, e entry) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	current := m.entries[key].value
	if current == nil {
		current = starlark.None
	}
	// Both were weighed, so this is over soon, however they are nested.
	if same, err := starlark.EqualDepth(current, old, maxDepth); err != nil || !same {
		return false, err
	}
	return true, m.set(key, e)
}

// change puts what f makes of the value under key (nil: none) in its place.
func (m *Memory) change(key string, f func(starlark.Value) (entry, error)) (starlark.Value, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, err := f(m.entries[key].value)
	if err != nil {
		return nil, err
	}
	return e.value, m.set(key, e)
}

func (m *Memory) delete(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	m.bytes -= e.bytes
	delete(m.entries, key)
	return ok
}

func (m *Memory) keys(prefix string) []string {
	m.mu.Lock()
	var keys []string
	for key := range m.entries {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	m.mu.Unlock()
	slices.Sort(keys)
	return keys
}

// set stores e if it fits. The lock is held.
func (m *Memory) set(key string, e entry) error {
	before, replaces := m.entries[key]
	if !replaces && len(m.entries) >= maxEntries {
		return fmt.Errorf("the store holds %d entries, which is its limit: delete some", maxEntries)
	}
	if after := m.bytes - before.bytes + e.bytes; e.bytes > before.bytes && after > maxBytes {
		return fmt.Errorf("the store would hold about %d bytes, more than its limit of %d: delete some entries", after, maxBytes)
	}
	m.bytes += e.bytes - before.bytes
	m.entries[key] = e
	return nil
}
