package starhost

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// A Change is what a reload has done.
type Change struct {
	// Added, Removed and Changed are names of tools. A tool has changed when
	// clients see it differently or when code that it depends on has.
	Added, Removed, Changed []string
	// Compiled counts the files that were compiled; the others were kept.
	Compiled int
	// Took is how long loading took.
	Took time.Duration
}

// String is one line: ~ order_book  + cancel_order  - old_tool.
func (c *Change) String() string {
	var parts []string
	for _, list := range []struct {
		sign  string
		names []string
	}{{"~", c.Changed}, {"+", c.Added}, {"-", c.Removed}} {
		for _, name := range list.names {
			parts = append(parts, list.sign+" "+name)
		}
	}
	const most = 12
	if rest := len(parts) - most; rest > 1 {
		parts = append(parts[:most], fmt.Sprintf("and %d more", rest))
	}
	if len(parts) == 0 {
		parts = []string{"no tool has changed"}
	}
	return strings.Join(parts, "  ")
}

// source is where the files of a host come from: a file system that was given, or
// a folder that is opened anew for each load, so that another one which takes
// its place is seen.
type source struct {
	fsys fs.FS
	dir  string // of LoadDir, else ""
}

func (s *source) open() (fs.FS, func() error, error) {
	if s.dir == "" {
		return s.fsys, func() error { return nil }, nil
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, nil, err
	}
	return root.FS(), root.Close, nil
}

// load loads the host's files, and remembers what was read.
func (h *Host) load(ctx context.Context, previous *load.Snapshot) (*load.Snapshot, error) {
	fsys, closed, err := h.source.open()
	if err != nil {
		return nil, err
	}
	seen := new(reload.Fingerprint)
	options := h.loading
	options.Root, options.Previous, options.Read = fsys, previous, seen.Read
	seen.Begin(fsys, options.Entry)
	snapshot, err := load.Load(h.options.world(ctx), options)
	h.seen.Store(seen)
	return snapshot, errors.Join(err, closed())
}

// Reload loads the server's files again and, if all is well with them, serves the
// new version from the next request on. Calls that run finish on the version
// that they began with; a call that waits for an answer goes on with the new one.
// Clients are told which lists have changed.
//
// It is all or nothing: with an error, which is a *[report.Error] when the
// scripts have problems, the version before goes on serving.
//
// The lifespan's state is kept unless the code that makes it has changed. Then
// the new one is started before the swap, and the old one stopped when the last
// call on it has ended.
func (h *Host) Reload(ctx context.Context) (*Change, error) {
	h.reloading.Lock()
	defer h.reloading.Unlock()
	began := time.Now()
	before := h.Snapshot()
	snapshot, err := h.load(ctx, before)
	if err != nil {
		h.failed(ctx, err)
		return nil, err
	}
	change := &Change{Compiled: snapshot.Compiled}
	diff := snapshot.Compare(before)
	change.Added, change.Removed, change.Changed = diff.Added, diff.Removed, diff.Changed
	span, kept, err := h.lifespan.next(ctx, before, snapshot)
	if err != nil {
		h.failed(ctx, err)
		return nil, err
	}
	retired := h.server.Publish(snapshot, span.state)
	h.lifespan.users = append(h.lifespan.users, retired)
	if !kept {
		old := h.lifespan
		h.lifespan = span
		h.background.Go(func() { h.retire(context.WithoutCancel(ctx), old) })
	} else {
		h.lifespan.users = slices.DeleteFunc(h.lifespan.users, ended)
	}
	change.Took = time.Since(began)
	h.logger().Info("reloaded", "change", change.String(), "compiled", change.Compiled, "took", change.Took)
	return change, nil
}

// retire stops a lifespan when no call uses it any more.
func (h *Host) retire(ctx context.Context, old *lifespan) {
	for _, used := range old.users {
		<-used
	}
	if err := old.end(ctx); err != nil {
		h.logger().Error("lifespan", "error", err)
	}
}

// failed tells clients that want error messages why the version before goes on
// serving. Who asked for the reload has the error, and tells the operator.
func (h *Host) failed(ctx context.Context, err error) {
	h.server.Tell(ctx, mcp.LoggingLevel("error"), "reload failed, the version before goes on serving: "+err.Error())
}

// ErrNotWatchable is returned by [Host.Watch] of a host that was not made by
// [LoadDir]: a file system of any kind can't be watched. [Host.Reload] works for
// all.
var ErrNotWatchable = errors.New("only a host of LoadDir can be watched: its files are on disk")

// Watch reloads whenever the server's files have changed, until ctx ends, and
// returns nil then. Every file that was read counts. done is told of each reload:
// what it changed, or why it failed; without it, the Logger is told of failures.
func (h *Host) Watch(ctx context.Context, done func(*Change, error)) error {
	if h.source.dir == "" {
		return ErrNotWatchable
	}
	w := &reload.Watcher{
		Dir:     h.source.dir,
		Files:   h.watched,
		Settled: func(ctx context.Context, last bool) bool { return h.look(ctx, last, done) },
		Ready:   h.watching,
	}
	return w.Run(ctx)
}

// watched are the files to watch, the server's own among them even if they are
// not there at the moment.
func (h *Host) watched() []string {
	files := h.seen.Load().Files()
	if entry := h.loading.Entry; entry != "." {
		files = append(files, entry)
	}
	return files
}

// look reloads if the content of any file is another. again says that a file is
// half written, so that it is better to wait; with last it is taken as it is.
func (h *Host) look(ctx context.Context, last bool, done func(*Change, error)) (again bool) {
	fsys, closed, err := h.source.open()
	if err != nil {
		return !last // the folder is being replaced
	}
	state := h.seen.Load().Look(fsys, h.loading.Entry)
	if closed() != nil || state == reload.Same {
		return false
	}
	if state == reload.Unfinished && !last {
		return true
	}
	change, err := h.Reload(ctx)
	switch {
	case done != nil:
		done(change, err)
	case err != nil:
		h.logger().Error("reload failed, the version before goes on serving", "why", err)
	}
	return false
}

func ended(used <-chan struct{}) bool {
	select {
	case <-used:
		return true
	default:
		return false
	}
}
