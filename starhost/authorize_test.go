package starhost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/wire/auth"
	"github.com/mcpstar/mcpstar/starhost/wire/auth/authtest"
)

// Who may call over HTTP, on both revisions.

const library = `
server(name = "library")

Yes = model(yes = bool)

def confirm(title, ctx):
    return elicit("%s, take %s?" % (ctx.auth.subject, title), Yes)

def borrow(title: str, yes: resolve(confirm)) -> str:
    return "yes" if yes.yes else "no"

def whoami(ctx) -> str:
    a = ctx.auth
    return repr((a.subject, a.client, a.scopes, a.claims.get("team"), a.claims.get("big")))

def headers(ctx) -> list[str]:
    return [h for h in ctx.headers if "auth" in h or h == "x-user"]

def discard(title: str) -> str:
    return "discarded " + title

def ask_name(ctx): return elicit("%s, who is it for?" % ctx.auth.subject, model(name = str))
def letter(name: resolve(ask_name), ctx) -> str:
    return "%s writes to %s" % (ctx.auth.subject, name.name)
def card(id: str, ctx) -> str:
    return "%s's card %s" % (ctx.auth.subject, id)

prompt(letter)
resource("cards://{id}", card)
tool(borrow)
tool(whoami)
tool(headers)
tool(discard, scopes = ["books:read", "books:write"])
`

// A protected is a host that an authorization server's tokens open.
type protected struct {
	*authtest.Server
	url string
	now time.Time // of the verifier
}

const audience = "library"

// protect serves the library to bearers of tokens with the scope books:read.
func protect(t *testing.T) *protected {
	t.Helper()
	p := &protected{Server: authtest.New(t), now: time.Now()}
	keys, err := auth.NewJWT(auth.JWTOptions{
		Keys: p.Keys(), Issuer: p.URL, Audiences: []string{audience}, Now: func() time.Time { return p.now },
	})
	require.NoError(t, err)
	p.url = online(t, serveWith(t, library, starhost.Options{HTTP: starhost.HTTPOptions{Auth: &starhost.Auth{
		Verifier: keys, Issuers: []string{p.URL}, Scopes: []string{"books:read"},
	}}}))
	return p
}

// token is a good one, but for what claims say.
func (p *protected) token(claims authtest.Claims) string {
	all := authtest.Claims{"scope": "books:read"}
	maps.Copy(all, claims)
	return p.Token(audience, all)
}

// metadata is where a challenge leads to.
func (p *protected) metadata() string {
	return strings.Replace(p.url, "/mcp", "/.well-known/oauth-protected-resource/mcp", 1)
}

// try sends what begins a client's work, with an Authorization header, and gives the
// response.
func (p *protected) try(t *testing.T, revision, authorization string) (*web, string) {
	t.Helper()
	w := &web{t: t, url: p.url}
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`
	if revision == rounds {
		w.version = rounds
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	}
	text := w.post(body, func(r *http.Request) {
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
	})
	return w, text
}

func onBothRevisions(t *testing.T, test func(t *testing.T, revision string)) {
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) { test(t, revision) })
	}
}

func TestOnlyBearersOfGoodTokensAreServed(t *testing.T) {
	p := protect(t)
	stranger := authtest.NewKey(t, "first", "ES256")
	minute := func(n time.Duration) int64 { return p.now.Add(n * time.Minute).Unix() }
	onBothRevisions(t, func(t *testing.T, revision string) {
		for name, c := range map[string]struct {
			authorization string
			status        int
			code, says    string
		}{
			"nothing":          {"", 401, "", "a bearer token is needed"},
			"another scheme":   {"Basic YW5uOnB3", 401, "", "a bearer token is needed"},
			"malformed":        {"Bearer", 400, "invalid_request", "the Authorization header holds no bearer token"},
			"two tokens":       {"Bearer " + p.token(nil) + " x", 400, "invalid_request", "the Authorization header holds no bearer token"},
			"unknown":          {"Bearer 123", 401, "invalid_token", "the token is not known"},
			"another audience": {"Bearer " + p.Token("kitchen", nil), 401, "invalid_token", "the token is for another audience"},
			"another issuer":   {"Bearer " + p.token(authtest.Claims{"iss": "https://evil.example.com"}), 401, "invalid_token", "the token is of another issuer"},
			"expired":          {"Bearer " + p.token(authtest.Claims{"exp": minute(-1)}), 401, "invalid_token", "the token has expired"},
			"not yet valid":    {"Bearer " + p.token(authtest.Claims{"nbf": minute(1)}), 401, "invalid_token", "the token is not valid yet"},
			"forged": {"Bearer " + stranger.Sign(t, nil, authtest.Claims{"iss": p.URL, "aud": audience, "sub": "ann", "exp": minute(9)}),
				401, "invalid_token", "the token's signature is not good"},
			"a missing scope": {"Bearer " + p.token(authtest.Claims{"scope": "other"}), 403, "insufficient_scope", "the token lacks the scope books:read"},
		} {
			w, body := p.try(t, revision, c.authorization)
			require.Equal(t, c.status, w.status, name)
			bodyCode, challenge := c.code, "Bearer "
			if c.code == "" {
				bodyCode = "invalid_token"
			} else {
				challenge += fmt.Sprintf("error=%q, error_description=%q, ", c.code, c.says)
			}
			if c.status != 400 {
				challenge += `scope="books:read", `
			}
			challenge += fmt.Sprintf("resource_metadata=%q", p.metadata())
			require.Equal(t, challenge, w.header.Get("WWW-Authenticate"), name)
			require.Equal(t, fmt.Sprintf(`{"error":%q,"error_description":%q}`, bodyCode, c.says), body, name)
			require.Empty(t, w.header.Get("Mcp-Session-Id"))
		}
		w, _ := p.try(t, revision, "Bearer "+p.token(nil))
		require.Equal(t, http.StatusOK, w.status)
	})
}

func TestATokenInTheURLIsRefused(t *testing.T) {
	p := protect(t)
	onBothRevisions(t, func(t *testing.T, revision string) {
		at := *p
		at.url = p.url + "?access_token=" + p.token(nil)
		w, body := at.try(t, revision, "")
		require.Equal(t, http.StatusBadRequest, w.status)
		require.Contains(t, body, `"error":"invalid_request","error_description":"an access token must not be in the URL`)
		w, _ = at.try(t, revision, "Bearer "+p.token(nil))
		require.Equal(t, http.StatusBadRequest, w.status, "nor beside one in the header")
	})
}

