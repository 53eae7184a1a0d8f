package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

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
func (c *call) complete(ctx context.Context) (exactjson.Object, error) {
	completion, err := c.completion()
	if err != nil {
		return nil, err
	}
	var values []string
	if completion != nil {
		_, err := c.limited(ctx, func(ctx context.Context) (_ exactjson.Object, err error) {
			values, err = c.suggest(ctx, completion)
			return nil, err
		})
		if err != nil {
			return nil, c.completionFailed(ctx, err)
		}
	}
	total := len(values)
	values = values[:min(total, maxValues)]
	return c.completed(exactjson.Object{{Name: "completion", Value: exactjson.Object{
		{Name: "values", Value: append([]string{}, values...)},
		{Name: "total", Value: total},
		{Name: "hasMore", Value: total > maxValues},
	}}}), nil
}

// completion is what completes the argument, nil if nothing does.
func (c *call) completion() (*load.Completion, error) {
	p := c.req.Completion
	var by map[string]*load.Completion
	var has types.Parameters
	what := ""
	switch p.RefType {
	case "ref/prompt":
		prompt := c.offer.prompt(p.Ref)
		if prompt == nil {
			return nil, c.offer.unknownPrompt(p.Ref)
		}
		by, has, what = prompt.Completions, prompt.Parameters, "prompt "+prompt.Name
	case "ref/resource":
		r := c.offer.snapshot.Resource(p.Ref)
		if r == nil || !c.offer.Templates.Has(r.URI) && !c.offer.Resources.Has(r.URI) {
			return nil, c.offer.UnknownResource(p.Ref)
		}
		by, has, what = r.Completions, r.Parameters, "resource "+r.URI
	default:
		return nil, invalidReference()
	}
	var names []string
	for _, param := range has {
		if param.Name == p.Argument {
			return by[param.Name], nil
		}
		names = append(names, param.Name)
	}
	return nil, &engine.ProtocolError{Code: engine.CodeInvalidParams, Message: wellFormed(fmt.Sprintf(
		"%s has no argument %s%s", what, shortened(p.Argument), nearest(p.Argument, names)))}
}

// suggest runs what completes an argument.
func (c *call) suggest(ctx context.Context, completion *load.Completion) ([]string, error) {
	p := c.req.Completion
	if completion.Func == nil {
		return beginning(completion.Choices, p.Value), nil
	}
	c.state = round.Begin(time.Now())
	args := make(starlark.Tuple, len(completion.Params))
	for i, name := range completion.Params {
		args[i] = c.completionArgument(ctx, name)
	}
	thread, release := c.runner.thread(ctx, p.Argument)
	defer release()
	v, err := starlark.Call(thread, completion.Func, args, nil)
	if err != nil {
		return nil, engine.Interrupted(thread, err)
	}
	return textsOf(v)
}

// completionFailed is what the client is told of a completion that failed, or was
// stopped by a limit.
func (c *call) completionFailed(ctx context.Context, err error) error {
	var protocol *engine.ProtocolError
	if errors.As(err, &protocol) || ctx.Err() != nil {
		return err
	}
	p := c.req.Completion
	if c.trace(err); c.mistake == nil {
		c.runner.options.Logger.Error("completion failed", "argument", p.Argument, "error", engine.FailureText(err))
	}
	return &engine.ProtocolError{Code: engine.CodeInternalError, Message: wellFormed(fmt.Sprintf(
		"Error completing argument %s: %s", shortened(p.Argument), engine.FailureText(err)))}
}

func (c *call) completionArgument(ctx context.Context, name string) starlark.Value {
	p := c.req.Completion
	switch name {
	case graph.ContextParam:
		return callctx.New(c.info(ctx))
	case "value":
		return starlark.String(p.Value)
	}
	if text, ok := p.Others[name]; ok {
		return starlark.String(text)
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

// invalidReference is the error for what is no reference of the protocol's.
func invalidReference() error {
	return &engine.ProtocolError{Code: engine.CodeInvalidParams, Message: "Invalid request parameters", Data: json.RawMessage(`""`)}
}
