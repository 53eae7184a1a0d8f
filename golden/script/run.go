package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost"
)

// Options say how to run a file.
type Options struct {
	// Wants chooses functions by name. Nil is all.
	Wants func(name string) bool
	// Open loads the server. Nil is starhost.LoadDir.
	Open func(ctx context.Context, path string, o starhost.Options) (*starhost.Host, error)
	// Timeout bounds one function. 0 is one minute.
	Timeout time.Duration
	// Host is what each server is opened with; its Output and Test are not used.
	Host starhost.Options
}

// A Result is what became of one function.
type Result struct {
	Name   string
	Failed bool
	// Line is where it failed, in the test file, or where the function begins.
	Line int
	// Text says why it failed; Printed is what it and its tools printed.
	Text, Printed string
	Took          time.Duration
}

// Run runs the functions test_* of a file in the order in which they stand there.
// The error is why it can't be loaded: a *report.Error for its scripts.
func Run(ctx context.Context, file string, o Options) ([]Result, error) {
	if o.Open == nil {
		o.Open = starhost.LoadDir
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	place, err := starhost.Locate(file)
	if err != nil {
		return nil, err
	}
	first, err := open(ctx, file, place.Entry, o)
	if err != nil {
		return nil, err
	}
	tests := first.tests()
	if err := first.host.Close(ctx); err != nil {
		return nil, err
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s: no function is named test_...", file)
	}
	var results []Result
	for _, fn := range tests {
		if o.Wants != nil && !o.Wants(fn.Name()) {
			continue
		}
		r, err := runOne(ctx, file, place.Entry, fn.Name(), o)
		if err != nil {
			return results, err
		}
		results = append(results, *r)
	}
	return results, nil
}

// A session is one function with a server of its own.
type session struct {
	entry   string
	host    *starhost.Host
	ctx     context.Context
	printed printed

	mu       sync.Mutex
	override map[string]starlark.Callable
	asking   string // the resolver that has asked last
	now      time.Time
	random   func() uint64
}

func open(ctx context.Context, file, entry string, o Options) (*session, error) {
	s := &session{entry: entry, ctx: ctx}
	words, err := s.words()
	if err != nil {
		return nil, err
	}
	under := o.Host
	under.Output = &s.printed
	under.Test = &starhost.Test{Words: words, World: s.world(), Observe: s.observe, Replace: s.replace}
	s.host, err = o.Open(ctx, file, under)
	return s, err
}

// tests are the functions test_*, in the order of their lines.
func (s *session) tests() []*starlark.Function {
	var list []*starlark.Function
	for name, v := range s.host.Snapshot().Globals(s.entry) {
		if fn, ok := v.(*starlark.Function); ok && strings.HasPrefix(name, "test_") {
			list = append(list, fn)
		}
	}
	slices.SortFunc(list, func(a, b *starlark.Function) int { return int(a.Position().Line - b.Position().Line) })
	return list
}

func runOne(ctx context.Context, file, entry, name string, o Options) (*Result, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("stopped after %v", o.Timeout))
	defer cancel()
	s, err := open(ctx, file, entry, o)
	if err != nil {
		return nil, err
	}
	fn, ok := s.host.Snapshot().Globals(entry)[name].(*starlark.Function)
	if !ok {
		return nil, fmt.Errorf("%s has changed while it was run", file)
	}
	r := &Result{Name: name, Line: int(fn.Position().Line)}
	thread := &starlark.Thread{Name: name, Print: func(_ *starlark.Thread, text string) { s.printed.line(text) }}
	scope := engine.NewScope(engine.WithWorld(ctx, s.world()))
	scope.Attach(thread)
	release := engine.Limits{}.Apply(thread)
	_, err = starlark.Call(thread, fn, nil, nil)
	err = engine.Interrupted(thread, err)
	release()
	if err != nil {
		r.Failed = true
		r.Line, r.Text = s.explain(err, r.Line)
	}
	if err := s.host.Close(context.WithoutCancel(ctx)); err != nil && !r.Failed {
		r.Failed, r.Text = true, err.Error()
	}
	r.Printed = s.printed.String()
	r.Took = time.Since(began)
	return r, nil
}

// explain says why a function failed, and where in the test file.
func (s *session) explain(err error, line int) (int, string) {
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		for _, frame := range eval.CallStack {
			if frame.Pos.Filename() == s.entry && frame.Pos.Line > 0 {
				line = int(frame.Pos.Line)
			}
		}
	}
	text := engine.FailureText(err)
	var protocol *engine.ProtocolError
	if errors.As(err, &protocol) {
		text = fmt.Sprintf("protocol_error(%d, %q)", protocol.Code, protocol.Message)
	}
	return line, text
}

// printed collects what is printed, from any goroutine.
type printed struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (p *printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(text)
}

func (p *printed) line(text string) { _, _ = p.Write([]byte(text + "\n")) } // a buffer can't fail

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}
