package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mcpstar/mcpstar/builtins/callctx"
)

// info is what the script's ctx shows of this request.
func (c *call) info(ctx context.Context) callctx.Info {
	return callctx.Info{
		RequestID:       c.req.ID,
		ProtocolVersion: c.req.Revision,
		CallID:          c.state.Call,
		ClientName:      c.req.ClientName,
		ClientVersion:   c.req.ClientVersion,
		Capabilities:    c.req.Capabilities,
		Headers:         c.req.Headers,
		State:           c.version.state,
		Auth:            c.req.Auth,
		Log:             func(level, logger string, data json.RawMessage) { c.client.Log(ctx, level, logger, data) },
		Progress:        func(done float64, total *float64, message string) { c.progress(ctx, done, total, message) },
		ElicitationComplete: func(key string) error {
			return c.elicitationComplete(ctx, key)
		},
		ResourceUpdated: func(uri string) error { return c.runner.resourceUpdated(ctx, uri) },
		ReadResource:    c.readOwn,
		CloseSSE:        func(retry time.Duration) { c.client.CloseSSE(retry) },
	}
}

// elicitationComplete tells the client that what a URL elicitation opened is
// done. Only the revisions that have elicitation ids know the notification.
func (c *call) elicitationComplete(ctx context.Context, key string) error {
	if c.req.Modern {
		return nil
	}
	return c.client.ElicitationComplete(ctx, elicitationID(c.state.Call, key))
}

// lacking says which scopes of the tool's the caller lacks, or "". Our own HTTP side
// has refused such a call already; here end those of servers that others serve, and
// the one that a reload has overtaken.
func (c *call) lacking() string {
	tool, ok := c.subject.(toolSubject)
	if !ok || len(tool.Scopes) == 0 || c.req.Trusted {
		return ""
	}
	if c.req.Auth == nil {
		return fmt.Sprintf("The tool %s can't be called here: it needs the scope %s, and the server has no authorization",
			tool.Name, strings.Join(tool.Scopes, " "))
	}
	if missing := c.req.Auth.Missing(tool.Scopes); missing != nil {
		return fmt.Sprintf("The tool %s needs the scope %s, which this access token lacks", tool.Name, strings.Join(missing, " "))
	}
	return ""
}
