package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/wire/auth"
)

// people is a verifier of tokens that are names.
func people(_ context.Context, token string) (*auth.Identity, error) {
	switch token {
	case "bad":
		return nil, auth.Invalid(`it is "bad"`)
	case "broken":
		return nil, errors.New("the secret is 1234")
	case "nothing":
		return nil, nil
	case "nobody":
		return &auth.Identity{Scopes: []string{"read"}}, nil
	case "old":
		return &auth.Identity{Subject: token, Scopes: []string{"read"}, Expires: time.Now().Add(-time.Second)}, nil
	case "poor":
		return &auth.Identity{Subject: token}, nil
	}
	return &auth.Identity{Subject: token, Scopes: []string{"read"}}, nil
}

func resource(t *testing.T, edit func(*auth.Options)) *auth.Resource {
	t.Helper()
	o := auth.Options{Verifier: auth.VerifierFunc(people), URL: here, Issuers: []string{"https://login.example.com"}, Scopes: []string{"read"}}
	if edit != nil {
		edit(&o)
	}
	res, err := auth.New(o)
	require.NoError(t, err)
	return res
}

func ask(h http.Handler, target string, edit func(*http.Request)) *http.Response {
	r := httptest.NewRequest(http.MethodPost, target, nil)
	if edit != nil {
		edit(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(text)
}

const metadataParam = `resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp"`

func TestWhoIsNotLetInLearnsWhy(t *testing.T) {
	h := resource(t, nil).Require(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("let in") }))
	for name, c := range map[string]struct {
		target    string
		headers   []string
		status    int
		challenge string
		body      string
	}{
		"no header": {"/mcp", nil, 401,
			`Bearer scope="read", ` + metadataParam,
			`{"error":"invalid_token","error_description":"a bearer token is needed"}`},
		"another scheme": {"/mcp", []string{"Basic YTpi"}, 401,
			`Bearer scope="read", ` + metadataParam,
			`{"error":"invalid_token","error_description":"a bearer token is needed"}`},
		"a scheme alone": {"/mcp", []string{"Bearer"}, 400,
			`Bearer error="invalid_request", error_description="the Authorization header holds no bearer token", ` + metadataParam,
			`{"error":"invalid_request","error_description":"the Authorization header holds no bearer token"}`},
		"two words": {"/mcp", []string{"Bearer ann bob"}, 400,
			`Bearer error="invalid_request", error_description="the Authorization header holds no bearer token", ` + metadataParam,
			`{"error":"invalid_request","error_description":"the Authorization header holds no bearer token"}`},
		"odd characters": {"/mcp", []string{`Bearer "ann"`}, 400,
			`Bearer error="invalid_request", error_description="the Authorization header holds no bearer token", ` + metadataParam,
			`{"error":"invalid_request","error_description":"the Authorization header holds no bearer token"}`},
		"two headers": {"/mcp", []string{"Bearer ann", "Bearer bob"}, 400,
			`Bearer error="invalid_request", error_description="more than one Authorization header", ` + metadataParam,
			`{"error":"invalid_request","error_description":"more than one Authorization header"}`},
		"in the URL": {"/mcp?x=1&access_token=ann", nil, 400,
			`Bearer error="invalid_request", error_description="an access token must not be in the URL: send it in the Authorization header", ` + metadataParam,
			`{"error":"invalid_request","error_description":"an access token must not be in the URL: send it in the Authorization header"}`},
		"in the URL too": {"/mcp?access%5Ftoken=ann", []string{"Bearer ann"}, 400,
			`Bearer error="invalid_request", error_description="an access token must not be in the URL: send it in the Authorization header", ` + metadataParam,
			`{"error":"invalid_request","error_description":"an access token must not be in the URL: send it in the Authorization header"}`},
		"a bad token": {"/mcp", []string{"Bearer bad"}, 401,
			`Bearer error="invalid_token", error_description="it is \"bad\"", scope="read", ` + metadataParam,
			`{"error":"invalid_token","error_description":"it is \"bad\""}`},
		"an old token": {"/mcp", []string{"Bearer old"}, 401,
			`Bearer error="invalid_token", error_description="the token has expired", scope="read", ` + metadataParam,
			`{"error":"invalid_token","error_description":"the token has expired"}`},
		"a token of nobody's": {"/mcp", []string{"Bearer nobody"}, 401,
			`Bearer error="invalid_token", error_description="the token stands for nobody: it names neither a subject nor a client", scope="read", ` + metadataParam,
			`{"error":"invalid_token","error_description":"the token stands for nobody: it names neither a subject nor a client"}`},
		"a poor token": {"/mcp", []string{"Bearer poor"}, 403,
			`Bearer error="insufficient_scope", error_description="the token lacks the scope read", scope="read", ` + metadataParam,
			`{"error":"insufficient_scope","error_description":"the token lacks the scope read"}`},
		"no telling": {"/mcp", []string{"Bearer broken"}, 503, "",
			`{"error":"temporarily_unavailable","error_description":"tokens can't be verified at the moment"}`},
		"no verifier's answer": {"/mcp", []string{"Bearer nothing"}, 503, "",
			`{"error":"temporarily_unavailable","error_description":"tokens can't be verified at the moment"}`},
	} {
		t.Run(name, func(t *testing.T) {
			res := ask(h, c.target, func(r *http.Request) { r.Header["Authorization"] = c.headers })
			require.Equal(t, c.status, res.StatusCode)
			require.Equal(t, c.challenge, res.Header.Get("WWW-Authenticate"))
			require.Equal(t, "application/json", res.Header.Get("Content-Type"))
			require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
			require.Equal(t, c.body, body(t, res))
			if c.challenge != "" {
				challenges, err := oauthex.ParseWWWAuthenticate(res.Header.Values("WWW-Authenticate"))
				require.NoError(t, err)
				require.Len(t, challenges, 1)
				require.Equal(t, "https://tools.example.com/.well-known/oauth-protected-resource/mcp", challenges[0].Params["resource_metadata"])
			}
		})
	}
}

