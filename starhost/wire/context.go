package wire

import (
	"context"
	"encoding/json"
	"strings"

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

// contextOf is the script's ctx for a round.
func (c *call) contextOf(ctx context.Context, capabilities json.RawMessage) *callctx.Context {
	info := callctx.Info{
		RequestID:       frame.RequestID(c.req.Params.GetMeta()),
		ProtocolVersion: c.revision,
		CallID:          c.state.Call,
		Capabilities:    capabilities,
		State:           c.version.state,
		Auth:            c.auth(),
		Log:             func(level, logger string, data json.RawMessage) { c.log(ctx, level, logger, data) },
		Progress:        func(done float64, total *float64, message string) { c.progress(ctx, done, total, message) },
		ElicitationComplete: func(key string) error {
			return c.elicitationComplete(ctx, key)
		},
	}
	if client := c.req.ClientInfo(); client != nil {
		info.ClientName, info.ClientVersion = client.Name, client.Version
	}
	if extra := c.req.Extra; extra != nil && extra.Header != nil {
		info.Headers = map[string]string{}
		for name, values := range extra.Header {
			if name = strings.ToLower(name); !hidden(name) {
				info.Headers[name] = strings.Join(values, ", ")
			}
		}
	}
	return callctx.New(info)
}

// log sends a log message. The SDK drops it unless the client wants the level:
// by logging/setLevel, or from 2026-07-28 on by the request's own _meta.
func (c *call) log(ctx context.Context, level, logger string, data json.RawMessage) {
	params := &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: logger, Data: data}
	if err := c.req.Session.Log(ctx, params); err != nil {
		c.server.options.Logger.Debug("log message not sent", "error", err)
	}
}

// progress tells how far the call is, if the request carried a progress token.
func (c *call) progress(ctx context.Context, done float64, total *float64, message string) {
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return
	}
	params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Message: message}
	if total != nil {
		params.Total = *total
	}
	if err := c.req.Session.NotifyProgress(ctx, params); err != nil {
		c.server.options.Logger.Debug("progress not sent", "error", err)
	}
}

// elicitationComplete tells the client that what a URL elicitation opened is
// done. Only the revisions that have elicitation ids know the notification.
func (c *call) elicitationComplete(ctx context.Context, key string) error {
	if c.modern {
		return nil
	}
	return c.req.Session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{
		ElicitationID: elicitationID(c.state.Call, key),
	})
}
