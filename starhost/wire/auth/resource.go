package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// WellKnown is the path below which the metadata of a resource is found. The
// resource's own path follows: the metadata of https://example.com/mcp is at
// https://example.com/.well-known/oauth-protected-resource/mcp.
const WellKnown = "/.well-known/oauth-protected-resource"

// Options say whose requests a [Resource] lets in.
type Options struct {
	// Verifier finds out whom a token stands for. It must be set.
	Verifier Verifier
	// URL is where clients reach the endpoint, as in https://tools.example.com/mcp:
	// the identifier of the resource. Without it, it is put together from each
	// request, which works where nothing stands between the client and this server.
	URL string
	// Issuers are the authorization servers that make tokens for it, for clients to
	// find them. Without any, clients have to be given their tokens.
	Issuers []string
	// Scopes are what every token needs.
	Scopes []string
	// MoreScopes are further scopes that some requests need, for clients to know;
	// the function is called for every request for the metadata. It may be nil.
	MoreScopes func() []string
	// Name is the server's, for people.
	Name string
	// Logger is told who is refused, and why. Default: nobody.
	Logger *slog.Logger
}

// A Resource is an endpoint that only bearers of good tokens reach. It is safe for
// concurrent use.
type Resource struct{ options Options }

// New makes a resource.
func New(o Options) (*Resource, error) {
	if o.Verifier == nil {
		return nil, errors.New("authorization needs a verifier of tokens")
	}
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Fragment != "" || u.User != nil {
			return nil, fmt.Errorf("%q is no URL that clients could reach", o.URL)
		}
	}
	for _, scope := range o.Scopes {
		if !IsScope(scope) {
			return nil, fmt.Errorf("%q is no scope: it is one word, without quotes and backslashes", scope)
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Resource{o}, nil
}

// Require lets requests with a good token through to next, which finds the identity
// in the request's context, by way of the SDK; and answers the others. The token goes
// no further: nobody down there has any business with it.
func (res *Resource) Require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, refused := res.identify(r)
		if refused != nil {
			res.answer(w, r, refused)
			return
		}
		info := id.tokenInfo()
		// The SDK alone can put it where its transports look for it.
		carry := sdk.RequireBearerToken(
			func(context.Context, string, *http.Request) (*sdk.TokenInfo, error) { return info, nil },
			&sdk.RequireBearerTokenOptions{AllowMissingExpiration: true})
		inner := r.Clone(r.Context())
		inner.Header.Set("Authorization", "Bearer verified")
		carry(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Authorization")
			next.ServeHTTP(w, r)
		})).ServeHTTP(w, inner)
	})
}

// identify finds out who sends a request, or why it is refused.
func (res *Resource) identify(r *http.Request) (*Identity, *challenge) {
	token, refused := bearer(r)
	if refused != nil {
		return nil, refused
	}
	id, err := res.options.Verifier.Verify(r.Context(), token)
	var invalid Invalid
	switch {
	case errors.As(err, &invalid):
		return nil, invalidToken(string(invalid))
	case err == nil && id == nil:
		err = errors.New("the verifier gives neither an identity nor an error")
		fallthrough
	case err != nil:
		res.options.Logger.Error("tokens can't be verified", "error", err)
		return nil, &challenge{status: http.StatusServiceUnavailable, text: "tokens can't be verified at the moment"}
	case id.Principal() == "":
		return nil, invalidToken("the token stands for nobody: it names neither a subject nor a client")
	case !id.Expires.IsZero() && !time.Now().Before(id.Expires):
		return nil, invalidToken("the token has expired")
	}
	if missing := id.Missing(res.options.Scopes); missing != nil {
		return nil, insufficientScope(res.options.Scopes, missing)
	}
	return id, nil
}

// Permit reports whether the sender of a request, as [Resource.Require] has found
// them, has the scopes that it needs beside those of every request. If not, it
// answers.
func (res *Resource) Permit(w http.ResponseWriter, r *http.Request, needed []string) bool {
	id := IdentityOf(sdk.TokenInfoFromContext(r.Context()))
	if id == nil {
		res.answer(w, r, unauthorized("a bearer token is needed"))
		return false
	}
	missing := id.Missing(needed)
	if missing == nil {
		return true
	}
	all := slices.Clone(res.options.Scopes) // a token for these alone would be of no use
	for _, scope := range needed {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	res.answer(w, r, insufficientScope(all, missing))
	return false
}

func (res *Resource) answer(w http.ResponseWriter, r *http.Request, c *challenge) {
	if c.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
		writeJSON(w, c.status, exactjson.Object{{Name: "error", Value: "temporarily_unavailable"}, {Name: "error_description", Value: c.text}})
		return
	}
	if c.code != "" {
		res.options.Logger.Info("request refused", "status", c.status, "reason", c.text)
	}
	if c.status == http.StatusUnauthorized {
		c.scopes = res.options.Scopes
	}
	c.write(w, res.metadataURL(r))
}

// metadataURL is where the metadata is, for who has sent a request to the endpoint.
func (res *Resource) metadataURL(r *http.Request) string {
	at := res.url(r, r.URL.Path)
	at.Path, at.RawPath = res.MetadataPath(at.Path), ""
	return at.String()
}

// url is the resource's URL: the given one, or else where the request came in, with
// that path.
func (res *Resource) url(r *http.Request, path string) *url.URL {
	if res.options.URL != "" {
		u, _ := url.Parse(res.options.URL) // New has tried
		return u
	}
	u := &url.URL{Scheme: "http", Host: r.Host, Path: path}
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u
}
