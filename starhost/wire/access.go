package wire

import (
	"fmt"
	"strings"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/starhost/wire/auth"
)

// identity is who calls, as an authorization layer has found; nil without one.
func (c *call) identity() *auth.Identity {
	if c.req.extra == nil {
		return nil
	}
	return auth.IdentityOf(c.req.extra.TokenInfo)
}

// auth is the identity as a script sees it.
func (c *call) auth() *callctx.Auth {
	id := c.identity()
	if id == nil {
		return nil
	}
	return &callctx.Auth{Subject: id.Subject, Client: id.Client, Scopes: id.Scopes, Claims: id.Claims}
}

// lacking says which scopes of the tool's the caller lacks, or "". Our own HTTP side
// has refused such a call already; here end those of servers that others serve, and
// the one that a reload has overtaken.
//
// Who starts a server over stdio has everything that the server has.
func (c *call) lacking() string {
	tool, ok := c.subject.(toolSubject)
	if !ok || len(tool.Scopes) == 0 || c.req.extra == nil || c.req.extra.Header == nil && c.req.extra.TokenInfo == nil {
		return ""
	}
	id := c.identity()
	if id == nil {
		return fmt.Sprintf("The tool %s can't be called here: it needs the scope %s, and the server has no authorization",
			tool.Name, strings.Join(tool.Scopes, " "))
	}
	if missing := id.Missing(tool.Scopes); missing != nil {
		return fmt.Sprintf("The tool %s needs the scope %s, which this access token lacks", tool.Name, strings.Join(missing, " "))
	}
	return ""
}
