package calls

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/builtins/result"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// A call is one request on its way: one round of what the author sees as one call.
type call struct {
	runner  *Runner
	version *version
	offer   *Offer
	req     *Request
	client  Client
	subject subject
	state   *round.State
	next    []byte // the state for the next round
	report  Report
	mistake *report.Error // where and why a script failed
	told    progress
	// allowance is what the round may use.
	allowance *allowance
}

// Call answers a request. The answer is never nil: with an error it is the report
// alone. The error is an *[engine.ProtocolError], or ctx's when nobody waits any
// more; another one is the host's own fault.
func (r *Runner) Call(ctx context.Context, req *Request, client Client) (answer *Answer, err error) {
	v := r.enter()
	defer v.release()
	c := &call{runner: r, version: v, offer: v.offer.Load(), req: req, client: client}
	defer func() {
		if p := recover(); p != nil {
			r.options.Logger.Error("panic", "method", req.Method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			answer, err = &Answer{Report: c.finished()}, internalError()
		}
	}()
	members, err := c.answer(engine.WithWorld(ctx, r.options.World))
	answer = &Answer{Members: members, State: c.next, Report: c.finished()}
	c.tellFailure(ctx)
	return answer, err
}

func internalError() error {
	return &engine.ProtocolError{Code: engine.CodeInternalError, Message: "Internal error"}
}

// answer is the one straight way through a round: subject, state, arguments, graph,
// result. What the model can act on becomes an error result, what only the
// client's program can is an error.
func (c *call) answer(ctx context.Context) (exactjson.Object, error) {
	if c.req.Method == "completion/complete" {
		return c.complete(ctx)
	}
	found, none, err := c.find()
	if err != nil {
		return nil, err
	}
	if found == nil {
		return c.completed(none), nil
	}
	c.subject = found
	if lacks := c.lacking(); lacks != "" {
		return c.completed(c.toolError(lacks)), nil
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	members, err := c.limited(ctx, c.round)
	if err != nil {
		return c.failed(ctx, err)
	}
	return members, nil
}

// completed marks a result as the last of its call, where results say so.
func (c *call) completed(members exactjson.Object) exactjson.Object {
	if !c.req.Modern {
		return members
	}
	return append(exactjson.Object{{Name: "resultType", Value: "complete"}}, members...)
}

// failed turns the error that a round ended with into what the subject says of it,
// unless it is one for the client's program.
func (c *call) failed(ctx context.Context, err error) (exactjson.Object, error) {
	c.next = nil
	var protocol *engine.ProtocolError
	if errors.As(err, &protocol) || ctx.Err() != nil {
		return nil, err
	}
	c.trace(err)
	var invalid *badArguments
	members, err := c.subject.failed(c, engine.FailureText(err), errors.As(err, &invalid))
	if err != nil {
		return nil, err
	}
	return c.completed(members), nil
}

// begin is the state that this round goes on from.
func (c *call) begin() error {
	world := &engine.World{}
	if c.runner.options.World != nil {
		world = c.runner.options.World
	}
	now := world.Time()
	if c.req.Modern && c.req.State != nil {
		c.state = round.DecodeState(c.req.State)
	}
	if c.state == nil {
		c.state = round.BeginIn(world)
	} else if age := now.Sub(c.state.Start()); age > c.runner.options.MaxCallAge {
		c.runner.options.Logger.Warn("requestState refused", "method", c.req.Method, "name", c.req.Target,
			"reason", fmt.Sprintf("the call began %s ago", age.Round(time.Second)))
		return seal.Answer()
	}
	if c.state.Trace == "" {
		c.state.Trace = c.req.Trace
	}
	return nil
}

// round runs the graph, and the body if nothing is left to ask.
func (c *call) round(ctx context.Context) (exactjson.Object, error) {
	if c.subject.plan() == nil { // a resource that is always the same
		members, err := c.subject.complete(c, c.subject.(resourceSubject).Text)
		return c.completed(members), err
	}
	ctx, quiet := c.patient(ctx)
	defer quiet()
	values, err := c.bind(ctx)
	if err != nil {
		return nil, err
	}
	run := c.newRound(ctx, values, round.Resumed{Answers: c.req.Answers, Kept: c.state.Manual})
	run.Around = func(ctx context.Context, key string) (context.Context, func(error)) {
		inside, after := c.client.Resolver(ctx, key)
		return inside, func(err error) { after(err != nil) }
	}
	if observe := c.runner.options.Observe; observe != nil {
		run.Observe = func(e round.Event) { observe(c.req.Target, e) }
	}
	if !c.req.Modern {
		run.Ask = c.ask
	}
	done, err := round.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	if done.Value == nil {
		c.report.Questions = len(done.Asked)
		return c.inputRequired(done)
	}
	members, err := c.subject.complete(c, done.Value)
	if err != nil {
		return nil, err
	}
	c.report.Outcome = OutcomeResult
	return c.completed(members), nil
}

// ask asks a client of an older revision, in the middle of the round.
func (c *call) ask(ctx context.Context, asked round.Asked) (json.RawMessage, error) {
	c.report.Questions++
	q := asked.Question
	params := q.Params(engine.Handshake)
	if err := c.askable(params); err != nil {
		return nil, err
	}
	if identified, ok := q.(questions.Identified); ok {
		params = identified.WithID(elicitationID(c.state.Call, asked.Key))
	}
	c.allowance.pause()
	defer c.allowance.resume(ctx)
	return c.client.Ask(ctx, Question{Method: q.Method(), Params: params, URL: q.Word() == "elicit_url"})
}

// elicitationID names an elicit_url of a call. Both sides of a notification can
// compute it, so nothing has to be remembered.
func elicitationID(callID, key string) string {
	sum := sha256.Sum256([]byte(callID + "\x00" + key))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// newRound is a round of the subject's plan, which collects its questions.
func (c *call) newRound(ctx context.Context, values []starlark.Value, came round.Resumed) *round.Call {
	info := c.info(ctx)
	context := func(came round.Resumed) starlark.Value {
		info.InputResponses = questions.Responses(came.Answers)
		info.RequestState = keptValue(came.Kept)
		return callctx.New(info)
	}
	return &round.Call{
		Plan:         c.subject.plan(),
		Arguments:    values,
		Context:      context(came),
		Resume:       context,
		State:        c.state,
		Code:         c.version.snapshot.Code,
		Capabilities: info.Capabilities,
		Answers:      came.Answers,
		Malformed:    questions.Malformed,
		Thread:       c.thread,
		Ran:          func(string) { c.report.Resolvers++ },
		Replace:      c.runner.options.Replace,
		Discarded: func(key string) {
			c.runner.options.Logger.Info("answer discarded: the question has changed since it was asked", "resolver", key)
		},
	}
}

// keptValue is what input_required(state =) kept, for the script. It was written by us.
func keptValue(kept json.RawMessage) starlark.Value {
	if kept == nil {
		return nil
	}
	v, err := exactjson.Decode(kept, exactjson.Limits{})
	if err != nil {
		return nil
	}
	v.Freeze()
	return v
}

// badArguments is the failure of a call whose arguments don't fit.
type badArguments struct{ engine.Failure }

// bind validates what came, once.
func (c *call) bind(ctx context.Context) ([]starlark.Value, error) {
	args, err := c.subject.arguments(c)
	if err != nil {
		return nil, err
	}
	thread, release := c.thread(ctx)
	defer release()
	c.state.ArgumentScope(ctx).Attach(thread)
	values, wrong, err := c.subject.parameters().Bind(thread, args)
	if err != nil {
		return nil, engine.Interrupted(thread, err)
	}
	if len(wrong) > 0 {
		return nil, &badArguments{engine.Failure{Text: result.Mismatches(wrong, c.subject.function()+"Arguments")}}
	}
	return values, nil
}

// thread makes the thread that a round's functions run on.
func (c *call) thread(ctx context.Context) (*starlark.Thread, func()) {
	return c.runner.thread(ctx, c.req.Target)
}

func (r *Runner) thread(ctx context.Context, name string) (*starlark.Thread, func()) {
	thread := &starlark.Thread{Name: name, Print: r.options.Print}
	engine.NewScope(ctx).Attach(thread)
	callctx.AttachHost(thread, r)
	release := r.options.Limits.Apply(thread)
	return thread, release
}

// inputRequired is the result of a round that ends with questions.
func (c *call) inputRequired(done *round.Result) (exactjson.Object, error) {
	var requests exactjson.Object
	var all []json.RawMessage
	for _, asked := range done.Asked {
		request := exactjson.Object{{Name: "method", Value: asked.Question.Method()}}
		if params := asked.Question.Params(engine.Rounds); params != nil {
			all = append(all, params)
			request = request.With("params", params)
		}
		requests = append(requests, exactjson.Member{Name: asked.Key, Value: request})
	}
	o := exactjson.Object{{Name: "resultType", Value: "input_required"}}
	if requests != nil {
		o = o.With("inputRequests", requests)
	}
	c.report.Outcome = OutcomeAsks
	if done.State == nil {
		return o, nil
	}
	if err := c.askable(all...); err != nil {
		return nil, err
	}
	var err error
	if c.next, err = done.State.Encode(); err != nil {
		return nil, fmt.Errorf("encoding the state: %w", err)
	}
	return o, nil
}

// Unable is the answer to a request whose call could not go on for a reason that is
// not the script's: the result that the model reads, or an error.
func Unable(req *Request, text string) (exactjson.Object, error) {
	c := &call{req: req}
	switch req.Method {
	case "tools/call":
		return c.completed(c.toolError(toolFailure(req.Target, text))), nil
	case "prompts/get":
		return nil, c.scriptError(false, promptFailure(CutName(req.Target), text), nil)
	case "resources/read":
		return nil, c.scriptError(false, resourceFailure(req.Target, text), uriData(req.Target))
	}
	return nil, c.scriptError(false, text, nil)
}