func TestARotatedKeyIsFetched(t *testing.T) {
	p := protect(t)
	before := p.token(nil)
	w, _ := p.try(t, rounds, "Bearer "+before)
	require.Equal(t, http.StatusOK, w.status)

	p.SetKeys(authtest.NewKey(t, "second", "RS256"))
	w, body := p.try(t, rounds, "Bearer "+p.token(nil))
	require.Equal(t, http.StatusUnauthorized, w.status)
	require.Contains(t, body, "the token is signed with a key that is not known")
	p.now = p.now.Add(10 * time.Second)
	w, _ = p.try(t, rounds, "Bearer "+p.token(nil))
	require.Equal(t, http.StatusOK, w.status)
	w, _ = p.try(t, rounds, "Bearer "+before)
	require.Equal(t, http.StatusUnauthorized, w.status, "the old key was withdrawn")
	require.Equal(t, 2, p.Fetches())
}

func TestAToolMayNeedScopesOfItsOwn(t *testing.T) {
	p := protect(t)
	onBothRevisions(t, func(t *testing.T, revision string) {
		reader := connectAs(t, p.url, p.token(nil), revision, allCapabilities)
		m := reader.request("tools/list", json.RawMessage(`{`+strings.TrimPrefix(reader.envelope(), ",")+`}`), nobody)
		require.Contains(t, string(m.Result), `"discard"`, "it is shown, so that a client can ask for more")

		w := reader.web()
		body := w.post(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"discard","arguments":{"title":"Dune"}`+reader.envelope()+`}}`, nil)
		require.Equal(t, http.StatusForbidden, w.status)
		require.Equal(t, `Bearer error="insufficient_scope", error_description="the token lacks the scope books:write", `+
			`scope="books:read books:write", resource_metadata="`+p.metadata()+`"`, w.header.Get("WWW-Authenticate"))
		require.Equal(t, `{"error":"insufficient_scope","error_description":"the token lacks the scope books:write"}`, body)

		w.token = p.token(authtest.Claims{"scope": "books:write books:read"})
		require.Equal(t, "discarded Dune", reader.call("discard", `{"title":"Dune"}`, nobody).text())
	})
}

func TestScriptsSeeWhoCalls(t *testing.T) {
	p := protect(t)
	onBothRevisions(t, func(t *testing.T, revision string) {
		token := p.token(authtest.Claims{"scope": "books:read extra", "team": "blue", "big": json.Number("9007199254740993")})
		c := connectAs(t, p.url, token, revision, allCapabilities)
		require.Equal(t, `("ann", "desk", ["books:read", "extra"], "blue", 9007199254740993)`, c.call("whoami", `{}`, nobody).text())
		played := c.call("borrow", `{"title":"Dune"}`, answering("ann, take Dune?", accept(`{"yes":true}`)))
		require.Equal(t, "yes", played.text(), "a resolver sees it too")
		require.Empty(t, c.call("headers", `{}`, nobody).texts(), "the token is not among the headers")
		robot := connectAs(t, p.url, p.token(authtest.Claims{"sub": nil}), revision, allCapabilities)
		require.Equal(t, `(None, "desk", ["books:read"], None, None)`, robot.call("whoami", `{}`, nobody).text())
	})
}

func TestPromptsAndResourcesSeeWhoCalls(t *testing.T) {
	p := protect(t)
	onBothRevisions(t, func(t *testing.T, revision string) {
		c := connectAs(t, p.url, p.token(nil), revision, allCapabilities)
		m := c.request("resources/read", json.RawMessage(`{"uri":"cards://7"`+c.envelope()+`}`), nobody)
		require.Nil(t, m.Error)
		require.Contains(t, string(m.Result), `"ann's card 7"`)
	})
	get := func(token, more string) message {
		c := connectAs(t, p.url, token, rounds, allCapabilities)
		return c.request("prompts/get", json.RawMessage(`{"name":"letter"`+more+c.envelope()+`}`), nobody)
	}
	var asked struct {
		RequestState  string
		InputRequests map[string]struct{ Params struct{ Message string } }
	}
	require.NoError(t, json.Unmarshal(get(p.token(nil), "").Result, &asked))
	answers := map[string]json.RawMessage{}
	for key, q := range asked.InputRequests {
		require.Equal(t, "ann, who is it for?", q.Params.Message)
		answers[key] = json.RawMessage(accept(`{"name":"Eve"}`))
	}
	text, err := json.Marshal(answers)
	require.NoError(t, err)
	more := fmt.Sprintf(`,"requestState":%q,"inputResponses":%s`, asked.RequestState, text)
	stolen := get(p.token(authtest.Claims{"sub": "bob"}), more)
	require.Equal(t, -32602, stolen.Error.Code)
	require.Equal(t, "Invalid or expired requestState", stolen.Error.Message)
	require.Contains(t, string(get(p.token(nil), more).Result), `"ann writes to Eve"`)
}

func TestWithoutAuthorizationNobodyIsKnown(t *testing.T) {
	const script = `
def who(ctx) -> str: return repr(ctx.auth)
def admin() -> str: return "done"
tool(who)
tool(admin, scopes = ["admin"])
`
	onBothRevisions(t, func(t *testing.T, revision string) {
		c := connectOnline(t, online(t, serve(t, script)), revision, allCapabilities)
		require.Equal(t, "None", c.call("who", `{}`, nobody).text())
		require.Equal(t, "The tool admin can't be called here: it needs the scope admin, and the server has no authorization",
			c.call("admin", `{}`, nobody).failure())
		require.Equal(t, "done", connect(t, serve(t, script), revision).call("admin", `{}`, nobody).text(),
			"who starts a server over stdio has all that it has")
	})
}

func TestStateBelongsToWhomItWasGiven(t *testing.T) {
	p := protect(t)
	ann := connectAs(t, p.url, p.token(nil), rounds, allCapabilities)
	first := ann.once("borrow", `{"title":"Dune"}`, "", nobody)
	key := first.asked[0].key
	answers := map[string]string{key: accept(`{"yes":true}`)}
	for name, claims := range map[string]authtest.Claims{
		"another person": {"sub": "bob"},
		"another client": {"client_id": "phone"},
		"the client":     {"sub": nil},
		"the person":     {"client_id": nil},
	} {
		other := connectAs(t, p.url, p.token(claims), rounds, allCapabilities)
		r := other.resume("borrow", `{"title":"Dune"}`, first.state, answers)
		r.refused(-32602, "Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
		require.Equal(t, http.StatusBadRequest, other.web().status, name)
	}
	renewed := connectAs(t, p.url, p.token(authtest.Claims{"exp": p.now.Add(2 * time.Hour).Unix(), "jti": "2"}), rounds, allCapabilities)
	require.Equal(t, "yes", renewed.resume("borrow", `{"title":"Dune"}`, first.state, answers).text(), "another token of the same")
}

func TestASessionBelongsToWhoHasOpenedIt(t *testing.T) {
	p := protect(t)
	ann := connectAs(t, p.url, p.token(nil), handshake, allCapabilities)
	for name, claims := range map[string]authtest.Claims{"another person": {"sub": "bob"}, "another client": {"client_id": "phone"}} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			body := ann.web().post(`{"jsonrpc":"2.0","id":7,"method":"ping"}`, func(r *http.Request) {
				r.Method = method
				r.Header.Set("Authorization", "Bearer "+p.token(claims))
			})
			require.Equal(t, http.StatusNotFound, ann.web().status, name)
			require.Contains(t, body, `"error":{"code":-32600,"message":"Session not found"}`)
			require.Empty(t, ann.web().header.Get("WWW-Authenticate"), "another token won't do")
		}
	}
	ann.web().token = p.token(authtest.Claims{"jti": "another token of hers"})
	require.Contains(t, ann.call("whoami", `{}`, nobody).text(), "ann")
	ann.web().post(`{"jsonrpc":"2.0","id":7,"method":"ping"}`, func(r *http.Request) { r.Header.Del("Authorization") })
	require.Equal(t, http.StatusUnauthorized, ann.web().status, "each request has to say who sends it")
}

func TestHeadersAreNoIdentity(t *testing.T) {
	p := protect(t)
	onBothRevisions(t, func(t *testing.T, revision string) {
		c := connectAs(t, p.url, p.token(nil), revision, allCapabilities)
		body := c.web().post(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"whoami"`+c.envelope()+`}}`, func(r *http.Request) {
			for _, name := range []string{"X-User", "X-Forwarded-User", "X-Authenticated-Userid", "Remote-User"} {
				r.Header.Set(name, "bob")
			}
		})
		require.Contains(t, body, `\"ann\"`)
	})
}

