package reload

import (
	"io/fs"
	"slices"
	"sync"

	"github.com/mcpstar/mcpstar/starhost/load"
)

// A Fingerprint is what a load has read: which files, and what was in them. It is
// safe for concurrent use; the zero value is that of a load which has read
// nothing.
type Fingerprint struct {
	mu      sync.Mutex
	sums    map[string]load.Sum
	entries []string
}

// Read takes in a file. It is a load.Options.Read.
func (f *Fingerprint) Read(path string, sum load.Sum) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sums == nil {
		f.sums = map[string]load.Sum{}
	}
	f.sums[path] = sum
}

// Begin takes in which files make up the server. Call it before the load.
func (f *Fingerprint) Begin(root fs.FS, entry string) {
	files, err := load.Entries(root, entry)
	if err != nil {
		files = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.entries = files
}

// Files are the files that were read, or would have been, in order.
func (f *Fingerprint) Files() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	files := make([]string, 0, len(f.sums))
	for path := range f.sums {
		files = append(files, path)
	}
	slices.Sort(files)
	return files
}

// A State is what the files look like, compared with what was read.
type State int

const (
	Same       State = iota // a load would read the very same
	Unfinished              // a file has lost all of its content: it is being written
	Changed                 // a load would read something else
)

// Look compares what a load would read now with what was read.
func (f *Fingerprint) Look(root fs.FS, entry string) State {
	now, err := load.Entries(root, entry)
	if err != nil {
		now = nil
	}
	f.mu.Lock()
	entries := f.entries
	sums := make(map[string]load.Sum, len(f.sums))
	for path, sum := range f.sums {
		sums[path] = sum
	}
	f.mu.Unlock()
	state := Same
	if !slices.Equal(entries, now) {
		state = Changed
	}
	for path, sum := range sums {
		is := load.SumOf(root, path)
		if is == sum {
			continue
		}
		if is.Blank() && !sum.Blank() {
			return Unfinished
		}
		state = Changed
	}
	return state
}
