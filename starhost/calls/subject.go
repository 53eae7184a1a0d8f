package calls

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/result"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// A subject is what a call is about: a tool, a prompt or a resource. The way through
// a call is the same for all of them; what differs is here, one type each.
type subject interface {
	// plan is what there is to run; nil of a resource that is always the same.
	plan() *graph.Plan
	// parameters are what arguments are bound to, and function is the name that
	// errors about them use.
	parameters() types.Parameters
	function() string
	// arguments are what came, as a dict.
	arguments(c *call) (*starlark.Dict, error)
	// complete is the result for what the body returned, without resultType.
	complete(c *call, v starlark.Value) (exactjson.Object, error)
	// failed is what a call ends with whose scripts could not go on: a result that
	// the model reads, or an error. text is what it says; invalid says that the
	// arguments are to blame.
	failed(c *call, text string, invalid bool) (exactjson.Object, error)
}

// find is the subject of a request, or what the call ends with because there is none.
func (c *call) find() (subject, exactjson.Object, error) {
	name := c.req.Target
	switch c.req.Method {
	case "tools/call":
		if t := c.offer.tool(name); t != nil {
			return toolSubject{t}, nil, nil
		}
		return nil, c.toolError(c.offer.unknownTool(name)), nil
	case "prompts/get":
		if p := c.offer.prompt(name); p != nil {
			return promptSubject{p}, nil, nil
		}
		return nil, nil, c.offer.unknownPrompt(name)
	}
	if r, args := c.offer.resource(name); r != nil {
		return resourceSubject{r, args}, nil, nil
	}
	return nil, nil, c.offer.UnknownResource(name)
}

// decoded are the arguments of a request as a dict.
func (c *call) decoded() (*starlark.Dict, error) {
	if len(c.req.Arguments) == 0 || string(c.req.Arguments) == "null" {
		return new(starlark.Dict), nil
	}
	if err := c.fitting(c.req.Arguments); err != nil {
		return nil, err
	}
	v, err := exactjson.Decode(c.req.Arguments, c.runner.options.ArgumentLimits)
	if err != nil {
		return nil, &engine.Failure{Text: "the arguments can't be read: " + err.Error()}
	}
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil, round.InvalidAnswers()
	}
	return dict, nil
}

// A toolSubject is a tool that is called.
type toolSubject struct{ *load.Tool }

func (t toolSubject) plan() *graph.Plan            { return t.Plan }
func (t toolSubject) parameters() types.Parameters { return t.Parameters }
func (t toolSubject) function() string             { return t.Function }

func (t toolSubject) arguments(c *call) (*starlark.Dict, error) {
	args, err := c.decoded()
	if err != nil || t.Input == nil {
		return args, err
	}
	args, wrong := t.Input.Accept(args)
	if len(wrong) > 0 {
		return nil, &badArguments{engine.Failure{Text: result.Mismatches(wrong, t.Function+"Arguments")}}
	}
	return args, nil
}

func (t toolSubject) complete(c *call, v starlark.Value) (exactjson.Object, error) {
	shape := result.Shape{
		Type:       t.Returns,
		Structured: t.OutputSchema != nil,
		Wrapped:    t.Wrapped,
		Title:      t.Function + "Output",
	}
	out, err := result.Encode(v, shape, c.runner.options.ResultLimits)
	if err != nil {
		var wrong *engine.WrongResult
		if errors.As(err, &wrong) {
			wrong.At = t.Plan.Tool.Func.Span
		}
		return nil, tooLarge(err)
	}
	return toolMembers(out), nil
}

func (t toolSubject) failed(c *call, text string, _ bool) (exactjson.Object, error) {
	return c.toolError(toolFailure(t.Name, text)), nil
}

// toolError is a result that tells the model what went wrong.
func (c *call) toolError(text string) exactjson.Object {
	c.report.Outcome = OutcomeError
	return toolMembers(&result.Encoded{
		Content: exactjson.MustMarshal([]any{exactjson.Object{
			{Name: "type", Value: "text"}, {Name: "text", Value: wellFormed(text)},
		}}),
		IsError: true,
	})
}