func TestMetadataNeedsNoToken(t *testing.T) {
	p := protect(t)
	metadata, err := oauthex.GetProtectedResourceMetadata(t.Context(), p.metadata(), p.url, http.DefaultClient)
	require.NoError(t, err)
	require.Equal(t, []string{p.URL}, metadata.AuthorizationServers)
	require.Equal(t, []string{"books:read", "books:write"}, metadata.ScopesSupported)
	require.Equal(t, "library", metadata.ResourceName)
}

// A page in a browser asks whether it may send a request before it has a token to
// send, and has to be able to read why a request was refused.
func TestPagesCanFindOutAboutAuthorization(t *testing.T) {
	p := protect(t)
	do := func(method string, headers map[string]string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, p.url, nil)
		require.NoError(t, err)
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res
	}
	const page = "http://localhost:6274"
	preflight := do(http.MethodOptions, map[string]string{
		"Origin": page, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization",
	})
	require.Equal(t, http.StatusNoContent, preflight.StatusCode)
	require.Equal(t, "authorization", preflight.Header.Get("Access-Control-Allow-Headers"))
	refused := do(http.MethodPost, map[string]string{"Origin": page})
	require.Equal(t, http.StatusUnauthorized, refused.StatusCode)
	require.Equal(t, page, refused.Header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, refused.Header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate")
	require.Equal(t, http.StatusForbidden, do(http.MethodPost, map[string]string{"Origin": "https://evil.example.com"}).StatusCode,
		"a foreign page learns nothing")
}

