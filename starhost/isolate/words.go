package isolate

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// words pass on what a worker writes to its standard error, and notice when the
// runtime says that it finds no memory. The stacks of all goroutines, which follow
// then and which no setting turns off, tell operators nothing: they are left out. A
// script can print the same line, so what follows is held until the end shows who it
// was, or until no runtime would still be writing.
type words struct {
	to io.Writer // nil: nobody listens

	mu      sync.Mutex
	line    []byte    // the beginning of the one that is being written
	starved time.Time // when the runtime, or a script, said so; zero: not
	held    []byte    // what came afterwards
}

// A runtime's last words are no more, and take no longer.
const (
	lastWords    = 256 << 10
	lastWordsFor = 2 * time.Second
)

// Write implements [io.Writer]. It never fails: a worker must not end because its
// words are lost. Nothing is locked while they are passed on, which may take for ever.
func (w *words) Write(text []byte) (int, error) {
	w.pass(w.sift(text))
	return len(text), nil
}

// sift gives what to pass on now.
func (w *words) sift(text []byte) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	var before []byte
	if !w.starved.IsZero() {
		if len(w.held)+len(text) <= lastWords && time.Since(w.starved) < lastWordsFor {
			w.held = append(w.held, text...)
			return nil
		}
		before = w.letGo()
	}
	rest := text
	for len(rest) > 0 && w.starved.IsZero() {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		const longest = 200
		w.line = append(w.line, line[:min(len(line), max(0, longest-len(w.line)))]...)
		if rest = after; !whole {
			break
		}
		if starvation(w.line) {
			w.starved = time.Now()
		}
		w.line = w.line[:0]
	}
	w.held = append(w.held, rest...)
	return append(before, text[:len(text)-len(rest)]...)
}

func (w *words) pass(text []byte) {
	if w.to != nil && len(text) > 0 {
		_, _ = w.to.Write(text) // nobody to tell
	}
}

// letGo gives what was held: no runtime has said it. The caller holds mu.
func (w *words) letGo() []byte {
	held := w.held
	w.held, w.starved = nil, time.Time{}
	return held
}

// end is told that the process has ended, and whether as one does that finds no memory.
func (w *words) end(fatal bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if fatal {
		return
	}
	if held := w.letGo(); len(held) > 0 {
		go w.pass(held)
	}
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
	return !w.starved.IsZero()
}
