package wire

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// hidden are headers that a script never sees: they are credentials.
func hidden(name string) bool {
	switch name {
	case "authorization", "proxy-authorization", "cookie", "set-cookie":
		return true
	}
	return false
}

// info is what the script's ctx shows of this request.
func (c *call) info(ctx context.Context) callctx.Info {
	info := callctx.Info{
		RequestID:       frame.RequestID(c.req.meta),
		ProtocolVersion: c.req.revision,
		CallID:          c.state.Call,
		Capabilities:    c.capabilities(),
		State:           c.version.state,
		Auth:            c.auth(),
		Log:             func(level, logger string, data json.RawMessage) { c.log(ctx, level, logger, data) },
		Progress:        func(done float64, total *float64, message string) { c.progress(ctx, done, total, message) },
		ElicitationComplete: func(key string) error {
			return c.elicitationComplete(ctx, key)
		},
		ResourceUpdated: c.server.resourceUpdated,
		ReadResource:    c.readOwn,
		CloseSSE:        c.closeSSE,
	}
	if c.req.client != nil {
		info.ClientName, info.ClientVersion = c.req.client.Name, c.req.client.Version
	}
	if extra := c.req.extra; extra != nil && extra.Header != nil {
		info.Headers = map[string]string{}
		for name, values := range extra.Header {
			if name = strings.ToLower(name); !hidden(name) {
				info.Headers[name] = strings.Join(values, ", ")
			}
		}
	}
	return info
}

// log sends a log message. The SDK drops it unless the client wants the level:
// by logging/setLevel, or from 2026-07-28 on by the request's own _meta.
func (c *call) log(ctx context.Context, level, logger string, data json.RawMessage) {
	params := &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: logger, Data: data}
	if err := c.req.session.Log(ctx, params); err != nil {
		c.server.options.Logger.Debug("log message not sent", "error", err)
	}
}

// closeSSE ends the stream of this request, where the client can take it up again.
func (c *call) closeSSE(retry time.Duration) {
	if extra := c.req.extra; extra != nil && extra.CloseSSEStream != nil {
		extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: retry})
	}
}

// elicitationComplete tells the client that what a URL elicitation opened is
// done. Only the revisions that have elicitation ids know the notification.
func (c *call) elicitationComplete(ctx context.Context, key string) error {
	if c.req.modern {
		return nil
	}
	return c.req.session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{
		ElicitationID: elicitationID(c.state.Call, key),
	})
}