func TestServeListenerServesTheMetadata(t *testing.T) {
	host := serveWith(t, library, starhost.Options{HTTP: starhost.HTTPOptions{Auth: &starhost.Auth{
		Verifier: auth.VerifierFunc(func(context.Context, string) (*auth.Identity, error) { return nil, auth.Invalid("no") }),
	}}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- host.ServeListener(ctx, listener, time.Second) }()
	at := "http://" + listener.Addr().String()
	for path, status := range map[string]int{
		"/mcp": 401, auth.WellKnown + "/mcp": 200, auth.WellKnown: 404, auth.WellKnown + "/other": 404, "/": 404,
	} {
		res, err := http.Get(at + path)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, status, res.StatusCode, path)
		if status == 200 {
			require.Contains(t, string(body), `{"resource":"`+at+`/mcp",`)
		}
	}
	stop()
	require.NoError(t, <-ended)
}

// The SDK's own middleware in front of a handler, and a server of the SDK's that the
// tools are mounted on, carry an identity as well.
func TestOthersMayVerifyTheTokens(t *testing.T) {
	verify := sdkauth.RequireBearerToken(func(_ context.Context, token string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		return &sdkauth.TokenInfo{UserID: token, Scopes: []string{"books:read"}, Expiration: time.Now().Add(time.Hour), Extra: map[string]any{"team": "red"}}, nil
	}, nil)
	host := serve(t, library)
	server := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	require.NoError(t, host.Mount(server))
	mounted := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	for name, handler := range map[string]http.Handler{"in front": host.Handler(), "mounted": mounted} {
		t.Run(name, func(t *testing.T) {
			c := connectAs(t, listen(t, verify(handler)), "ann", handshake, allCapabilities)
			require.Equal(t, `("ann", None, ["books:read"], "red", None)`, c.call("whoami", `{}`, nobody).text())
			require.Equal(t, "The tool discard needs the scope books:write, which this access token lacks",
				c.call("discard", `{"title":"Dune"}`, nobody).failure())
		})
	}
}

func TestAuthWithoutAVerifierIsAnError(t *testing.T) {
	_, err := starhost.Load(t.Context(), oneFile("a.star", library), starhost.Options{
		Entry: "a.star", HTTP: starhost.HTTPOptions{Auth: &starhost.Auth{}},
	})
	require.EqualError(t, err, "authorization needs a verifier of tokens")
}
