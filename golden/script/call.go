package script

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/testing"
)

// A played is one call(...).
type played struct {
	session      *session
	tool         *load.Tool
	args         exactjson.Object
	answers      map[string]starlark.Value // by wire key
	revision     string
	capabilities json.RawMessage

	mu    sync.Mutex
	asked []question
	open  []string // questions without an answer
}

// A question is what a resolver has asked.
type question struct {
	key    string
	method string
	params json.RawMessage
}

// call(fn, answers = {}, override = {}, args = {}, revision =, capabilities =,
// clock =, random =, **arguments) plays a call of a tool.
func (s *session) call(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if s.host == nil {
		return nil, fmt.Errorf("call() plays a call, so it works only in a function test_...")
	}
	p := &played{session: s, revision: testing.Rounds}
	if len(args) != 1 {
		return nil, fmt.Errorf("call: want the tool, and its arguments by name: call(order_book, title = \"Dune\")")
	}
	var err error
	if p.tool, err = s.tool(args[0]); err != nil {
		return nil, err
	}
	defer s.reset()
	for _, kw := range kwargs {
		name := string(kw[0].(starlark.String))
		if err := p.option(name, kw[1]); err != nil {
			return nil, fmt.Errorf("call: %s: %w", name, err)
		}
	}
	return p.play(engine.ScopeOf(thread).Context)
}

// reset ends what a call has changed.
func (s *session) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.override, s.now, s.random = nil, time.Time{}, nil
}

// tool is the tool that a function is the body of.
func (s *session) tool(v starlark.Value) (*load.Tool, error) {
	var names []string
	snapshot := s.host.Snapshot()
	for _, t := range snapshot.Tools {
		names = append(names, t.Name)
		if name, ok := starlark.AsString(v); ok && name == t.Name || v == starlark.Value(t.Plan.Tool.Func.Call) {
			return t, nil
		}
	}
	if name, ok := starlark.AsString(v); ok {
		help := engine.DidYouMean(name, names)
		if help == "" {
			help = "there are: " + strings.Join(names, ", ")
		}
		return nil, fmt.Errorf("call: there is no tool %q; %s", name, help)
	}
	if fn, ok := v.(starlark.Callable); ok {
		return nil, fmt.Errorf("call: %s() is not declared a tool; its tools are: %s. Call a plain function directly: %s(...)",
			fn.Name(), strings.Join(names, ", "), fn.Name())
	}
	return nil, fmt.Errorf("call: want a tool's function, got %s", engine.Describe(v))
}

// option takes in one keyword.
func (p *played) option(name string, v starlark.Value) error {
	s := p.session
	switch name {
	case "answers":
		return p.eachResolver(v, func(n *graph.Node, v starlark.Value) {
			if p.answers == nil {
				p.answers = map[string]starlark.Value{}
			}
			p.answers[n.Key] = v
		})
	case "override":
		override := map[string]starlark.Callable{}
		err := p.eachResolver(v, func(n *graph.Node, v starlark.Value) { override[n.Key] = callable(n, v) })
		s.mu.Lock()
		defer s.mu.Unlock()
		s.override = override
		return err
	case "args":
		dict, ok := v.(*starlark.Dict)
		if !ok {
			return fmt.Errorf("want a dict, got %s", engine.Describe(v))
		}
		for _, item := range dict.Items() {
			key, ok := starlark.AsString(item[0])
			if !ok {
				return fmt.Errorf("want names as keys, got %s", engine.Describe(item[0]))
			}
			p.args = append(p.args, exactjson.Member{Name: key, Value: item[1]})
		}
		return nil
	case "revision":
		p.revision, _ = starlark.AsString(v)
		if p.revision != testing.Rounds && p.revision != testing.Handshake {
			return fmt.Errorf("there are %q and %q, got %s", testing.Rounds, testing.Handshake, v)
		}
		return nil
	case "capabilities":
		text, err := exactjson.Marshal(v)
		p.capabilities = text
		return err
	case "clock":
		text, _ := starlark.AsString(v)
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return fmt.Errorf(`want a time such as "2026-01-01T12:00:00Z", got %s`, v)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now = at
		return nil
	case "random":
		seed, err := starlark.AsInt32(v)
		if err != nil {
			return fmt.Errorf("want an int to begin with, got %s", engine.Describe(v))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.random = rand.NewPCG(uint64(seed), 0).Uint64
		return nil
	}
	p.args = append(p.args, exactjson.Member{Name: name, Value: v})
	return nil
}

// eachResolver goes through a dict with resolvers as keys: functions, or names.
func (p *played) eachResolver(v starlark.Value, do func(*graph.Node, starlark.Value)) error {
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return fmt.Errorf("want a dict with resolvers as keys, got %s", engine.Describe(v))
	}
	for _, item := range dict.Items() {
		n, err := p.resolver(item[0])
		if err != nil {
			return err
		}
		do(n, item[1])
	}
	return nil
}

