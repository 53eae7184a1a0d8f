package starhost

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// A Change is what a reload has done.
type Change = reload.Change

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
func (h *Host) Reload(ctx context.Context) (*Change, error) { return h.scripts.Reload(ctx) }

// ErrNotWatchable is returned by [Host.Watch] of a host that was not made by
// [LoadDir]: a file system of any kind can't be watched. [Host.Reload] works for
// all.
var ErrNotWatchable = errors.New("only a host of LoadDir can be watched: its files are on disk")

// Watch reloads whenever the server's files have changed, until ctx ends, and
// returns nil then. Every file that was read counts. done is told of each reload:
// what it changed, or why it failed; without it, the Logger is told of failures.
func (h *Host) Watch(ctx context.Context, done func(*Change, error)) error {
	return h.scripts.Watch(ctx, done)
}

// load loads the program's files, and remembers what was read.
func (p *program) load(ctx context.Context, previous *load.Snapshot) (*load.Snapshot, error) {
	fsys, closed, err := p.source.open()
	if err != nil {
		return nil, err
	}
	seen := new(reload.Fingerprint)
	options := p.loading
	options.Root, options.Previous, options.Read = fsys, previous, seen.Read
	seen.Begin(fsys, options.Entry)
	snapshot, err := load.Load(p.options.world(ctx), options)
	p.seen.Store(seen)
	return snapshot, errors.Join(err, closed())
}

// Reload is [Host.Reload].
func (p *program) Reload(ctx context.Context) (*Change, error) {
	p.reloading.Lock()
	defer p.reloading.Unlock()
	began := time.Now()
	before := p.Snapshot()
	snapshot, err := p.load(ctx, before)
	if err != nil {
		p.failed(ctx, err)
		return nil, err
	}
	change := &Change{Compiled: snapshot.Compiled}
	diff := snapshot.Compare(before)
	change.Added, change.Removed, change.Changed = diff.Added, diff.Removed, diff.Changed
	span, kept, err := p.lifespan.next(ctx, before, snapshot)
	if err != nil {
		p.failed(ctx, err)
		return nil, err
	}
	retired := p.Publish(snapshot, span.state)
	p.lifespan.users = append(p.lifespan.users, retired)
	if !kept {
		old := p.lifespan
		p.lifespan = span
		p.background.Go(func() { p.retire(context.WithoutCancel(ctx), old) })
	} else {
		p.lifespan.users = slices.DeleteFunc(p.lifespan.users, ended)
	}
	change.Took = time.Since(began)
	p.logger().Info("reloaded", "change", change.String(), "compiled", change.Compiled, "took", change.Took)
	return change, nil
}

// retire stops a lifespan when no call uses it any more.
func (p *program) retire(ctx context.Context, old *lifespan) {
	for _, used := range old.users {
		<-used
	}
	if err := old.end(ctx); err != nil {
		p.logger().Error("lifespan", "error", err)
	}
}

// failed tells clients that want error messages why the version before goes on
// serving. Who asked for the reload has the error, and tells the operator.
func (p *program) failed(ctx context.Context, err error) {
	p.Tell(ctx, "error", "reload failed, the version before goes on serving: "+err.Error())
}

// Watch is [Host.Watch].
func (p *program) Watch(ctx context.Context, done func(*Change, error)) error {
	if p.source.dir == "" {
		return ErrNotWatchable
	}
	w := &reload.Watcher{
		Dir:     p.source.dir,
		Files:   p.watched,
		Settled: func(ctx context.Context, last bool) bool { return p.look(ctx, last, done) },
		Ready:   p.watching,
	}
	return w.Run(ctx)
}

// watched are the files to watch, the server's own among them even if they are
// not there at the moment.
func (p *program) watched() []string {
	files := p.seen.Load().Files()
	if entry := p.loading.Entry; entry != "." {
		files = append(files, entry)
	}
	return files
}

// look reloads if the content of any file is another. again says that a file is
// half written, so that it is better to wait; with last it is taken as it is.
func (p *program) look(ctx context.Context, last bool, done func(*Change, error)) (again bool) {
	fsys, closed, err := p.source.open()
	if err != nil {
		return !last // the folder is being replaced
	}
	state := p.seen.Load().Look(fsys, p.loading.Entry)
	if closed() != nil || state == reload.Same {
		return false
	}
	if state == reload.Unfinished && !last {
		return true
	}
	change, err := p.Reload(ctx)
	switch {
	case done != nil:
		done(change, err)
	case err != nil:
		p.logger().Error("reload failed, the version before goes on serving", "why", err)
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
