package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// A call is one request of tools/call, prompts/get, resources/read or
// completion/complete between the
// protocol and the scripts: what only the protocol knows is here, the state that
// travels sealed through the client above all.
type call struct {
	server *Server
	req    *request
	record record
}

// call answers a request.
func (s *Server) call(ctx context.Context, req *request) (mcp.Result, error) {
	c := &call{server: s, req: req}
	c.began()
	defer func() {
		if r := recover(); r != nil {
			c.ended(ctx, internalError())
			panic(r) // the guard's
		}
	}()
	members, err := c.answer(ctx)
	c.ended(ctx, err)
	if err != nil {
		return nil, err
	}
	return newResult(req.method, members), nil
}

// answer verifies the state, has the scripts answer, and seals the state that they
// leave. A state is verified before all else, also where nothing will use it.
func (c *call) answer(ctx context.Context) (exactjson.Object, error) {
	state, err := c.unseal()
	if err != nil {
		return nil, err
	}
	answers, err := c.answers()
	if err != nil {
		return nil, err
	}
	inside := c.openSpan(ctx, state)
	asked := c.request()
	asked.State, asked.Answers, asked.Trace = state, answers, c.traceparent(inside)
	answer, err := c.server.scripts.Call(inside, asked, &client{c})
	c.record.report = answer.Report
	if err != nil || answer.State == nil {
		return answer.Members, err
	}
	token, err := c.seal(answer.State)
	if err != nil {
		c.record.report.Outcome = calls.OutcomeError
		return calls.Unable(asked, "the answers so far can't be carried on: "+err.Error())
	}
	return answer.Members.With("requestState", token), nil
}

// request is what the scripts are told of the request.
func (c *call) request() *calls.Request {
	r := &calls.Request{
		Method: c.req.method, Target: c.req.target, Arguments: c.req.arguments,
		ID: frame.RequestID(c.req.meta), Revision: c.req.revision, Modern: c.req.modern,
		Capabilities: c.capabilities(), Auth: c.auth(), Trusted: true, WantsProgress: c.req.token != nil,
	}
	if c.req.client != nil {
		r.ClientName, r.ClientVersion = c.req.client.Name, c.req.client.Version
	}
	if extra := c.req.extra; extra != nil {
		r.Trusted = extra.Header == nil && extra.TokenInfo == nil
		r.Headers = shownHeaders(extra.Header)
	}
	return r
}

// shownHeaders are the headers as scripts see them. Credentials are left out.
func shownHeaders(header http.Header) map[string]string {
	if header == nil {
		return nil
	}
	shown := map[string]string{}
	for name, values := range header {
		switch name = strings.ToLower(name); name {
		case "authorization", "proxy-authorization", "cookie", "set-cookie":
		default:
			shown[name] = strings.Join(values, ", ")
		}
	}
	return shown
}

// unseal verifies the state that came with the request, nil if none came.
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

// seal is the state as it travels through the client.
func (c *call) seal(state []byte) (string, error) {
	binding, err := c.binding()
	if err != nil {
		return "", err
	}
	return c.server.options.Keys.Seal(state, binding, time.Now(), c.server.options.StateTTL)
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

// complete answers completion/complete.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (mcp.Result, error) {
	c := &call{server: s, req: completeRequest(req)}
	r, p := c.request(), req.Params
	if p.Ref == nil {
		return nil, invalidParams("")
	}
	r.Target = p.Argument.Name
	r.Completion = &calls.Completion{RefType: p.Ref.Type, Ref: p.Ref.Name, Argument: p.Argument.Name, Value: p.Argument.Value}
	if p.Ref.Type == "ref/resource" {
		r.Completion.Ref = p.Ref.URI
	}
	if p.Context != nil {
		r.Completion.Others = p.Context.Arguments
	}
	answer, err := s.scripts.Call(ctx, r, &client{c})
	if err != nil {
		return nil, err
	}
	return newResult(r.Method, answer.Members), nil
}
