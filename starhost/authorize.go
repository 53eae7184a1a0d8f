package starhost

import (
	"net/http"
	"slices"

	"github.com/mcpstar/mcpstar/starhost/wire/auth"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// Auth makes [Host.Handler] an OAuth resource server: every request needs a bearer
// token. Scripts see whose it is as ctx.auth. It has no bearing on stdio.
type Auth struct {
	// Verifier finds out whom a token stands for: one of [auth.NewJWT],
	// [auth.NewIntrospection], [auth.OpenTokens], or the program's own. It must be
	// set.
	Verifier auth.Verifier

	// URL is where clients reach the endpoint, as in https://tools.example.com/mcp.
	// "" puts it together from each request, which is right unless a proxy stands
	// in between.
	URL string

	// Issuers are the authorization servers that clients get tokens from. Without
	// any, clients have to be given theirs.
	Issuers []string

	// Scopes are what every token needs; tools may want more.
	Scopes []string
}

// resource is the endpoint that Auth describes, or nil. name is the server's.
func (h *Host) resource(name string) (*auth.Resource, error) {
	a := h.options.HTTP.Auth
	if a == nil {
		return nil, nil
	}
	return auth.New(auth.Options{
		Verifier:   a.Verifier,
		URL:        a.URL,
		Issuers:    a.Issuers,
		Scopes:     a.Scopes,
		MoreScopes: h.toolScopes,
		Name:       name,
		Logger:     h.options.Logger,
	})
}

// toolScopes are the scopes that tools want, each once.
func (h *Host) toolScopes() []string {
	var all []string
	for _, scopes := range h.scripts.Offer().Scopes {
		all = append(all, scopes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// authorize puts the authorization into an HTTP side.
func (h *Host) authorize(options *frame.HTTPOptions) {
	if h.guarded == nil {
		return
	}
	options.Require = h.guarded.Require
	options.First = func(w http.ResponseWriter, r *http.Request) bool {
		if !auth.IsMetadata(r) {
			return false
		}
		h.guarded.ServeMetadata(w, r)
		return true
	}
	options.Permit = func(w http.ResponseWriter, r *http.Request, tool string) bool {
		scopes := h.scripts.Offer().Scopes[tool]
		return len(scopes) == 0 || h.guarded.Permit(w, r, scopes)
	}
}
