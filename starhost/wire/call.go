package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/builtins/result"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// A call is one request of tools/call, prompts/get or resources/read on its way: one
// round of what the author sees as one call.
type call struct {
	server  *Server
	version *version
	offer   *offer
	req     *request
	subject subject
	state   *round.State
	record  record
	told    progress
	// allowance is what the round may use.
	allowance *allowance
}

// call answers a request.
func (s *Server) call(ctx context.Context, v *version, req *request) (mcp.Result, error) {
	c := &call{server: s, version: v, offer: v.offer.Load(), req: req}
	c.began()
	defer func() {
		if r := recover(); r != nil {
			c.ended(ctx, internalError())
			panic(r) // the guard's
		}
	}()
	members, err := c.answer(engine.WithWorld(ctx, s.options.World))
	c.ended(ctx, err)
	if err != nil {
		return nil, err
	}
	return newResult(req.method, members), nil
}

// answer is the one straight way through a round: state, subject, arguments, graph,
// result. What the model can act on becomes an error result, what only the
// client's program can is an error.
func (c *call) answer(ctx context.Context) (exactjson.Object, error) {
	sealed, err := c.unseal()
	if err != nil {
		return nil, err
	}
	answers, err := c.answers()
	if err != nil {
		return nil, err
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
	if err := c.begin(sealed); err != nil {
		return nil, err
	}
	ctx = c.openSpan(ctx)
	members, err := c.limited(ctx, func(ctx context.Context) (exactjson.Object, error) { return c.round(ctx, answers) })
	if err != nil {
		return c.failed(ctx, err)
	}
	return members, nil
}

// completed marks a result as the last of its call, where results say so.
func (c *call) completed(members exactjson.Object) exactjson.Object {
	if !c.req.modern {
		return members
	}
	return append(exactjson.Object{{Name: "resultType", Value: "complete"}}, members...)
}

// failed turns the error that a round ended with into what the subject says of it,
// unless it is one for the client's program.
func (c *call) failed(ctx context.Context, err error) (exactjson.Object, error) {
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

// unseal verifies the state that came with the request, nil if none came. It is
// verified before all else, also where nothing will use it.
func (c *call) unseal() ([]byte, error) {
	token, came, err := c.token()
	if err != nil || !came {
		return nil, c.refused(err)
	}
	binding, err := c.binding()
	if err != nil {
		return nil, err
	}
	state, err := c.server.options.Keys.Open(token, binding, time.Now())
	return state, c.refused(err)
}

// token is the requestState as it came. Behind wire/frame it is the raw JSON, so
// that a number or an object is refused like any other forgery.
func (c *call) token() (string, bool, error) {
	if raw, ok := frame.Moved(c.req.meta, frame.MetaRequestState); ok {
		return seal.Token(raw)
	}
	return c.req.state, c.req.state != "", nil
}

// refused logs why a state was refused. The client is not told.
func (c *call) refused(err error) error {
	var why *seal.Refused
	if !errors.As(err, &why) {
		return err
	}
	c.server.options.Logger.Warn("requestState refused", "method", c.req.method, "name", c.req.target, "reason", why.Reason)
	return seal.Answer()
}

// binding is what a state is bound to: a state of another call opens nothing.
func (c *call) binding() (seal.Binding, error) {
	digest, err := seal.ArgumentsDigest(c.req.arguments)
	if err != nil {
		return seal.Binding{}, invalidParams("")
	}
	return seal.Binding{
		Method:    c.req.method,
		Target:    c.req.target,
		Arguments: digest,
		Audience:  c.server.audience,
		Principal: c.principal(),
	}, nil
}

// principal is who an authorization layer says is calling, or "". Headers are
// never an identity.
func (c *call) principal() string {
	if extra := c.req.extra; extra != nil && extra.TokenInfo != nil {
		return extra.TokenInfo.UserID
	}
	return ""
}

// answers are the raw answers that came with the request. Clients of older
// revisions answer requests instead, so what they send here counts for nothing.
func (c *call) answers() (map[string]json.RawMessage, error) {
	if !c.req.modern {
		return nil, nil
	}
	text, moved := frame.Moved(c.req.meta, frame.MetaInputResponses)
	if !moved && len(c.req.responses) > 0 {
		var err error
		if text, err = json.Marshal(c.req.responses); err != nil {
			return nil, round.InvalidAnswers()
		}
	}
	if len(text) == 0 {
		return nil, nil
	}
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(text, &answers); err != nil {
		return nil, round.InvalidAnswers()
	}
	for _, answer := range answers {
		if questions.Malformed(answer) {
			return nil, round.InvalidAnswers()
		}
	}
	return answers, nil
}

// begin is the state that this round goes on from.
func (c *call) begin(sealed []byte) error {
	world := &engine.World{}
	if c.server.options.World != nil {
		world = c.server.options.World
	}
	now := world.Time()
	if c.req.modern && sealed != nil {
		c.state = round.DecodeState(sealed)
	}
	if c.state == nil {
		c.state = round.BeginIn(world)
		return nil
	}
	if age := now.Sub(c.state.Start()); age > c.server.options.MaxCallAge {
		return c.refused(&seal.Refused{Reason: fmt.Sprintf("the call began %s ago", age.Round(time.Second))})
	}
	return nil
}

// round runs the graph, and the body if nothing is left to ask.
func (c *call) round(ctx context.Context, answers map[string]json.RawMessage) (exactjson.Object, error) {
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
	run := c.newRound(ctx, values, round.Resumed{Answers: answers, Kept: c.state.Manual})
	if c.record.span != nil {
		run.Around = c.resolverSpan
	}
	if observe := c.server.options.Observe; observe != nil {
		run.Observe = func(e round.Event) { observe(c.req.target, e) }
	}
	if !c.req.modern {
		run.Ask = func(ctx context.Context, asked round.Asked) (json.RawMessage, error) {
			c.record.questions++
			if err := c.askable(asked.Question.Params(engine.Handshake)); err != nil {
				return nil, err
			}
			c.allowance.pause()
			defer c.allowance.resume(ctx)
			return ask(ctx, c.req.session, asked, c.state.Call)
		}
	}
	done, err := round.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	if done.Value == nil {
		c.record.questions = len(done.Asked)
		return c.inputRequired(done)
	}
	members, err := c.subject.complete(c, done.Value)
	if err != nil {
		return nil, err
	}
	c.record.outcome = OutcomeResult
	return c.completed(members), nil
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
		Ran:          func(string) { c.record.resolvers++ },
		Replace:      c.server.options.Replace,
		Discarded: func(key string) {
			c.server.options.Logger.Info("answer discarded: the question has changed since it was asked", "resolver", key)
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
	return c.server.thread(ctx, c.req.target)
}

func (s *Server) thread(ctx context.Context, name string) (*starlark.Thread, func()) {
	thread := &starlark.Thread{Name: name, Print: s.options.Print}
	engine.NewScope(ctx).Attach(thread)
	callctx.AttachHost(thread, s)
	release := s.options.Limits.Apply(thread)
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
	c.record.outcome = OutcomeAsks
	if done.State == nil {
		return o, nil
	}
	if err := c.askable(all...); err != nil {
		return nil, err
	}
	state, err := done.State.Encode()
	if err != nil {
		return nil, fmt.Errorf("encoding the state: %w", err)
	}
	binding, err := c.binding()
	if err != nil {
		return nil, err
	}
	token, err := c.server.options.Keys.Seal(state, binding, time.Now(), c.server.options.StateTTL)
	if err != nil {
		return nil, &engine.Failure{Text: "the answers so far can't be carried on: " + err.Error()}
	}
	return o.With("requestState", token), nil
}