func (p *played) resolver(v starlark.Value) (*graph.Node, error) {
	var names []string
	name, isName := starlark.AsString(v)
	for _, n := range p.tool.Plan.Resolvers {
		_, last, _ := strings.Cut(n.Key, ":")
		if v == starlark.Value(n.Func.Call) || isName && (name == n.Key || name == last) {
			return n, nil
		}
		names = append(names, n.Func.Name)
	}
	if fn, ok := v.(starlark.Callable); ok {
		name = fn.Name()
	} else if !isName {
		name = v.String()
	}
	help := engine.DidYouMean(name, names)
	if help == "" {
		help = "it uses " + strings.Join(names, ", ")
		if len(names) == 0 {
			help = "it uses none"
		}
	}
	return nil, fmt.Errorf("%s is no resolver of tool %s; %s", name, p.tool.Name, help)
}

// callable is what runs in the place of a resolver: a function, or a value that
// stands for one.
func callable(n *graph.Node, v starlark.Value) starlark.Callable {
	if fn, ok := v.(starlark.Callable); ok {
		if _, scripted := fn.(*starlark.Function); scripted {
			return fn
		}
	}
	v.Freeze()
	return starlark.NewBuiltin(n.Func.Name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return v, nil
	})
}

// play plays the call from its first request to its end.
func (p *played) play(ctx context.Context) (starlark.Value, error) {
	args, err := exactjson.Marshal(p.args)
	if err != nil {
		return nil, fmt.Errorf("call: %w", err)
	}
	if len(p.args) == 0 {
		args = json.RawMessage(`{}`)
	}
	client, err := testing.Connect(ctx, p.session.host, testing.Options{
		Revision: p.revision, Capabilities: p.capabilities, Answer: p.answer,
	})
	if err != nil {
		return nil, fmt.Errorf("call: %w", err)
	}
	done, err := client.Call(ctx, p.tool.Name, args)
	if closed := client.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) > 0 {
		name := p.open[0]
		_, short, _ := strings.Cut(name, ":")
		return nil, fmt.Errorf("call: nobody answers the question of %s; write answers = {%s: accept(...)}", name, short)
	}
	return p.result(done)
}

// answer answers a question from answers.
func (p *played) answer(_ context.Context, q testing.Question) (testing.Answer, error) {
	key := q.Key
	if key == "" {
		p.session.mu.Lock()
		key = p.session.asking
		p.session.mu.Unlock()
	}
	p.mu.Lock()
	p.asked = append(p.asked, question{key, q.Method, q.Params})
	v := p.answers[key]
	if v == nil && !slices.Contains(p.open, key) {
		p.open = append(p.open, key)
	}
	p.mu.Unlock()
	if v == nil {
		return testing.Answer{}, nil
	}
	if fn, ok := v.(*starlark.Function); ok {
		var err error
		if v, err = askFunction(fn, q); err != nil {
			return testing.Answer{}, err
		}
	}
	text, err := exactjson.Marshal(v)
	return testing.Answer{Result: text}, err
}

// askFunction lets a function answer: it may take the question's params.
func askFunction(fn *starlark.Function, q testing.Question) (starlark.Value, error) {
	thread := &starlark.Thread{Name: "answer"}
	var args starlark.Tuple
	if fn.NumParams() > 0 && !fn.HasKwargs() {
		params := starlark.Value(new(starlark.Dict))
		if q.Params != nil {
			var err error
			if params, err = exactjson.Decode(q.Params, exactjson.Limits{}); err != nil {
				return nil, err
			}
		}
		args = starlark.Tuple{params}
	}
	release := engine.Limits{}.Apply(thread)
	defer release()
	return starlark.Call(thread, fn, args, nil)
}
