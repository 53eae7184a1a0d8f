package round

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// A Call is everything one round needs. Plan, State and Thread must be set.
type Call struct {
	Plan *graph.Plan
	// Arguments are the values of [graph.Plan.Arguments], validated and frozen.
	Arguments []starlark.Value
	// Context is the script's ctx. Nil: no function of the plan takes one.
	Context starlark.Value
	// State is [Begin]'s in the first round, the unsealed one afterwards. It is
	// not changed: [Result.State] is what the next round needs.
	State *State
	// Code names the version of the scripts; see [State.Code].
	Code string
	// Resume is the script's ctx for the next round of a body that drives its rounds
	// by itself, where that round needs no request of the client's. Nil: the
	// context stays as it is.
	Resume func(Resumed) starlark.Value
	// Malformed reports an answer that is none of the results a client can answer
	// with. Only what [Call.Ask] gives to such a body is judged. May be nil.
	Malformed func(answer json.RawMessage) bool
	// Capabilities are the client's, as JSON.
	Capabilities json.RawMessage
	// Answers are the raw answers that came with this round, by wire key.
	Answers map[string]json.RawMessage
	// Ask sends a question at once and waits for the raw answer. When it is nil
	// questions are collected instead, and the round ends with them.
	Ask func(context.Context, Asked) (json.RawMessage, error)
	// Thread makes the thread that all functions of the round run on.
	Thread func(context.Context) (thread *starlark.Thread, release func())
	// Ran is told the wire key of each resolver that ran. May be nil.
	Ran func(key string)
	// Around is called before a resolver runs, and gives the context that it runs
	// in. after is called when it has run, with the error that it ended with; to wait
	// for an answer is none. May be nil.
	Around func(ctx context.Context, key string) (inside context.Context, after func(error))
	// Observe is told what resolvers do, in the order in which they do it. May be
	// nil.
	Observe func(Event)
	// Replace gives the function to run in the place of the resolver of that wire
	// key, or nil to leave it be. Tests use it. May be nil.
	Replace func(key string) starlark.Callable
	// Discarded is told the wire key of an answer that no longer fits its
	// question, which is asked again. May be nil.
	Discarded func(key string)
}

// An Asked is a question on its way to the client.
type Asked struct {
	Key      string
	Question engine.Question
}

// A Result is what a round ended with: a value, or questions.
type Result struct {
	// Value is what the tool's body returned; nil when there are questions.
	Value starlark.Value
	// Asked are the questions to answer before the next round, in graph order.
	Asked []Asked
	// State is what the next round needs. Nil unless there are questions.
	State *State
	// Manual says that the body asked by itself. Then Asked may be empty, and State
	// nil.
	Manual bool
}

// Run runs one round. The error is an *[engine.Failure] or another error of the
// script (see [engine.FailureText]), an *[engine.ProtocolError], an
// *[engine.Interrupt], or the context's cause.
func Run(ctx context.Context, call *Call) (*Result, error) {
	thread, release := call.Thread(ctx)
	defer release()
	r := &run{
		Call:    call,
		ctx:     ctx,
		thread:  thread,
		slots:   make([]slot, len(call.Plan.Resolvers)),
		context: call.Context,
		next: &State{
			Version: stateVersion,
			Call:    call.State.Call,
			Began:   call.State.Began,
			Seed:    call.State.Seed,
			Rounds:  call.State.Rounds + 1,
			Trace:   call.State.Trace,
			Code:    call.Code,
			Changed: call.State.Changed,
		},
	}
	args, ready, err := r.inputs(call.Plan.Tool)
	if err != nil {
		return nil, err
	}
	if !ready {
		return &Result{Asked: r.asked, State: r.next}, nil
	}
	return r.manual(args)
}

// run is one round on its way.
type run struct {
	*Call
	ctx    context.Context
	thread *starlark.Thread
	slots  []slot // by the index of the resolver
	// context is the script's ctx in this round.
	context starlark.Value
	asked   []Asked
	next    *State
}

// A slot is what became of a resolver in this round.
type slot struct {
	state   slotState
	outcome engine.Outcome
}

type slotState int

const (
	untouched slotState = iota
	pending             // it, or something it needs, waits for an answer
	done
)

// errPending says that a resolver waits for an answer. It never leaves the package.
var errPending = errors.New("pending")

// inputs fills the parameters of a node from left to right. Every dependency is
// visited even when an earlier one is pending, so that all questions that can be
// reached go out together. ready is false when something is pending.
func (r *run) inputs(n *graph.Node) (args arguments, ready bool, err error) {
	ready = true
	for _, in := range n.Inputs {
		var v starlark.Value
		switch in.Kind {
		case graph.FromArgument:
			v = r.Arguments[in.Argument]
		case graph.FromContext:
			v = r.context
		case graph.FromResolver:
			outcome, err := r.resolve(in.Resolver)
			if errors.Is(err, errPending) {
				ready = false
				continue
			}
			if err != nil {
				return args, false, err
			}
			if v, err = consume(in, outcome); err != nil {
				return args, false, err
			}
		}
		args.add(in, v)
	}
	return args, ready, nil
}

// consume is what a parameter gets of an outcome.
func consume(in graph.Input, outcome engine.Outcome) (starlark.Value, error) {
	if in.Outcome {
		return &outcomeValue{outcome}, nil
	}
	if outcome.Action != engine.Accepted {
		return nil, &engine.Failure{Text: fmt.Sprintf(
			"Resolver for parameter '%s' could not resolve: elicitation was %s", in.Param, outcome.Action)}
	}
	return outcome.Value, nil
}

