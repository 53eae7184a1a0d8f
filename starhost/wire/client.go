package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/calls"
)

// A client is who sent a request, for the scripts that answer it.
type client struct{ *call }

var _ calls.Client = (*client)(nil)

// Ask implements [calls.Client]: a question is a request of its own. The client has as
// long for it as for a round of 2026-07-28; then the question is withdrawn.
func (c *client) Ask(ctx context.Context, q calls.Question) (json.RawMessage, error) {
	ttl := c.server.options.StateTTL
	ctx, stop := context.WithTimeoutCause(ctx, ttl, &engine.Failure{Text: fmt.Sprintf("the question was not answered within %v", ttl)})
	defer stop()
	return ask(ctx, c.req.session, q)
}

// Log implements [calls.Client]. The SDK drops the message unless the client wants
// the level: by logging/setLevel, or from 2026-07-28 on by the request's own _meta.
func (c *client) Log(ctx context.Context, level, logger string, data json.RawMessage) {
	params := &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: logger, Data: data}
	if err := c.req.session.Log(ctx, params); err != nil {
		c.server.options.Logger.Debug("log message not sent", "error", err)
	}
}

// Progress implements [calls.Client].
func (c *client) Progress(ctx context.Context, done float64, total *float64, message string) {
	params := &mcp.ProgressNotificationParams{ProgressToken: c.req.token, Progress: done, Message: message}
	if total != nil {
		params.Total = *total
	}
	if err := c.req.session.NotifyProgress(ctx, params); err != nil {
		c.server.options.Logger.Debug("progress not sent", "error", err)
	}
}

// ElicitationComplete implements [calls.Client].
func (c *client) ElicitationComplete(ctx context.Context, id string) error {
	return c.req.session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: id})
}

// CloseSSE implements [calls.Client].
func (c *client) CloseSSE(retry time.Duration) {
	if extra := c.req.extra; extra != nil && extra.CloseSSEStream != nil {
		extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: retry})
	}
}

// Resolver implements [calls.Client].
func (c *client) Resolver(ctx context.Context, key string) (context.Context, func(failed bool)) {
	if c.record.span == nil {
		return ctx, func(bool) {}
	}
	return c.resolverSpan(ctx, key)
}

// capabilities are the client's, as JSON: the request's own where it carries
// them, else those of the handshake.
func (c *call) capabilities() json.RawMessage {
	if c.req.modern {
		if raw, ok := c.req.meta[mcp.MetaKeyClientCapabilities]; ok {
			if data, err := json.Marshal(raw); err == nil {
				return data
			}
		}
		return json.RawMessage(`{}`)
	}
	return handshakeCapabilities(c.req.session)
}

// handshakeCapabilities are what the client declared in initialize. The SDK
// keeps them in a struct whose roots member is there even when none was sent.
func handshakeCapabilities(session *mcp.ServerSession) json.RawMessage {
	params := session.InitializeParams()
	if params == nil || params.Capabilities == nil {
		return json.RawMessage(`{}`)
	}
	caps := params.Capabilities
	declared := map[string]any{}
	if caps.RootsV2 != nil {
		declared["roots"] = caps.RootsV2
	}
	if caps.Sampling != nil {
		declared["sampling"] = caps.Sampling
	}
	if caps.Elicitation != nil {
		declared["elicitation"] = caps.Elicitation
	}
	if len(caps.Experimental) > 0 {
		declared["experimental"] = caps.Experimental
	}
	data, err := json.Marshal(declared)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return data
}
