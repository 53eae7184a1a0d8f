package auth_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/wire/auth"
	"github.com/mcpstar/mcpstar/starhost/wire/auth/authtest"
)

const here = "https://tools.example.com/mcp"

// signedBy is the verifier of a server's signed tokens, at a time that tests set.
func signedBy(t *testing.T, s *authtest.Server, now *time.Time) auth.Verifier {
	t.Helper()
	v, err := auth.NewJWT(auth.JWTOptions{
		Keys: s.Keys(), Issuer: s.URL, Audiences: []string{here, "tools"},
		Now: func() time.Time {
			if now == nil {
				return time.Now()
			}
			return *now
		},
	})
	require.NoError(t, err)
	return v
}

func TestEveryAlgorithmVerifies(t *testing.T) {
	s := authtest.New(t)
	rsa := authtest.NewKey(t, "rsa", "RS256")
	for _, algorithm := range []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"} {
		t.Run(algorithm, func(t *testing.T) {
			key := authtest.Key{ID: "k", Algorithm: algorithm, Private: rsa.Private}
			if algorithm[0] == 'E' {
				key = authtest.NewKey(t, "k", algorithm)
			}
			s.SetKeys(key)
			id, err := signedBy(t, s, nil).Verify(t.Context(), s.Token(here, nil))
			require.NoError(t, err)
			require.Equal(t, "ann", id.Subject)
		})
	}
}

func TestASignedTokenSaysWhoCalls(t *testing.T) {
	s := authtest.New(t)
	for name, c := range map[string]struct {
		claims  authtest.Claims
		client  string
		subject string
		scopes  []string
	}{
		"as RFC 9068 has it":  {authtest.Claims{"scope": "books:read books:write"}, "desk", "ann", []string{"books:read", "books:write"}},
		"a list of scopes":    {authtest.Claims{"scp": []string{"a", "b"}, "client_id": nil, "cid": "web"}, "web", "ann", []string{"a", "b"}},
		"scopes as one text":  {authtest.Claims{"scp": "a b", "client_id": nil, "azp": "app"}, "app", "ann", []string{"a", "b"}},
		"a program by itself": {authtest.Claims{"sub": nil}, "desk", "", nil},
		"no scopes":           {authtest.Claims{"scope": ""}, "desk", "ann", nil},
		"several audiences":   {authtest.Claims{"aud": []string{"others", "tools"}}, "desk", "ann", nil},
	} {
		t.Run(name, func(t *testing.T) {
			id, err := signedBy(t, s, nil).Verify(t.Context(), s.Token(here, c.claims))
			require.NoError(t, err)
			require.Equal(t, s.URL, id.Issuer)
			require.Equal(t, c.client, id.Client)
			require.Equal(t, c.subject, id.Subject)
			require.ElementsMatch(t, c.scopes, id.Scopes)
			require.True(t, json.Valid(id.Claims))
		})
	}
}

