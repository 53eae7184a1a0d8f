package wire

import (
	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/starhost/wire/auth"
)

// principal is who an authorization layer says is calling, or "". Headers are
// never an identity.
func (c *call) principal() string {
	if extra := c.req.extra; extra != nil && extra.TokenInfo != nil {
		return extra.TokenInfo.UserID
	}
	return ""
}

// auth is who calls, as an authorization layer has found and a script sees it; nil
// without one.
func (c *call) auth() *callctx.Auth {
	if c.req.extra == nil {
		return nil
	}
	id := auth.IdentityOf(c.req.extra.TokenInfo)
	if id == nil {
		return nil
	}
	return &callctx.Auth{Subject: id.Subject, Client: id.Client, Scopes: id.Scopes, Claims: id.Claims}
}
