package callctx

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// Auth is who calls, as the host has verified it.
type Auth struct {
	// Subject is the person or program that the access token was made for, Client
	// the OAuth client it was made to; "" where the token does not say.
	Subject, Client string
	// Scopes are what the token allows.
	Scopes []string
	// Claims are all that the token says, as a JSON object; nil for nothing.
	Claims json.RawMessage
}

// Missing are the scopes of needed that the token does not allow, in their order.
func (a *Auth) Missing(needed []string) []string {
	var missing []string
	for _, scope := range needed {
		if !slices.Contains(a.Scopes, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// identity is ctx.auth.
type identity struct{ auth *Auth }

var _ starlark.HasAttrs = (*identity)(nil)

func (i *identity) String() string        { return fmt.Sprintf("<auth %s>", i.auth.Subject) }
func (i *identity) Type() string          { return "auth" }
func (i *identity) Freeze()               {}
func (i *identity) Truth() starlark.Bool  { return true }
func (i *identity) Hash() (uint32, error) { return 0, errors.New("unhashable: auth") }

// AttrNames are the names that ctx.auth offers.
func (i *identity) AttrNames() []string { return []string{"claims", "client", "scopes", "subject"} }

// Attr is ctx.auth.NAME.
func (i *identity) Attr(name string) (starlark.Value, error) {
	switch name {
	case "subject":
		return textOrNone(i.auth.Subject), nil
	case "client":
		return textOrNone(i.auth.Client), nil
	case "scopes":
		scopes := make([]starlark.Value, len(i.auth.Scopes))
		for n, scope := range i.auth.Scopes {
			scopes[n] = starlark.String(scope)
		}
		return frozen(starlark.NewList(scopes)), nil
	case "claims":
		if len(i.auth.Claims) == 0 {
			return frozen(new(starlark.Dict)), nil
		}
		claims, err := exactjson.Decode(i.auth.Claims, exactjson.Limits{})
		if err != nil {
			return nil, fmt.Errorf("ctx.auth.claims: %w", err)
		}
		return frozen(claims), nil
	}
	return nil, starlark.NoSuchAttrError("ctx.auth has no ." + name)
}

func textOrNone(text string) starlark.Value {
	if text == "" {
		return starlark.None
	}
	return starlark.String(text)
}

func frozen(v starlark.Value) starlark.Value {
	v.Freeze()
	return v
}
