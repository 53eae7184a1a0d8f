package isolate

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpstar/mcpstar/starhost/calls"
)

// A client is who made a call, from the worker's side: what is said to it goes over
// the link, and is said when the reply is there.
type client struct {
	link   *link
	of     uint64
	traced bool
}

var _ calls.Client = (*client)(nil)

func (c *client) say(ctx context.Context, s *said) (*message, error) {
	return c.link.request(ctx, &message{Of: c.of, Said: s}, purpose{})
}

// Ask implements [calls.Client].
func (c *client) Ask(ctx context.Context, q calls.Question) (json.RawMessage, error) {
	m, err := c.say(ctx, &said{What: asks, Question: q})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return m.Raw, nil
}

// Log implements [calls.Client].
func (c *client) Log(ctx context.Context, level, logger string, data json.RawMessage) {
	_, _ = c.say(ctx, &said{What: logs, Level: level, Logger: logger, Data: data}) // the host tells operators
}

// Progress implements [calls.Client].
func (c *client) Progress(ctx context.Context, done float64, total *float64, message string) {
	_, _ = c.say(ctx, &said{What: progresses, Done: done, Total: total, Text: message})
}

// ElicitationComplete implements [calls.Client].
func (c *client) ElicitationComplete(ctx context.Context, id string) error {
	_, err := c.say(ctx, &said{What: elicited, Text: id})
	return err
}

// CloseSSE implements [calls.Client].
func (c *client) CloseSSE(retry time.Duration) {
	_, _ = c.say(context.Background(), &said{What: closesSSE, Retry: retry})
}

// Resolver implements [calls.Client]. The span is the host's.
func (c *client) Resolver(ctx context.Context, key string) (context.Context, func(failed bool)) {
	if !c.traced {
		return ctx, func(bool) {}
	}
	_, _ = c.say(ctx, &said{What: resolves, Text: key})
	return ctx, func(failed bool) { _, _ = c.say(ctx, &said{What: resolved, Failed: failed}) }
}
