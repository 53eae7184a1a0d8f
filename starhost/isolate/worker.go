package isolate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// Options say how a worker is started. Zero fields mean the default.
type Options struct {
	// Command is the program that calls [Serve], and its arguments. It must be set.
	Command []string
	// Memory is how many bytes the worker may have beside what it has when it begins.
	// Default 1 GiB.
	Memory int64
	// Wait is how long a call waits for a worker while there is none. Default 30 s.
	Wait time.Duration
	// Stderr gets what the worker writes to its standard error: what the scripts
	// print, and its log. Default: it is dropped.
	Stderr io.Writer
	// Logger is told when a worker has ended and is started again. Default: nobody.
	Logger *slog.Logger

	// asked is how often the host makes sure that the worker is alive. Default 5 s;
	// tests have less.
	asked time.Duration
	// watched is how often the host looks at the worker's memory, if not 0; for tests.
	watched time.Duration
}

// DefaultMemory is how many bytes a worker may have where nothing is said.
const DefaultMemory = 1 << 30

func (o Options) orDefault() Options {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	if o.asked == 0 {
		o.asked = 5 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// A Worker is the scripts of a server in another process. When that ends, the calls in
// it end with an error and another one is started: it loads the scripts as they are
// then, starts their lifespan anew, and has nothing of what the one before kept in
// memory. A Worker is safe for concurrent use.
type Worker struct {
	options Options
	offer   atomic.Pointer[calls.Offer]
	life    context.Context // ends when the worker is closed
	end     context.CancelFunc
	over    chan struct{}   // closed when no process is left
	closing context.Context // of Close; set before life ends
	closed  error           // what Close returns; set before over is closed

	mu       sync.Mutex
	process  *process      // the one that calls go to; nil while there is none
	turned   chan struct{} // closed when process changes
	hurry    chan struct{} // of one: somebody wants a process now
	trouble  error         // why there is none, if it is known
	audience calls.Audience

	telling sync.Mutex // one change of the offer at a time
}

var _ Program = (*Worker)(nil)

// Start starts a worker. It returns when the scripts are loaded, or the error that
// loading ended with: a *report.Error when they have problems. Close the worker when it
// is no longer used.
func Start(ctx context.Context, options Options) (*Worker, error) {
	if len(options.Command) == 0 {
		return nil, errors.New("isolate: the command that starts a worker is not set")
	}
	w := &Worker{options: options.orDefault(), over: make(chan struct{}), turned: make(chan struct{}), hurry: make(chan struct{}, 1)}
	w.life, w.end = context.WithCancel(context.WithoutCancel(ctx))
	w.audience = calls.Nobody{}
	p, err := w.launch(ctx)
	if err != nil {
		w.end()
		return nil, err
	}
	go w.keep(p)
	return w, nil
}

// launch starts a process, has it load the scripts, and takes it into use.
func (w *Worker) launch(ctx context.Context) (*process, error) {
	p, err := w.options.launch(w.handle, func(m *message) { w.offered(m.Offer) })
	if err != nil {
		return nil, err
	}
	own := w.options.Memory
	if w.options.watched > 0 {
		own = 0
	}
	ready, err := p.begin(ctx, own)
	if err != nil {
		p.dismiss(patience)
		return nil, err
	}
	go p.ask(w.options.asked, 4*w.options.asked)
	if every := w.watchEvery(ready); every > 0 {
		go p.watch(every)
	}
	w.turn(p, nil)
	return p, nil
}

// watchEvery is how often the host has to look at the memory of a worker; 0 is never.
func (w *Worker) watchEvery(r *ready) time.Duration {
	const often = 50 * time.Millisecond
	switch {
	case w.options.watched > 0:
		return w.options.watched
	case r.Bounded:
		return 0
	}
	return often
}

// turn makes calls go to another process, or to none for a reason.
func (w *Worker) turn(p *process, trouble error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.process, w.trouble = p, trouble
	close(w.turned)
	w.turned = make(chan struct{})
}

// keep starts another process whenever one ends, until the worker is closed. Processes
// that end early are followed at growing distances.
func (w *Worker) keep(p *process) {
	defer close(w.over)
	const first, longest, healthy = 50 * time.Millisecond, 10 * time.Second, 10 * time.Second
	distance := time.Duration(0)
	told := ""
	for {
		if p != nil {
			if w.outlive(p); w.life.Err() != nil {
				return
			}
			if time.Since(p.began) > healthy {
				distance = 0
			}
		}
		if !w.pause(distance) {
			return
		}
		distance = min(max(2*distance, first), longest)
		p, told = w.again(told)
	}
}

// outlive waits until a process has ended, and ends it when the worker is closed.
func (w *Worker) outlive(p *process) {
	select {
	case <-p.ended:
	case <-w.life.Done():
		w.closed = p.close(w.closing)
		return
	}
	w.turn(nil, nil)
	w.log(slog.LevelError, "the scripts' process has ended; another one is started", "why", p.died())
}

// again tries to start a process; nil if that failed. told is why it failed before, of
// which operators know, or "".
func (w *Worker) again(told string) (p *process, now string) {
	p, err := w.launch(w.life)
	if err == nil {
		if told != "" {
			w.log(slog.LevelWarn, "the scripts' process has begun")
		}
		return p, ""
	}
	if died := new(errDied); errors.As(err, died) {
		w.turn(nil, nil) // nothing is known of the scripts
	} else {
		w.turn(nil, err)
	}
	if now = err.Error(); now != told && w.life.Err() == nil {
		w.log(slog.LevelError, "the scripts' process can't begin; it is tried again", "why", now)
	}
	return nil, now
}

// log tells operators, and does not wait until somebody reads it.
func (w *Worker) log(level slog.Level, text string, about ...any) {
	go w.options.Logger.Log(context.Background(), level, text, about...)
}

// pause waits; false when the worker is closed meanwhile.
func (w *Worker) pause(long time.Duration) bool {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-w.life.Done():
		return false
	case <-w.hurry:
		return true
	case <-timer.C:
		return true
	}
}

// running is the process to use. It waits for one, but not for long; the error is for
// whoever needed it.
func (w *Worker) running(ctx context.Context) (*process, error) {
	late, stop := context.WithTimeoutCause(ctx, w.options.Wait,
		fmt.Errorf("the server's scripts were not back within %v; try again later", w.options.Wait))
	defer stop()
	return w.await(late, func(trouble error) error {
		if trouble == nil {
			return nil
		}
		return errors.New("the server's scripts can't be loaded at the moment; try again later")
	})
}

// await waits for a process to use, as long as ctx lasts and judge has nothing to say
// of why there is none.
func (w *Worker) await(ctx context.Context, judge func(trouble error) error) (*process, error) {
	for {
		w.mu.Lock()
		p, turned, trouble := w.process, w.turned, w.trouble
		w.mu.Unlock()
		if p != nil && !p.link.hungUp() {
			return p, nil
		}
		if p == nil {
			if err := judge(trouble); err != nil {
				return nil, err
			}
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-w.life.Done():
			return nil, errors.New("the server is stopping")
		}
	}
}

// Offer implements [Program]: it is what the last process has said, also while there is
// none.
func (w *Worker) Offer() *calls.Offer { return w.offer.Load() }

// Attach implements [Program].
func (w *Worker) Attach(audience calls.Audience) {
	w.telling.Lock()
	defer w.telling.Unlock()
	w.mu.Lock()
	w.audience = audience
	w.mu.Unlock()
	audience.Offered(&calls.Offer{}, w.Offer())
}

// offered takes in what a process offers, and tells.
func (w *Worker) offered(now *calls.Offer) {
	w.telling.Lock()
	defer w.telling.Unlock()
	before := w.offer.Swap(now)
	if before != nil {
		w.listening().Offered(before, now)
	}
}

func (w *Worker) listening() calls.Audience {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.audience
}

// handle answers what a worker asks of its host.
func (w *Worker) handle(ctx context.Context, p *process, m *message) *message {
	switch {
	case m.Said != nil:
		c := p.link.about(m.Of).call
		if c == nil {
			return &message{Error: failed(errEnded)}
		}
		return c.hear(ctx, m.Said)
	case m.Updated != nil:
		w.listening().ResourceUpdated(ctx, m.Updated.URI)
	case m.Tell != nil:
		w.listening().Tell(ctx, m.Tell.Level, m.Tell.Text)
	case m.Changed != nil:
		if done := p.link.about(m.Of).done; done != nil {
			done(m.Changed.Change, m.Changed.Error.err())
		}
	}
	return &message{}
}

// Reload implements [Program]. While the scripts have problems, so that there is no
// process, it tries whether they still have.
func (w *Worker) Reload(ctx context.Context) (*reload.Change, error) {
	w.mu.Lock()
	turned, trouble := w.turned, w.trouble
	w.mu.Unlock()
	if trouble != nil {
		select {
		case w.hurry <- struct{}{}:
		default:
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		w.mu.Lock()
		trouble = w.trouble
		w.mu.Unlock()
		if trouble != nil {
			return nil, trouble
		}
	}
	p, err := w.running(ctx)
	if err != nil {
		return nil, err
	}
	m, err := p.link.request(ctx, &message{Reload: &reloading{}}, purpose{})
	if errors.Is(err, errGone) {
		return nil, errors.New(p.died())
	}
	if err != nil {
		return nil, err
	}
	return m.Changed.Change, nil
}

// Watch implements [Program]. Each process watches its files itself.
func (w *Worker) Watch(ctx context.Context, done func(*reload.Change, error)) error {
	for {
		p, err := w.await(ctx, func(error) error { return nil })
		if err != nil {
			return nil // over
		}
		_, err = p.link.request(ctx, &message{Reload: &reloading{Watch: true, Tell: done != nil}}, purpose{done: done})
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, errGone) {
			return err
		}
	}
}

// Close implements [Program]: it ends the process, and waits for that. Close it once.
func (w *Worker) Close(ctx context.Context) error {
	w.closing = ctx
	w.end()
	<-w.over
	return w.closed
}
