package reload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Quiet is how long nothing must happen before a change counts as finished.
const Quiet = 50 * time.Millisecond

// patience is how long a stream of events may go on before they are acted on.
const patience = time.Second

// A Watcher watches the folders in which the files of a server lie.
type Watcher struct {
	// Dir is the root folder on disk.
	Dir string
	// Files are the files that matter now, as paths below Dir, there or not.
	Files func() []string
	// Settled is called when something has happened and it is quiet again. It
	// must find out by itself whether anything has changed. With again it asks to
	// be called once more after a while, because a file is half written; last says
	// that this has gone on for long enough. Files is asked again afterwards.
	Settled func(ctx context.Context, last bool) (again bool)
	// Ready is called once watching has begun, before the first Settled. May be nil.
	Ready func()
}

// Run watches until ctx ends, and returns nil then.
func (w *Watcher) Run(ctx context.Context) error {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching %s: %w", w.Dir, err)
	}
	defer events.Close()
	watched := map[string]bool{}
	w.follow(events, watched)
	if len(watched) == 0 {
		return fmt.Errorf("watching %s: there is no folder to watch", w.Dir)
	}
	if w.Ready != nil {
		w.Ready()
	}
	// What happened between the load and now has no event: look once.
	quiet := time.NewTimer(Quiet)
	defer quiet.Stop()
	since := time.Now() // of the first event that was not acted on
	for {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-events.Events:
			if !ok {
				return errors.New("watching has ended by itself")
			}
			if since.IsZero() {
				since = time.Now()
			}
			if time.Since(since) < patience {
				quiet.Reset(Quiet)
			}
		case _, ok := <-events.Errors:
			if !ok {
				return errors.New("watching has ended by itself")
			}
			quiet.Reset(Quiet) // events may have been lost: look
		case <-quiet.C:
			w.follow(events, watched) // before looking, so that nothing falls between
			if w.Settled(ctx, !since.IsZero() && time.Since(since) > patience) {
				quiet.Reset(Quiet)
				continue
			}
			since = time.Time{}
			w.follow(events, watched)
		}
	}
}

// follow watches the folders that matter now and leaves the others.
func (w *Watcher) follow(events *fsnotify.Watcher, watched map[string]bool) {
	want := map[string]bool{}
	for _, dir := range w.folders() {
		want[dir] = true
		// Adding one again is cheap, and needed where a folder was replaced by
		// another of the same name.
		if events.Add(dir) == nil {
			watched[dir] = true
		}
	}
	for dir := range watched {
		if !want[dir] {
			_ = events.Remove(dir) // it may be gone
			delete(watched, dir)
		}
	}
}

// folders are those in which an event may mean that a file of ours has changed:
// each folder on the way from the root to a file, what stands behind it if it is
// a link, and the folders of the links themselves.
func (w *Watcher) folders() []string {
	dirs := map[string]bool{}
	add := func(dir string) {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return
		}
		dirs[dir] = true
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			dirs[real] = true
			dirs[filepath.Dir(dir)] = true // where the link itself may be swapped
		}
	}
	add(w.Dir)
	for _, file := range w.Files() {
		path := filepath.Join(w.Dir, filepath.FromSlash(file))
		for dir := filepath.Dir(path); len(dir) > len(w.Dir); dir = filepath.Dir(dir) {
			add(dir)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			add(filepath.Dir(real))
		}
		addLinks(path, dirs)
	}
	list := make([]string, 0, len(dirs))
	for dir := range dirs {
		list = append(list, dir)
	}
	slices.Sort(list)
	return list
}

// addLinks adds the folders of the links that a path leads through, one by one:
// in a Kubernetes volume the file is a link into a folder that is a link.
func addLinks(path string, dirs map[string]bool) {
	const most = 40 // as the kernel has it
	for range most {
		target, err := os.Readlink(path)
		if err != nil {
			return
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		for dir := filepath.Dir(target); ; dir = filepath.Dir(dir) {
			if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
				dirs[filepath.Dir(dir)] = true
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
		dirs[filepath.Dir(target)] = true
		path = target
	}
}
