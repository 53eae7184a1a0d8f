package isolate

import (
	"bytes"
	"io"
	"sync"
)

// words pass on what a worker writes to its standard error, and notice when the
// runtime says that it finds no memory. The stacks of all goroutines, which follow
// then and which no setting turns off, tell operators nothing: they are left out.
type words struct {
	to io.Writer // nil: nobody listens

	mu      sync.Mutex
	line    []byte // the beginning of the one that is being written
	starved bool
}

// Write implements [io.Writer].
func (w *words) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	heard := 0 // how much of text is passed on
	for heard < len(text) && !w.starved {
		line, _, whole := bytes.Cut(text[heard:], []byte("\n"))
		heard += len(line)
		const longest = 200
		w.line = append(w.line, line[:min(len(line), max(0, longest-len(w.line)))]...)
		if !whole {
			break
		}
		heard++
		w.starved = starvation(w.line)
		w.line = w.line[:0]
	}
	if w.to != nil && heard > 0 {
		if _, err := w.to.Write(text[:heard]); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// starvation reports whether a line is the runtime's last one but for stacks, and
// says that the system gives it no more memory.
func starvation(line []byte) bool {
	// Programs with C in them, and those with the race detector, end in their own way.
	if bytes.HasPrefix(line, []byte("runtime/cgo: pthread_create failed")) || bytes.Contains(line, []byte("ThreadSanitizer failed to allocate")) {
		return true
	}
	why, fatal := bytes.CutPrefix(line, []byte("fatal error: "))
	if !fatal {
		return false
	}
	for _, sign := range []string{"out of memory", "cannot allocate", "newosproc", "failed to reserve", "failed to allocate", "address space"} {
		if bytes.Contains(why, []byte(sign)) {
			return true
		}
	}
	return false
}

func (w *words) hungry() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.starved
}
