package calls

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/result"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/round"
)

// maxReads is how deep resources may read each other.
const maxReads = 20

type readsKey struct{}

// readOwn is ctx.read_resource(uri): the resource is read as a part of this call, by the
// same version. It can't ask, on no revision: the questions of a call are its own.
func (c *call) readOwn(thread *starlark.Thread, uri string) (starlark.Value, error) {
	ctx := engine.ScopeOf(thread).Context
	depth, _ := ctx.Value(readsKey{}).(int)
	if depth == maxReads {
		return nil, &engine.Failure{Text: fmt.Sprintf("resources read each other more than %d deep", maxReads)}
	}
	ctx = context.WithValue(ctx, readsKey{}, depth+1)
	r, variables := c.offer.resource(uri)
	if r == nil {
		return nil, c.offer.noResource(uri)
	}
	inner := *c.req
	inner.Method, inner.Target, inner.Arguments = "resources/read", uri, nil
	read := &call{runner: c.runner, version: c.version, offer: c.offer, req: &inner, client: c.client, state: c.state, subject: resourceSubject{r, variables}}
	v := r.Text
	if r.Plan != nil {
		var err error
		if v, err = read.silently(ctx); err != nil {
			return nil, err
		}
	}
	if err := fits(v, r.Returns, r.Plan); err != nil {
		return nil, err
	}
	blocks, err := result.Embedded(v, uri, r.MIMEType, c.runner.options.ResultLimits)
	if err != nil {
		return nil, tooLarge(err)
	}
	list := make([]starlark.Value, len(blocks))
	for i, b := range blocks {
		list[i] = b
	}
	return starlark.NewList(list), nil
}

// silently runs the body of a call that nobody is asked in.
func (c *call) silently(ctx context.Context) (starlark.Value, error) {
	values, err := c.bind(ctx)
	if err != nil {
		return nil, err
	}
	done, err := round.Run(ctx, c.newRound(ctx, values, round.Resumed{}))
	if err != nil {
		return nil, err
	}
	if done.Value == nil {
		return nil, &engine.Failure{Text: fmt.Sprintf(
			"the resource %q asks a question, so a call can't read it for itself; ask in a resolver of the call", c.req.Target)}
	}
	return done.Value, nil
}