func TestBadSignedTokensAreRefused(t *testing.T) {
	s := authtest.New(t)
	good := s.Token(here, nil)
	key := authtest.NewKey(t, "first", "ES256")
	s.SetKeys(key)
	claims := authtest.Claims{"iss": s.URL, "aud": here, "sub": "ann", "exp": time.Now().Add(time.Hour).Unix()}
	hour := time.Now().Add(time.Hour).Unix()
	parts := strings.Split(s.Token(here, nil), ".")
	public, err := x509.MarshalPKIXPublicKey(key.Private.Public())
	require.NoError(t, err)

	confused := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims(claims))
	confused.Header["kid"] = "first"
	asSecret, err := confused.SignedString(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
	require.NoError(t, err)
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims(claims)).SignedString(jwt.UnsafeAllowNoneSignatureType)
	require.NoError(t, err)

	for name, c := range map[string]struct{ token, says string }{
		"of another issuer":        {s.Token(here, authtest.Claims{"iss": "https://evil.example.com"}), "the token is of another issuer"},
		"without issuer":           {s.Token(here, authtest.Claims{"iss": nil}), "the token lacks a claim: it needs iss, aud and exp"},
		"for another audience":     {s.Token("https://other.example.com/mcp", nil), "the token is for another audience"},
		"for a longer audience":    {s.Token(here+"/x", nil), "the token is for another audience"},
		"for nobody":               {s.Token(here, authtest.Claims{"aud": nil}), "the token lacks a claim: it needs iss, aud and exp"},
		"expired":                  {s.Token(here, authtest.Claims{"exp": time.Now().Add(-time.Minute).Unix()}), "the token has expired"},
		"without an end":           {s.Token(here, authtest.Claims{"exp": nil}), "the token lacks a claim: it needs iss, aud and exp"},
		"not yet valid":            {s.Token(here, authtest.Claims{"nbf": hour}), "the token is not valid yet"},
		"unsigned":                 {none, "the token's signature is not good"},
		"signed with a public key": {asSecret, "the token's signature is not good"},
		"signed by somebody else":  {good, "the token's signature is not good"},
		"of no known key":          {authtest.NewKey(t, "second", "ES256").Sign(t, nil, claims), "the token is signed with a key that is not known"},
		"of another algorithm":     {authtest.NewKey(t, "first", "ES384").Sign(t, nil, claims), "the token is signed with a key that is not known"},
		"changed":                  {parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"bob"}`)) + "." + parts[2], "the token's signature is not good"},
		"an odd kid":               {key.Sign(t, authtest.Claims{"kid": 5}, claims), "the token can't be read"},
		"critical":                 {key.Sign(t, authtest.Claims{"crit": []string{"b64"}}, claims), "the token wants something understood that is not (crit)"},
		"of another kind":          {key.Sign(t, authtest.Claims{"typ": "logout+jwt"}, claims), "the token is of another kind (typ)"},
		"bound to a key":           {s.Token(here, authtest.Claims{"cnf": authtest.Claims{"jkt": "x"}}), "the token is bound to a key, and can't be used as a bearer token"},
		"odd scopes":               {s.Token(here, authtest.Claims{"scope": 7}), "the token's claims can't be read"},
		"opaque":                   {"0123456789abcdef", "the token is not known"},
		"rubbish":                  {"a.b.c", "the token can't be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := signedBy(t, s, nil).Verify(t.Context(), c.token)
			require.Equal(t, auth.Invalid(c.says), err)
		})
	}
	_, err = signedBy(t, s, nil).Verify(t.Context(), s.Token(here, nil))
	require.NoError(t, err)
}

func TestClocksMayBeALittleApart(t *testing.T) {
	s := authtest.New(t)
	for name, c := range map[string]struct {
		claim string
		by    time.Duration
		good  bool
	}{
		"just ended":        {"exp", -20 * time.Second, true},
		"ended":             {"exp", -40 * time.Second, false},
		"beginning":         {"nbf", 20 * time.Second, true},
		"not yet beginning": {"nbf", 40 * time.Second, false},
	} {
		_, err := signedBy(t, s, nil).Verify(t.Context(), s.Token(here, authtest.Claims{c.claim: time.Now().Add(c.by).Unix()}))
		require.Equal(t, c.good, err == nil, name)
	}
}

func TestKeysAreFetchedAgainForAnUnknownKeyButNotOften(t *testing.T) {
	s := authtest.New(t)
	now := time.Now()
	v := signedBy(t, s, &now)
	verify := func() error {
		_, err := v.Verify(t.Context(), s.Token(here, nil))
		return err
	}
	require.Equal(t, 0, s.Fetches(), "a server starts although its authorization server is not there yet")
	require.NoError(t, verify())
	require.NoError(t, verify())
	require.Equal(t, 1, s.Fetches())

	s.SetKeys(authtest.NewKey(t, "second", "ES256"))
	require.Equal(t, auth.Invalid("the token is signed with a key that is not known"), verify())
	require.Equal(t, 1, s.Fetches(), "a stranger can't make us ask all the time")
	now = now.Add(10 * time.Second)
	require.NoError(t, verify(), "the key was rotated")
	require.Equal(t, 2, s.Fetches())
	for range 5 {
		_, err := v.Verify(t.Context(), authtest.NewKey(t, "third", "ES256").Sign(t, nil, nil))
		require.Equal(t, auth.Invalid("the token is signed with a key that is not known"), err)
	}
	require.Equal(t, 2, s.Fetches())
}

func TestKeysThatAreWithdrawnCountNoMore(t *testing.T) {
	s := authtest.New(t)
	now := time.Now()
	v := signedBy(t, s, &now)
	old := s.Token(here, nil)
	_, err := v.Verify(t.Context(), old)
	require.NoError(t, err)
	s.SetKeys(authtest.NewKey(t, "second", "ES256"))
	now = now.Add(10 * time.Minute)
	_, err = v.Verify(t.Context(), s.Token(here, nil)) // waits for the new keys
	require.NoError(t, err)
	_, err = v.Verify(t.Context(), old)
	require.Equal(t, auth.Invalid("the token is signed with a key that is not known"), err)
}

func TestWithoutKeysThereIsNoTelling(t *testing.T) {
	s := authtest.New(t)
	now := time.Now()
	v := signedBy(t, s, &now)
	s.SetDown(true)
	_, err := v.Verify(t.Context(), s.Token(here, nil))
	require.ErrorContains(t, err, "the keys can't be had: "+s.Keys()+" answers 503")
	require.False(t, errors.As(err, new(auth.Invalid)), "the token may be good")

	s.SetDown(false)
	now = now.Add(10 * time.Second)
	_, err = v.Verify(t.Context(), s.Token(here, nil))
	require.NoError(t, err)

	s.SetDown(true)
	now = now.Add(time.Hour)
	_, err = v.Verify(t.Context(), s.Token(here, authtest.Claims{"exp": now.Add(time.Hour).Unix()}))
	require.NoError(t, err, "the keys from before remain")
}

func TestATokenWithoutKidIsTriedWithAllKeysOfItsAlgorithm(t *testing.T) {
	s := authtest.New(t)
	keys := []authtest.Key{authtest.NewKey(t, "a", "RS256"), authtest.NewKey(t, "b", "ES256"), authtest.NewKey(t, "c", "ES256")}
	s.SetKeys(keys...)
	v := signedBy(t, s, nil)
	for _, key := range keys {
		token := key.Sign(t, authtest.Claims{"kid": nil}, authtest.Claims{"iss": s.URL, "aud": here, "sub": "x", "exp": time.Now().Add(time.Hour).Unix()})
		_, err := v.Verify(t.Context(), token)
		require.NoError(t, err, key.ID)
	}
}

func TestKeysFromAFile(t *testing.T) {
	key := authtest.NewKey(t, "k", "EdDSA")
	path := filepath.Join(t.TempDir(), "keys.json")
	set := func(keys ...any) auth.JWTOptions {
		text, err := json.Marshal(map[string]any{"keys": keys})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return auth.JWTOptions{Keys: path, Issuer: "https://login.example.com", Audiences: []string{here}}
	}
	v, err := auth.NewJWT(set(authtest.Claims{"kty": "oct", "k": "c2VjcmV0"}, key.JWK(t)))
	require.NoError(t, err)
	token := key.Sign(t, nil, authtest.Claims{"iss": "https://login.example.com", "aud": here, "sub": "x", "exp": time.Now().Add(time.Hour).Unix()})
	_, err = v.Verify(t.Context(), token)
	require.NoError(t, err)

	rsa := authtest.NewKey(t, "r", "RS256").JWK(t)
	with := func(jwk authtest.Claims, name string, value any) authtest.Claims {
		c := authtest.Claims{name: value}
		for k, v := range jwk {
			if k != name {
				c[k] = v
			}
		}
		return c
	}
	ec := authtest.NewKey(t, "e", "ES256").JWK(t)
	for name, c := range map[string]struct {
		key  any
		says string
	}{
		"a shared secret":       {authtest.Claims{"kty": "oct", "k": "c2VjcmV0"}, `keys of kind "oct" are not for this`},
		"for encryption":        {with(rsa, "use", "enc"), "it is for another use"},
		"for another operation": {with(rsa, "key_ops", []string{"encrypt"}), "it is for another use"},
		"another algorithm":     {with(rsa, "alg", "ES256"), `algorithm "ES256" is not one of this kind of key`},
		"a secret's algorithm":  {with(rsa, "alg", "HS256"), `algorithm "HS256" is not one of this kind of key`},
		"a short one":           {with(rsa, "n", "u7vz"), "an RSA key of 24 bits"},
		"an even exponent":      {with(rsa, "e", "Ag"), "a bad exponent"},
		"an exponent of one":    {with(rsa, "e", "AQ"), "a bad exponent"},
		"no number":             {with(rsa, "n", "!"), "a number can't be read"},
		"off its curve":         {with(ec, "x", ec["y"]), "a point that is not on its curve"},
		"half a point":          {with(ec, "y", ""), "a coordinate can't be read"},
		"another curve":         {with(ec, "crv", "secp256k1"), `curve "secp256k1" is not for this`},
		"no signature's curve":  {with(key.JWK(t), "crv", "X25519"), `curve "X25519" is not for this`},
		"cut off":               {with(key.JWK(t), "x", "AAAA"), "can't be read"},
		"a member of a number":  {with(rsa, "n", 5), "a member is of the wrong type"},
	} {
		_, err := auth.NewJWT(set(c.key))
		require.ErrorContains(t, err, "the set has no key to verify signatures with: ", name)
		require.ErrorContains(t, err, c.says, name)
	}
}

func TestBadJWTOptionsAreErrors(t *testing.T) {
	good := auth.JWTOptions{Keys: "https://login.example.com/keys", Issuer: "https://login.example.com", Audiences: []string{here}}
	for says, edit := range map[string]func(*auth.JWTOptions){
		"tokens need an issuer":                       func(o *auth.JWTOptions) { o.Issuer = "" },
		"tokens need an audience":                     func(o *auth.JWTOptions) { o.Audiences = nil },
		"signed tokens need keys":                     func(o *auth.JWTOptions) { o.Keys = "" },
		"an authorization server is reached by https": func(o *auth.JWTOptions) { o.Keys = "http://login.example.com/keys" },
		"is no URL of an authorization server":        func(o *auth.JWTOptions) { o.Keys = "https://ann:pw@login.example.com/keys" },
		"no such file":                                func(o *auth.JWTOptions) { o.Keys = "nothing.json" },
	} {
		o := good
		edit(&o)
		_, err := auth.NewJWT(o)
		require.ErrorContains(t, err, says)
	}
	_, err := auth.NewJWT(good)
	require.NoError(t, err)
}
