package auth_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/wire/auth"
	"github.com/mcpstar/mcpstar/starhost/wire/auth/authtest"
)

// askedAt is the verifier that asks a server about its tokens.
func askedAt(t *testing.T, s *authtest.Server, edit func(*auth.IntrospectionOptions)) auth.Verifier {
	t.Helper()
	o := auth.IntrospectionOptions{
		URL: s.Introspect(), ClientID: authtest.ClientID, ClientSecret: authtest.ClientSecret,
		Issuer: s.URL, Audiences: []string{here},
	}
	if edit != nil {
		edit(&o)
	}
	v, err := auth.NewIntrospection(o)
	require.NoError(t, err)
	return v
}

func TestIntrospectionSaysWhoCalls(t *testing.T) {
	s := authtest.New(t)
	id, err := askedAt(t, s, nil).Verify(t.Context(), s.Opaque(here, authtest.Claims{"scope": "a b"}))
	require.NoError(t, err)
	require.Equal(t, s.URL, id.Issuer)
	require.Equal(t, "ann", id.Subject)
	require.Equal(t, "desk", id.Client)
	require.Equal(t, []string{"a", "b"}, id.Scopes)
	require.Contains(t, string(id.Claims), `"active":true`)
}

func TestIntrospectedTokensAreJudged(t *testing.T) {
	s := authtest.New(t)
	for name, c := range map[string]struct {
		audience string
		claims   authtest.Claims
		says     string
	}{
		"not active":           {here, authtest.Claims{"active": false}, "the token is not active"},
		"of another issuer":    {here, authtest.Claims{"iss": "https://evil.example.com"}, "the token is of another issuer"},
		"for another audience": {"https://other.example.com/mcp", nil, "the token is for another audience"},
		"for nobody":           {here, authtest.Claims{"aud": nil}, "the token is for another audience"},
		"expired":              {here, authtest.Claims{"exp": time.Now().Add(-time.Minute).Unix()}, "the token has expired"},
		"not yet valid":        {here, authtest.Claims{"nbf": time.Now().Add(time.Minute).Unix()}, "the token is not valid yet"},
		"bound to a key":       {here, authtest.Claims{"cnf": authtest.Claims{"jkt": "x"}}, "the token is bound to a key, and can't be used as a bearer token"},
	} {
		_, err := askedAt(t, s, nil).Verify(t.Context(), s.Opaque(c.audience, c.claims))
		require.Equal(t, auth.Invalid(c.says), err, name)
	}
	_, err := askedAt(t, s, nil).Verify(t.Context(), "something")
	require.Equal(t, auth.Invalid("the token is not active"), err)
	_, err = askedAt(t, s, nil).Verify(t.Context(), s.Opaque(here, authtest.Claims{"iss": nil, "exp": nil}))
	require.NoError(t, err, "an answer need not say these")
}

func TestAGoodAnswerIsKeptForTenSeconds(t *testing.T) {
	s := authtest.New(t)
	now := time.Now()
	v := askedAt(t, s, func(o *auth.IntrospectionOptions) { o.Now = func() time.Time { return now } })
	token := s.Opaque(here, nil)
	verify := func() error {
		_, err := v.Verify(t.Context(), token)
		return err
	}
	require.NoError(t, verify())
	s.Revoke(token)
	now = now.Add(9 * time.Second)
	require.NoError(t, verify())
	require.Equal(t, 1, s.Asked())
	now = now.Add(time.Second)
	require.Equal(t, auth.Invalid("the token is not active"), verify())
	require.Equal(t, auth.Invalid("the token is not active"), verify())
	require.Equal(t, 3, s.Asked(), "a bad answer is not kept")
}

func TestWithoutAnAnswerThereIsNoTelling(t *testing.T) {
	s := authtest.New(t)
	s.SetDown(true)
	_, err := askedAt(t, s, nil).Verify(t.Context(), s.Opaque(here, nil))
	require.ErrorContains(t, err, "introspection: "+s.Introspect()+" answers 503")
	require.False(t, errors.As(err, new(auth.Invalid)))
	s.SetDown(false)
	_, err = askedAt(t, s, func(o *auth.IntrospectionOptions) { o.ClientSecret = "wrong" }).Verify(t.Context(), s.Opaque(here, nil))
	require.ErrorContains(t, err, "answers 401")
	require.False(t, errors.As(err, new(auth.Invalid)), "it is we who are not believed")
}

func TestBadIntrospectionOptionsAreErrors(t *testing.T) {
	for says, edit := range map[string]func(*auth.IntrospectionOptions){
		"tokens need an issuer":    func(o *auth.IntrospectionOptions) { o.Issuer = "" },
		"tokens need an audience":  func(o *auth.IntrospectionOptions) { o.Audiences = []string{""} },
		"a client's id and secret": func(o *auth.IntrospectionOptions) { o.ClientSecret = "" },
		"is reached by https":      func(o *auth.IntrospectionOptions) { o.URL = "http://login.example.com/introspect" },
	} {
		o := auth.IntrospectionOptions{URL: "https://login.example.com/i", ClientID: "i", ClientSecret: "s", Issuer: "https://login.example.com", Audiences: []string{here}}
		edit(&o)
		_, err := auth.NewIntrospection(o)
		require.ErrorContains(t, err, says)
	}
}