// resolve is the outcome of a resolver: run at most once a round.
func (r *run) resolve(n *graph.Node) (engine.Outcome, error) {
	s := &r.slots[n.Index]
	switch s.state {
	case done:
		return s.outcome, nil
	case pending:
		return engine.Outcome{}, errPending
	}
	n, err := r.replaced(n)
	if err != nil {
		return engine.Outcome{}, err
	}
	args, ready, err := r.inputs(n)
	if err != nil {
		return engine.Outcome{}, err
	}
	if !ready {
		s.state = pending
		return engine.Outcome{}, errPending
	}
	outcome, err := r.runResolver(n, args)
	if errors.Is(err, errPending) {
		s.state = pending
	}
	if err != nil {
		return engine.Outcome{}, err
	}
	s.state, s.outcome = done, outcome
	return outcome, nil
}

func (r *run) runResolver(n *graph.Node, args arguments) (_ engine.Outcome, err error) {
	if r.Ran != nil {
		r.Ran(n.Key)
	}
	ctx := r.ctx
	if r.Around != nil {
		var after func(error)
		ctx, after = r.Around(ctx, n.Key)
		defer func() {
			if errors.Is(err, errPending) {
				after(nil)
				return
			}
			after(err)
		}()
	}
	scope := standing(ctx, r.State, n.Key)
	v, err := r.call(scope, n.Func, args)
	if err != nil {
		return engine.Outcome{}, err
	}
	q, asks := v.(engine.Question)
	if stray := scope.Unreturned(q); stray != nil {
		return engine.Outcome{}, strayQuestion(stray, n.Func.Name)
	}
	if !asks {
		r.observe(n.Key, Computed, "")
		v, err := fits(n.Func, v)
		return engine.Outcome{Action: engine.Accepted, Value: v}, err
	}
	if err := mayAsk(n.Func, q); err != nil {
		return engine.Outcome{}, err
	}
	outcome, err := r.ask(n, q)
	if err == nil {
		r.observe(n.Key, Answered, outcome.Action)
	}
	if err != nil || outcome.Action != engine.Accepted || q.Answers() != nil {
		return outcome, err
	}
	outcome.Value, err = fits(n.Func, outcome.Value)
	return outcome, err
}

// body runs the tool itself.
func (r *run) body(args arguments) (starlark.Value, error) {
	r.observe("", Ran, "")
	scope := engine.NewScope(r.ctx)
	fn := r.Plan.Tool.Func
	v, err := r.call(scope, fn, args)
	if err != nil {
		return nil, err
	}
	if q := stray(scope, v); q != nil {
		return nil, &engine.Failure{Text: fmt.Sprintf(
			"%s: %s() in %s(): a %s can't ask; move the question to a resolver, `x: resolve(that_resolver)`, and use its answer here",
			q.Pos(), q.Word(), fn.Name, r.Plan.Kind)}
	}
	if err := engine.Freeze(v); err != nil {
		return nil, &engine.Failure{Text: fmt.Sprintf("what %s() returned can't be handed on: %v", fn.Name, err)}
	}
	return v, nil
}

func (r *run) call(scope *engine.Scope, fn *graph.Func, args arguments) (starlark.Value, error) {
	scope.Attach(r.thread)
	if err := r.ctx.Err(); err != nil {
		return nil, context.Cause(r.ctx)
	}
	v, err := starlark.Call(r.thread, fn.Call, args.positional, args.keyword)
	if err != nil {
		return nil, engine.Interrupted(r.thread, err)
	}
	return v, nil
}

// fits checks what a resolver computed against its -> T, and freezes it.
func fits(fn *graph.Func, v starlark.Value) (starlark.Value, error) {
	if fn.Returns != nil {
		got, wrong := fn.Returns.Accept(v, "")
		if len(wrong) > 0 {
			text := fmt.Sprintf("resolver %s() is declared -> %s, but: %s", fn.Name, fn.Returns.TypeName(), engine.MismatchText(wrong))
			return nil, &engine.WrongResult{Failure: engine.Failure{Text: text}, At: fn.Span}
		}
		v = got
	}
	if err := engine.Freeze(v); err != nil {
		return nil, &engine.Failure{Text: fmt.Sprintf("what %s() returned can't be handed on: %v", fn.Name, err)}
	}
	return v, nil
}

func strayQuestion(q engine.Question, fn string) error {
	return &engine.Failure{Text: fmt.Sprintf(
		"%s: %s() made a question that %s() did not return; write `return %s(...)`", q.Pos(), q.Word(), fn, q.Word())}
}

// arguments are those of one Starlark call.
type arguments struct {
	positional starlark.Tuple
	keyword    []starlark.Tuple
}

// replace puts another value where one stands.
func (a *arguments) replace(old, with starlark.Value) {
	for i, v := range a.positional {
		if v == old {
			a.positional[i] = with
		}
	}
	for _, pair := range a.keyword {
		if pair[1] == old {
			pair[1] = with
		}
	}
}

func (a *arguments) add(in graph.Input, v starlark.Value) {
	if in.KeywordOnly {
		a.keyword = append(a.keyword, starlark.Tuple{starlark.String(in.Param), v})
		return
	}
	a.positional = append(a.positional, v)
}
