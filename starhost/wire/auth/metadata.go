package auth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// IsMetadata reports whether a request is one for the metadata of a resource.
func IsMetadata(r *http.Request) bool {
	return r.URL.Path == WellKnown || strings.HasPrefix(r.URL.Path, WellKnown+"/")
}

// MetadataPath is the path of the metadata of an endpoint that has that path on this
// server. Clients, whom a proxy may show another one, look where URL says.
func (res *Resource) MetadataPath(path string) string {
	if res.options.URL != "" {
		u, _ := url.Parse(res.options.URL) // New has tried
		path = u.Path
	}
	return WellKnown + strings.TrimSuffix(path, "/")
}

// ServeMetadata answers a request for the resource's metadata (RFC 9728). It needs
// no token, and any page may read it: it is how a client without a token finds out
// where to get one.
func (res *Resource) ServeMetadata(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Methods", "GET, OPTIONS")
		if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
			w.Header().Set("Access-Control-Allow-Headers", asked)
		}
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodGet, http.MethodHead:
	default:
		w.Header().Set("Allow", "GET, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	path := strings.TrimPrefix(r.URL.Path, WellKnown)
	at := res.url(r, path)
	if strings.TrimSuffix(at.Path, "/") != strings.TrimSuffix(path, "/") {
		http.NotFound(w, r) // the metadata of another resource
		return
	}
	o := exactjson.Object{{Name: "resource", Value: at.String()}}
	if len(res.options.Issuers) > 0 {
		o = o.With("authorization_servers", res.options.Issuers)
	}
	if scopes := res.allScopes(); len(scopes) > 0 {
		o = o.With("scopes_supported", scopes)
	}
	o = o.With("bearer_methods_supported", []string{"header"})
	if res.options.Name != "" {
		o = o.With("resource_name", strings.ToValidUTF8(res.options.Name, "\uFFFD"))
	}
	writeJSON(w, http.StatusOK, o)
}

// allScopes are those of every request, then those of some.
func (res *Resource) allScopes() []string {
	all := slices.Clone(res.options.Scopes)
	if res.options.MoreScopes != nil {
		for _, scope := range res.options.MoreScopes() {
			if !slices.Contains(all, scope) {
				all = append(all, scope)
			}
		}
	}
	return all
}
