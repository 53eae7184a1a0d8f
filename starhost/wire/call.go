package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/builtins/result"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// A call is one request of tools/call on its way: one round of what the author
// sees as one call.
type call struct {
	server   *Server
	version  *version
	req      *mcp.CallToolRequest
	revision string // the protocol revision of the request
	modern   bool   // it is 2026-07-28 or later
	tool     *load.Tool
	state    *round.State
	record   record
}

// callTool answers tools/call.
func (s *Server) callTool(ctx context.Context, v *version, req *mcp.CallToolRequest) (mcp.Result, error) {
	c := &call{server: s, version: v, req: req, revision: req.ProtocolVersion()}
	c.modern = frame.Modern(req.Params.GetMeta())
	c.began()
	members, err := c.answer(engine.WithWorld(ctx, s.options.World))
	c.ended(ctx, err)
	if err != nil {
		return nil, err
	}
	return newCallResult(members), nil
}

// answer is the one straight way through a round: state, tool, arguments, graph,
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
	name := c.req.Params.Name
	if c.tool = c.version.snapshot.Tool(name); c.tool == nil {
		return c.toolError(c.version.unknownTool(name)), nil
	}
	if lacks := c.lacking(); lacks != "" {
		return c.toolError(lacks), nil
	}
	if err := c.begin(sealed); err != nil {
		return nil, err
	}
	ctx = c.openSpan(ctx)
	members, err := c.round(ctx, answers)
	if err == nil {
		return members, nil
	}
	return c.failed(ctx, err)
}

// failed turns the error that a round ended with into an error result, unless it
// is one for the client's program.
func (c *call) failed(ctx context.Context, err error) (exactjson.Object, error) {
	var protocol *engine.ProtocolError
	if errors.As(err, &protocol) || ctx.Err() != nil {
		return nil, err
	}
	c.record.trace(err)
	return c.toolError(fmt.Sprintf("Error executing tool %s: %s", c.tool.Name, engine.FailureText(err))), nil
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
	if raw, ok := frame.Moved(c.req.Params.GetMeta(), frame.MetaRequestState); ok {
		return seal.Token(raw)
	}
	return c.req.Params.RequestState, c.req.Params.RequestState != "", nil
}

// refused logs why a state was refused. The client is not told.
func (c *call) refused(err error) error {
	var why *seal.Refused
	if !errors.As(err, &why) {
		return err
	}
	c.server.options.Logger.Warn("requestState refused", "tool", c.req.Params.Name, "reason", why.Reason)
	return seal.Answer()
}

// binding is what a state is bound to: a state of another call opens nothing.
func (c *call) binding() (seal.Binding, error) {
	digest, err := seal.ArgumentsDigest(c.req.Params.Arguments)
	if err != nil {
		return seal.Binding{}, invalidParams("")
	}
	return seal.Binding{
		Method:    "tools/call",
		Target:    c.req.Params.Name,
		Arguments: digest,
		Audience:  c.server.audience,
		Principal: c.principal(),
	}, nil
}

// principal is who an authorization layer says is calling, or "". Headers are
// never an identity.
func (c *call) principal() string {
	if extra := c.req.Extra; extra != nil && extra.TokenInfo != nil {
		return extra.TokenInfo.UserID
	}
	return ""
}

