package wire

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// maxValues is how many values the protocol lets a completion have.
const maxValues = 100

// complete answers completion/complete.
func (s *Server) complete(ctx context.Context, v *version, req *mcp.CompleteRequest) (mcp.Result, error) {
	c := &call{server: s, version: v, offer: v.offer.Load(), req: completeRequest(req)}
	completion, err := c.completion(req.Params)
	if err != nil {
		return nil, err
	}
	var values []string
	if completion != nil {
		if values, err = c.suggest(ctx, completion, req.Params); err != nil {
			return nil, err
		}
	}
	total := len(values)
	values = values[:min(total, maxValues)]
	return newResult("completion/complete", c.completed(exactjson.Object{{Name: "completion", Value: exactjson.Object{
		{Name: "values", Value: append([]string{}, values...)},
		{Name: "total", Value: total},
		{Name: "hasMore", Value: total > maxValues},
	}}})), nil
}

// completion is what completes the argument, nil if nothing does.
func (c *call) completion(p *mcp.CompleteParams) (*load.Completion, error) {
	if p.Ref == nil {
		return nil, invalidParams("")
	}
	var by map[string]*load.Completion
	var has types.Parameters
	what := ""
	switch p.Ref.Type {
	case "ref/prompt":
		prompt := c.offer.prompt(p.Ref.Name)
		if prompt == nil {
			return nil, c.offer.unknownPrompt(p.Ref.Name)
		}
		by, has, what = prompt.Completions, prompt.Parameters, "prompt "+prompt.Name
	case "ref/resource":
		r := c.offer.snapshot.Resource(p.Ref.URI)
		if r == nil || !c.offer.templates.has(r.URI) && !c.offer.resources.has(r.URI) {
			return nil, c.offer.unknownResource(p.Ref.URI)
		}
		by, has, what = r.Completions, r.Parameters, "resource "+r.URI
	default:
		return nil, invalidParams("")
	}
	var names []string
	for _, param := range has {
		if param.Name == p.Argument.Name {
			return by[param.Name], nil
		}
		names = append(names, param.Name)
	}
	return nil, &engine.ProtocolError{Code: engine.CodeInvalidParams, Message: wellFormed(fmt.Sprintf(
		"%s has no argument %s%s", what, shortened(p.Argument.Name), nearest(p.Argument.Name, names)))}
}

// suggest runs what completes an argument.
func (c *call) suggest(ctx context.Context, completion *load.Completion, p *mcp.CompleteParams) ([]string, error) {
	if completion.Func == nil {
		return beginning(completion.Choices, p.Argument.Value), nil
	}
	c.state = round.Begin(time.Now())
	c.req.target = p.Argument.Name
	args := make(starlark.Tuple, len(completion.Params))
	for i, name := range completion.Params {
		args[i] = c.completionArgument(ctx, name, p)
	}
	thread, release := c.thread(ctx)
	defer release()
	v, err := starlark.Call(thread, completion.Func, args, nil)
	if err == nil {
		var values []string
		if values, err = textsOf(v); err == nil {
			return values, nil
		}
	}
	if err = engine.Interrupted(thread, err); ctx.Err() != nil || !engine.Catchable(err) {
		return nil, err
	}
	c.trace(err)
	c.server.options.Logger.Error("completion failed", "argument", p.Argument.Name, "error", engine.FailureText(err))
	return nil, &engine.ProtocolError{Code: engine.CodeInternalError, Message: wellFormed(fmt.Sprintf(
		"Error completing argument %s: %s", shortened(p.Argument.Name), engine.FailureText(err)))}
}

func (c *call) completionArgument(ctx context.Context, name string, p *mcp.CompleteParams) starlark.Value {
	switch name {
	case graph.ContextParam:
		return callctx.New(c.info(ctx))
	case "value":
		return starlark.String(p.Argument.Value)
	}
	if p.Context != nil {
		if text, ok := p.Context.Arguments[name]; ok {
			return starlark.String(text)
		}
	}
	return starlark.None
}

func beginning(choices []string, with string) []string {
	var values []string
	for _, choice := range choices {
		if strings.HasPrefix(strings.ToLower(choice), strings.ToLower(with)) {
			values = append(values, choice)
		}
	}
	return values
}

// textsOf is what a completion returned: a list of texts, or None for nothing.
func textsOf(v starlark.Value) ([]string, error) {
	if v == starlark.None {
		return nil, nil
	}
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, &engine.Failure{Text: fmt.Sprintf("a completion returns a list of texts, got %s", engine.Describe(v))}
	}
	var values []string
	for elem := range starlark.Elements(list) {
		text, ok := starlark.AsString(elem)
		if !ok {
			return nil, &engine.Failure{Text: fmt.Sprintf("a completion returns a list of texts, got %s in it", engine.Describe(elem))}
		}
		values = append(values, wellFormed(text))
	}
	return values, nil
}
