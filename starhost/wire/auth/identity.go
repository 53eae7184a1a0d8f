package auth

import (
	"encoding/json"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/auth"
)

// An Identity is whom a token stands for.
type Identity struct {
	// Issuer is who says so: the authorization server's issuer identifier; "" for
	// tokens that this server keeps itself.
	Issuer string
	// Subject is the person or the program that the token was made for, and Client
	// the OAuth client that it was made to. One of them may be "".
	Subject, Client string
	// Scopes are what the token allows.
	Scopes []string
	// Claims are all that the token says, as a JSON object; nil for nothing.
	Claims json.RawMessage
	// Expires is when the token ends. Zero: never.
	Expires time.Time
}

// Principal names the one whom work that is under way belongs to: sessions, and
// the state of calls. Two tokens of one subject, client and issuer are the same
// principal. It is "" for an identity without subject and client, which is none.
func (id *Identity) Principal() string {
	if id.Subject == "" && id.Client == "" {
		return ""
	}
	text, _ := json.Marshal([]string{id.Issuer, id.Subject, id.Client}) // texts can't fail
	return string(text)
}

// Missing are the scopes of needed that the identity has not, in their order.
func (id *Identity) Missing(needed []string) []string {
	var missing []string
	for _, scope := range needed {
		if !slices.Contains(id.Scopes, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// identityKey is where the SDK's token information holds the identity.
const identityKey = "io.github.mcpstar/identity"

// tokenInfo is the identity as the SDK carries it.
func (id *Identity) tokenInfo() *sdk.TokenInfo {
	return &sdk.TokenInfo{
		Scopes:     id.Scopes,
		Expiration: id.Expires,
		UserID:     id.Principal(),
		Extra:      map[string]any{identityKey: id},
	}
}

// IdentityOf is the identity behind what the SDK has carried to a handler, also if
// another middleware than ours has verified the token. It is nil for nil.
func IdentityOf(info *sdk.TokenInfo) *Identity {
	if info == nil {
		return nil
	}
	if id, ok := info.Extra[identityKey].(*Identity); ok {
		return id
	}
	id := &Identity{Subject: info.UserID, Scopes: info.Scopes, Expires: info.Expiration}
	if claims, err := json.Marshal(info.Extra); err == nil && len(info.Extra) > 0 {
		id.Claims = claims
	}
	return id
}
