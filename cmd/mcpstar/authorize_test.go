package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/wire/auth/authtest"
)

const guardedServer = `
def whoami(ctx) -> str: return ctx.auth.subject
def discard() -> str: return "discarded"
tool(whoami)
tool(discard, scopes = ["books:write"])
`

// callAs calls a tool with a bearer token.
func callAs(t *testing.T, url, token, tool string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	require.NoError(t, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {tool}}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

// address is the URL that a server has printed.
func address(t *testing.T, printed string) string {
	t.Helper()
	m := regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(printed)
	require.NotNil(t, m, printed)
	return m[1]
}

func tokensFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestServeWithTokensInAFile(t *testing.T) {
	tokens := tokensFile(t, "ann 0123456789abcdef books:write\nbob fedcba9876543210\n")
	printed, stop := serving(t, script(t, guardedServer), "--auth-tokens", tokens)
	require.NotContains(t, printed, "warning")
	url := address(t, printed)
	status, body := callAs(t, url, "", "whoami")
	require.Equal(t, 401, status, body)
	status, body = callAs(t, url, "fedcba9876543210", "whoami")
	require.Equal(t, 200, status)
	require.Contains(t, body, `"text":"bob"`)
	status, body = callAs(t, url, "fedcba9876543210", "discard")
	require.Equal(t, 403, status)
	require.Contains(t, body, "the token lacks the scope books:write")
	status, body = callAs(t, url, "0123456789abcdef", "discard")
	require.Equal(t, 200, status)
	require.Contains(t, body, "discarded")
	status, all := stop()
	require.Equal(t, 0, status, all)
	require.NotContains(t, all, "0123456789abcdef")
}

func TestServeWithAnAuthorizationServer(t *testing.T) {
	s := authtest.New(t)
	t.Setenv("MCPSTAR_AUTH_CLIENT_ID", authtest.ClientID)
	t.Setenv("MCPSTAR_AUTH_CLIENT_SECRET", authtest.ClientSecret)
	const audience = "https://books.example.com/mcp"
	tokens := tokensFile(t, "robot 0123456789abcdef\n")
	for name, c := range map[string]struct {
		flag  []string
		token string
	}{
		"keys":          {[]string{"--auth-jwks", s.Keys()}, s.Token(audience, nil)},
		"introspection": {[]string{"--auth-introspect", s.Introspect()}, s.Opaque(audience, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			printed, _ := serving(t, append(c.flag, script(t, guardedServer), "--auth-issuer", s.URL, "--auth-audience", audience, "--auth-tokens", tokens)...)
			url := address(t, printed)
			status, body := callAs(t, url, c.token, "whoami")
			require.Equal(t, 200, status, body)
			require.Contains(t, body, `"text":"ann"`)
			status, body = callAs(t, url, "0123456789abcdef", "whoami")
			require.Equal(t, 200, status, "both ways at once")
			require.Contains(t, body, `"text":"robot"`)
			status, _ = callAs(t, url, "fedcba9876543210", "whoami")
			require.Equal(t, 401, status)

			res, err := http.Get(strings.Replace(url, "/mcp", "/.well-known/oauth-protected-resource/mcp", 1))
			require.NoError(t, err)
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.Contains(t, string(text), `{"resource":"`+audience+`","authorization_servers":["`+s.URL+`"],"scopes_supported":["books:write"]`)
		})
	}
}

func TestServeWarnsOfWhatIsOpenOrClosed(t *testing.T) {
	printed, _ := serving(t, script(t, guardedServer))
	require.Contains(t, printed, "warning: the tool discard needs the scope books:write, and nobody can have it without --auth-jwks, --auth-introspect or --auth-tokens\n")
	require.NotContains(t, printed, "anybody")
	open := []string{"--http", "0.0.0.0:0"}
	printed, _ = serving(t, append(open, script(t, helloServer))...)
	require.Contains(t, printed, "warning: anybody who can reach this address can call the tools: see --auth-jwks, --auth-introspect and --auth-tokens\n")
	printed, _ = serving(t, append(open, script(t, helloServer), "--auth-tokens", tokensFile(t, "ann 0123456789abcdef\n"))...)
	require.NotContains(t, printed, "warning")
}

func TestMisusedAuthFlagsAreExplained(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"on stdio":              {[]string{"--auth-tokens", "x"}, "--auth-... is for --http"},
		"two ways":              {[]string{"--http", "x", "--auth-jwks", "a", "--auth-introspect", "b"}, "two ways to verify the same tokens"},
		"an issuer alone":       {[]string{"--http", "x", "--auth-issuer", "https://login.example.com"}, "need --auth-jwks or --auth-introspect"},
		"an audience alone":     {[]string{"--http", "x", "--auth-tokens", "x", "--auth-audience", "a"}, "need --auth-jwks or --auth-introspect"},
		"a scope alone":         {[]string{"--http", "x", "--auth-scope", "a"}, "nothing says which tokens are good"},
		"no audience":           {[]string{"--http", "x", "--auth-jwks", "a", "--auth-issuer", "b"}, "need --auth-issuer, who makes them, and --auth-audience"},
		"no issuer":             {[]string{"--http", "x", "--auth-jwks", "a", "--auth-audience", "b"}, "need --auth-issuer, who makes them, and --auth-audience"},
		"no tokens":             {[]string{"--http", "x", "--auth-tokens", "nothing.txt"}, "--auth-tokens: open nothing.txt"},
		"no keys":               {[]string{"--http", "x", "--auth-jwks", "nothing.json", "--auth-issuer", "a", "--auth-audience", "b"}, "--auth-jwks: open nothing.json"},
		"no credentials":        {[]string{"--http", "x", "--auth-introspect", "https://a/", "--auth-issuer", "a", "--auth-audience", "b"}, "MCPSTAR_AUTH_CLIENT_ID"},
		"an unprotected server": {[]string{"--http", "x", "--auth-jwks", "http://login.example.com/keys", "--auth-issuer", "a", "--auth-audience", "b"}, "reached by https"},
		"no scope":              {[]string{"--http", "x", "--auth-tokens", tokensFile(t, "ann 0123456789abcdef\n"), "--auth-scope", "a b"}, `"a b" is no scope`},
		"no URL":                {[]string{"--http", "x", "--auth-tokens", tokensFile(t, "ann 0123456789abcdef\n"), "--auth-url", "tools"}, `"tools" is no URL`},
	} {
		got := mcpstar(t, nil, append([]string{"serve", example("reserve.star")}, c.args...)...)
		require.Equal(t, 2, got.status, name)
		require.Contains(t, got.err, c.says, name)
	}
}

func TestListShowsScopes(t *testing.T) {
	require.Contains(t, mcpstar(t, nil, "list", script(t, guardedServer)).out, "discard() -> str\n    needs the scope books:write\n")
}

func TestScopesAreAListOfWords(t *testing.T) {
	for written, says := range map[string]string{
		`"admin"`:         `tool(): scopes: got a text, want a list; write scopes = ["admin"]`,
		`["a b"]`:         `"a b" can't be a scope`,
		`[""]`:            `"" can't be a scope`,
		`[1]`:             "a scope is a text, got",
		`{"admin": True}`: "got dict, want a list of texts",
		`7`:               "got int, want a list of texts",
	} {
		got := mcpstar(t, nil, "check", script(t, "def f() -> str: return ''\ntool(f, scopes = "+written+")\n"))
		require.Equal(t, 2, got.status, written)
		require.Contains(t, strings.ReplaceAll(got.err, "\n", " "), strings.Split(says, "; ")[0], written)
	}
	require.Equal(t, 0, mcpstar(t, nil, "check", script(t, "def f() -> str: return ''\ntool(f, scopes = (\"a\", \"b:c/d\"))\n")).status)
}