func TestWhoIsLetInIsKnownAndTheTokenIsGone(t *testing.T) {
	var id *auth.Identity
	var header []string
	h := resource(t, nil).Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		id = auth.IdentityOf(sdk.TokenInfoFromContext(r.Context()))
		header = r.Header.Values("Authorization")
	}))
	for _, value := range []string{"Bearer ann", "bearer  ann", "BEARER ann"} {
		id = nil
		res := ask(h, "/mcp", func(r *http.Request) { r.Header.Set("Authorization", value) })
		require.Equal(t, 200, res.StatusCode)
		require.Equal(t, "ann", id.Subject, value)
		require.Empty(t, header)
	}
}

func TestAScopeThatARequestNeedsIsAskedForWithThoseOfAll(t *testing.T) {
	res := resource(t, nil)
	permitted := false
	h := res.Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		permitted = res.Permit(w, r, []string{"write", "read", "delete"})
	}))
	got := ask(h, "/mcp", func(r *http.Request) { r.Header.Set("Authorization", "Bearer ann") })
	require.False(t, permitted)
	require.Equal(t, 403, got.StatusCode)
	require.Equal(t, `Bearer error="insufficient_scope", error_description="the token lacks the scope write delete", scope="read write delete", `+metadataParam,
		got.Header.Get("WWW-Authenticate"))

	w := httptest.NewRecorder()
	require.False(t, res.Permit(w, httptest.NewRequest("POST", "/mcp", nil), []string{"read"}), "nobody has no scopes")
	require.Equal(t, 401, w.Code)
}