// answers are the raw answers that came with the request. Clients of older
// revisions answer requests instead, so what they send here counts for nothing.
func (c *call) answers() (map[string]json.RawMessage, error) {
	if !c.modern {
		return nil, nil
	}
	text, moved := frame.Moved(c.req.Params.GetMeta(), frame.MetaInputResponses)
	if !moved && len(c.req.Params.InputResponses) > 0 {
		var err error
		if text, err = json.Marshal(c.req.Params.InputResponses); err != nil {
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
	if c.modern && sealed != nil {
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

// round runs the graph, and the tool if nothing is left to ask.
func (c *call) round(ctx context.Context, answers map[string]json.RawMessage) (exactjson.Object, error) {
	capabilities := c.capabilities()
	script := c.contextOf(ctx, capabilities)
	values, err := c.arguments(ctx)
	if err != nil {
		return nil, err
	}
	run := &round.Call{
		Plan:         c.tool.Plan,
		Arguments:    values,
		Context:      script,
		State:        c.state,
		Code:         c.version.snapshot.Code,
		Capabilities: capabilities,
		Answers:      answers,
		Thread:       c.thread,
		Ran:          func(string) { c.record.resolvers++ },
		Replace:      c.server.options.Replace,
		Discarded: func(key string) {
			c.server.options.Logger.Info("answer discarded: the question has changed since it was asked", "resolver", key)
		},
	}
	if c.record.span != nil {
		run.Around = c.resolverSpan
	}
	if observe := c.server.options.Observe; observe != nil {
		run.Observe = func(e round.Event) { observe(c.tool.Name, e) }
	}
	if !c.modern {
		run.Ask = func(ctx context.Context, asked round.Asked) (json.RawMessage, error) {
			c.record.questions++
			return ask(ctx, c.req.Session, asked, c.state.Call)
		}
	}
	done, err := round.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	if len(done.Asked) > 0 {
		c.record.questions = len(done.Asked)
		return c.inputRequired(done)
	}
	return c.complete(done.Value)
}

// arguments validates what the model sent, once.
func (c *call) arguments(ctx context.Context) ([]starlark.Value, error) {
	args := new(starlark.Dict)
	if raw := c.req.Params.Arguments; len(raw) > 0 && string(raw) != "null" {
		v, err := exactjson.Decode(raw, c.server.options.ArgumentLimits)
		if err != nil {
			return nil, &engine.Failure{Text: "the arguments can't be read: " + err.Error()}
		}
		dict, ok := v.(*starlark.Dict)
		if !ok {
			return nil, round.InvalidAnswers()
		}
		args = dict
	}
	thread, release := c.thread(ctx)
	defer release()
	c.state.ArgumentScope(ctx).Attach(thread)
	values, wrong, err := c.tool.Parameters.Bind(thread, args)
	if err != nil {
		return nil, engine.Interrupted(thread, err)
	}
	if len(wrong) > 0 {
		return nil, &engine.Failure{Text: result.Mismatches(wrong, c.tool.Function+"Arguments")}
	}
	return values, nil
}

// thread makes the thread that a round's functions run on.
func (c *call) thread(ctx context.Context) (*starlark.Thread, func()) {
	thread := &starlark.Thread{Name: c.tool.Name, Print: c.server.options.Print}
	engine.NewScope(ctx).Attach(thread)
	release := c.server.options.Limits.Apply(thread)
	return thread, release
}

// complete is the result of a call that has run to its end.
func (c *call) complete(v starlark.Value) (exactjson.Object, error) {
	shape := result.Shape{
		Type:       c.tool.Returns,
		Structured: c.tool.OutputSchema != nil,
		Wrapped:    c.tool.Wrapped,
		Title:      c.tool.Function + "Output",
	}
	blocks, structured, err := result.Encode(v, shape, c.server.options.ResultLimits)
	if errors.Is(err, exactjson.ErrTooLarge) {
		return nil, &engine.Failure{Text: fmt.Sprintf("the result is too large: %v; return less, or a part at a time", err)}
	}
	if err != nil {
		return nil, err
	}
	c.record.outcome = OutcomeResult
	return c.members(blocks, structured, false), nil
}

// toolError is a result that tells the model what went wrong.
func (c *call) toolError(text string) exactjson.Object {
	c.record.outcome = OutcomeError
	blocks := exactjson.MustMarshal([]any{exactjson.Object{
		{Name: "type", Value: "text"}, {Name: "text", Value: wellFormed(text)},
	}})
	return c.members(blocks, nil, true)
}

func (c *call) members(blocks, structured json.RawMessage, isError bool) exactjson.Object {
	var o exactjson.Object
	if c.modern {
		o = o.With("resultType", "complete")
	}
	o = o.With("content", blocks)
	if structured != nil {
		o = o.With("structuredContent", structured)
	}
	return o.With("isError", isError)
}

// inputRequired is the result of a round that ends with questions.
func (c *call) inputRequired(done *round.Result) (exactjson.Object, error) {
	var requests exactjson.Object
	for _, asked := range done.Asked {
		request := exactjson.Object{{Name: "method", Value: asked.Question.Method()}}
		if params := asked.Question.Params(engine.Rounds); params != nil {
			request = request.With("params", params)
		}
		requests = append(requests, exactjson.Member{Name: asked.Key, Value: request})
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
	c.record.outcome = OutcomeAsks
	return exactjson.Object{
		{Name: "resultType", Value: "input_required"},
		{Name: "inputRequests", Value: requests},
		{Name: "requestState", Value: token},
	}, nil
}
