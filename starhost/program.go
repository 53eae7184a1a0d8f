package starhost

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/isolate"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// A program is scripts that run in this process: loaded, called, and replaced by
// newer ones.
type program struct {
	*calls.Runner
	options *Options
	loading load.Options // what each load begins with
	source  source

	reloading  sync.Mutex // one Reload at a time; guards lifespan
	lifespan   *lifespan
	seen       atomic.Pointer[reload.Fingerprint] // of the last load, good or bad
	background sync.WaitGroup                     // lifespans that wait for their last call

	watching func() // told when Watch has begun; for tests
}

var _ isolate.Program = (*program)(nil)

// source is where the files of a server come from: a file system that was given, or
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

// programAt loads the server at a path, as [LoadDir] has it.
func programAt(ctx context.Context, path string, options Options) (*program, error) {
	place, err := Locate(path)
	if err != nil {
		return nil, err
	}
	options.Entry = place.Entry
	return newProgram(ctx, source{dir: place.Root}, filepath.Base(place.Folder), options)
}

// newProgram loads scripts and starts their lifespan. folder is the name of the folder
// that they lie in, "" where it has none.
func newProgram(ctx context.Context, from source, folder string, options Options) (*program, error) {
	p := &program{options: &options, source: from}
	var err error
	if p.loading, err = p.options.load(); err != nil {
		return nil, err
	}
	p.loading.Folder = folder
	snapshot, err := p.load(ctx, nil)
	if err != nil {
		return nil, err
	}
	if p.lifespan, err = start(ctx, snapshot, p.options); err != nil {
		return nil, err
	}
	p.Runner = calls.New(snapshot, p.lifespan.state, p.options.calls())
	return p, nil
}

func (p *program) logger() *slog.Logger {
	if p.options.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return p.options.Logger
}

// Close waits for the calls that still run, but no longer than ctx, and ends the
// lifespan.
func (p *program) Close(ctx context.Context) error {
	p.reloading.Lock()
	defer p.reloading.Unlock()
	p.Runner.Close(ctx)
	nothing := &load.Snapshot{Name: p.Snapshot().Name}
	p.lifespan.users = append(p.lifespan.users, p.Publish(nothing, starlark.None))
	p.quiet(ctx)
	return p.lifespan.end(ctx)
}

// quiet waits until no call runs any more and the lifespans of earlier versions
// have ended, but no longer than ctx.
func (p *program) quiet(ctx context.Context) {
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		p.background.Wait()
		for _, used := range p.lifespan.users {
			<-used
		}
	}()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