func TestMetadata(t *testing.T) {
	res := resource(t, func(o *auth.Options) {
		o.Name = "Bookshop"
		o.MoreScopes = func() []string { return []string{"read", "write"} }
	})
	get := func(res *auth.Resource, target string) *http.Response {
		return ask(http.HandlerFunc(res.ServeMetadata), target, func(r *http.Request) { r.Method = http.MethodGet })
	}
	got := get(res, "/.well-known/oauth-protected-resource/mcp")
	require.Equal(t, 200, got.StatusCode)
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	require.Equal(t, "*", got.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, `{"resource":"https://tools.example.com/mcp","authorization_servers":["https://login.example.com"],`+
		`"scopes_supported":["read","write"],"bearer_methods_supported":["header"],"resource_name":"Bookshop"}`, body(t, got))
	for _, other := range []string{"", "/", "/other", "/mcp/x"} {
		require.Equal(t, 404, get(res, auth.WellKnown+other).StatusCode, other)
	}

	bare := resource(t, func(o *auth.Options) { o.URL, o.Issuers, o.Scopes = "", nil, nil })
	require.Equal(t, `{"resource":"http://example.com/deep/mcp","bearer_methods_supported":["header"]}`,
		body(t, get(bare, "http://example.com/.well-known/oauth-protected-resource/deep/mcp")))
	refused := ask(bare.Require(http.NotFoundHandler()), "http://example.com/deep/mcp", nil)
	require.Equal(t, `Bearer resource_metadata="http://example.com/.well-known/oauth-protected-resource/deep/mcp"`, refused.Header.Get("WWW-Authenticate"))

	preflight := ask(http.HandlerFunc(res.ServeMetadata), auth.WellKnown+"/mcp", func(r *http.Request) {
		r.Method = http.MethodOptions
		r.Header.Set("Access-Control-Request-Headers", "mcp-protocol-version")
	})
	require.Equal(t, 204, preflight.StatusCode)
	require.Equal(t, "mcp-protocol-version", preflight.Header.Get("Access-Control-Allow-Headers"))
	require.Equal(t, 405, ask(http.HandlerFunc(res.ServeMetadata), auth.WellKnown+"/mcp", nil).StatusCode)
}

func TestPrincipalsAreOfIssuerSubjectAndClient(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range []auth.Identity{
		{Subject: "a"}, {Client: "a"}, {Issuer: "a", Subject: "b"}, {Issuer: "b", Subject: "a"}, {Subject: "a", Client: "b"},
		{Subject: `a","b`}, {Issuer: `a","b`, Client: "c"}, {Issuer: "a", Subject: "b", Client: "c"},
	} {
		require.False(t, seen[id.Principal()])
		seen[id.Principal()] = true
	}
	require.Empty(t, (&auth.Identity{Issuer: "a", Scopes: []string{"b"}}).Principal())
	require.Equal(t, (&auth.Identity{Subject: "a"}).Principal(), (&auth.Identity{Subject: "a", Scopes: []string{"b"}}).Principal())
}

func TestWhatAnotherMiddlewareHasFoundIsAnIdentityToo(t *testing.T) {
	id := auth.IdentityOf(&sdk.TokenInfo{UserID: "ann", Scopes: []string{"a"}, Extra: map[string]any{"team": "x"}})
	require.Equal(t, "ann", id.Subject)
	require.Equal(t, []string{"a"}, id.Scopes)
	require.Equal(t, json.RawMessage(`{"team":"x"}`), id.Claims)
	require.Nil(t, auth.IdentityOf(nil))
}

func TestTheFirstVerifierThatKnowsTheTokenDecides(t *testing.T) {
	only := func(name string, err error) auth.Verifier {
		return auth.VerifierFunc(func(_ context.Context, token string) (*auth.Identity, error) {
			if token == name {
				return &auth.Identity{Subject: name}, nil
			}
			return nil, err
		})
	}
	v := auth.Any(only("a", auth.Invalid("not a")), only("b", auth.Invalid("not b")))
	for _, token := range []string{"a", "b"} {
		id, err := v.Verify(t.Context(), token)
		require.NoError(t, err)
		require.Equal(t, token, id.Subject)
	}
	_, err := v.Verify(t.Context(), "c")
	require.Equal(t, auth.Invalid("not b"), err)
	_, err = auth.Any(only("a", errors.New("down")), only("b", nil)).Verify(t.Context(), "b")
	require.EqualError(t, err, "down", "b may be a's as well")
}

func TestBadOptionsAreErrors(t *testing.T) {
	for says, o := range map[string]auth.Options{
		"needs a verifier":                   {},
		"is no URL that clients could reach": {Verifier: auth.VerifierFunc(people), URL: "tools.example.com/mcp"},
		"is no scope":                        {Verifier: auth.VerifierFunc(people), Scopes: []string{"a b"}},
	} {
		_, err := auth.New(o)
		require.ErrorContains(t, err, says)
	}
}