func toolMembers(out *result.Encoded) exactjson.Object {
	o := exactjson.Object{{Name: "content", Value: out.Content}}
	if out.Structured != nil {
		o = o.With("structuredContent", out.Structured)
	}
	o = o.With("isError", out.IsError)
	if out.Meta != nil {
		o = o.With("_meta", out.Meta)
	}
	return o
}

// A promptSubject is a prompt that is asked for.
type promptSubject struct{ *load.Prompt }

func (p promptSubject) plan() *graph.Plan                         { return p.Plan }
func (p promptSubject) parameters() types.Parameters              { return p.Parameters }
func (p promptSubject) function() string                          { return p.Function }
func (p promptSubject) arguments(c *call) (*starlark.Dict, error) { return c.decoded() }

func (p promptSubject) complete(c *call, v starlark.Value) (exactjson.Object, error) {
	if err := fits(v, p.Returns, p.Plan); err != nil {
		return nil, err
	}
	messages, err := result.Messages(v, c.runner.options.ResultLimits)
	if err != nil {
		return nil, tooLarge(err)
	}
	return exactjson.Object{{Name: "description", Value: p.Description}, {Name: "messages", Value: messages}}, nil
}

func (p promptSubject) failed(c *call, text string, invalid bool) (exactjson.Object, error) {
	return nil, c.scriptError(invalid, promptFailure(p.Name, text), nil)
}

// A resourceSubject is a resource that is read, with what its URI says.
type resourceSubject struct {
	*load.Resource
	variables *starlark.Dict
}

func (r resourceSubject) plan() *graph.Plan                       { return r.Plan }
func (r resourceSubject) parameters() types.Parameters            { return r.Parameters }
func (r resourceSubject) function() string                        { return r.Function }
func (r resourceSubject) arguments(*call) (*starlark.Dict, error) { return r.variables, nil }

func (r resourceSubject) complete(c *call, v starlark.Value) (exactjson.Object, error) {
	if err := fits(v, r.Returns, r.Plan); err != nil {
		return nil, err
	}
	contents, err := result.Contents(v, c.req.Target, r.MIMEType, c.runner.options.ResultLimits)
	if err != nil {
		return nil, tooLarge(err)
	}
	o := exactjson.Object{{Name: "contents", Value: contents}}
	if c.req.Modern {
		o = WithCache(o, r.Cache)
	}
	return o, nil
}

func (r resourceSubject) failed(c *call, text string, invalid bool) (exactjson.Object, error) {
	return nil, c.scriptError(invalid, resourceFailure(c.req.Target, text), uriData(c.req.Target))
}

func toolFailure(name, text string) string {
	return fmt.Sprintf("Error executing tool %s: %s", name, text)
}

func promptFailure(name, text string) string {
	return fmt.Sprintf("Error rendering prompt %s: %s", name, text)
}

func resourceFailure(uri, text string) string {
	return fmt.Sprintf("Error reading resource %s: %s", shortened(uri), text)
}

// fits checks what the body of a plan returned against its -> T. Without a T there may
// be no plan.
func fits(v starlark.Value, t engine.Type, plan *graph.Plan) error {
	if t == nil {
		return nil
	}
	if _, wrong := t.Accept(v, ""); len(wrong) > 0 {
		fn := plan.Tool.Func
		text := fmt.Sprintf("%s() is declared -> %s, but: %s", fn.Name, t.TypeName(), engine.MismatchText(wrong))
		return &engine.WrongResult{Failure: engine.Failure{Text: text}, At: fn.Span}
	}
	return nil
}

// scriptError is the JSON-RPC error for a prompt or a resource whose scripts could not
// go on.
func (c *call) scriptError(invalid bool, text string, data json.RawMessage) error {
	c.report.Outcome = OutcomeError
	code := int64(engine.CodeInternalError)
	if invalid {
		code = engine.CodeInvalidParams
	}
	return &engine.ProtocolError{Code: code, Message: wellFormed(text), Data: data}
}

func uriData(uri string) json.RawMessage {
	return exactjson.MustMarshal(exactjson.Object{{Name: "uri", Value: wellFormed(uri)}})
}

// tooLarge says what to do about a result beyond the limits.
func tooLarge(err error) error {
	if errors.Is(err, exactjson.ErrTooLarge) {
		return &engine.Failure{Text: fmt.Sprintf("the result is too large: %v; return less, or a part at a time (raise the limit with --max-result)", err)}
	}
	return err
}
