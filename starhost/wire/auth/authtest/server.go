package authtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// The client that may ask a [Server] about tokens.
const (
	ClientID     = "the shop"
	ClientSecret = "p+s w%rd"
)

// Claims are the members of a token.
type Claims = map[string]any

// A Server makes tokens. Its issuer is its URL.
type Server struct {
	URL string
	t   testing.TB

	mu      sync.Mutex
	keys    []Key
	opaque  map[string]Claims
	down    bool
	fetches int
	asked   int
}

// A Key signs tokens, under an id.
type Key struct {
	ID        string
	Algorithm string
	Private   crypto.Signer
}

// New starts a server with one ES256 key, until the test ends.
func New(t testing.TB) *Server {
	s := &Server{t: t, opaque: map[string]Claims{}}
	s.keys = []Key{NewKey(t, "first", "ES256")}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /keys", s.serveKeys)
	mux.HandleFunc("POST /introspect", s.introspect)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Keys is the URL of the server's keys, Introspect the one to ask about tokens.
func (s *Server) Keys() string       { return s.URL + "/keys" }
func (s *Server) Introspect() string { return s.URL + "/introspect" }

// NewKey makes a key for an algorithm.
func NewKey(t testing.TB, id, algorithm string) Key {
	t.Helper()
	var private crypto.Signer
	var err error
	switch algorithm {
	case "ES256":
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ES384":
		private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "ES512":
		private, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	case "EdDSA":
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	require.NoError(t, err)
	return Key{id, algorithm, private}
}

// JWK is the public half of a key, as a member of a key set.
func (k Key) JWK(t testing.TB) Claims {
	t.Helper()
	text := base64.RawURLEncoding.EncodeToString
	jwk := Claims{"kid": k.ID, "use": "sig", "alg": k.Algorithm}
	switch public := k.Private.Public().(type) {
	case *rsa.PublicKey:
		maps.Copy(jwk, Claims{"kty": "RSA", "n": text(public.N.Bytes()), "e": text(big.NewInt(int64(public.E)).Bytes())})
	case *ecdsa.PublicKey:
		point, err := public.Bytes()
		require.NoError(t, err)
		size := (len(point) - 1) / 2
		maps.Copy(jwk, Claims{"kty": "EC", "crv": public.Params().Name, "x": text(point[1 : 1+size]), "y": text(point[1+size:])})
	case ed25519.PublicKey:
		maps.Copy(jwk, Claims{"kty": "OKP", "crv": "Ed25519", "x": text(public)})
	}
	return jwk
}

// SetKeys replaces the server's keys. Tokens are signed with the first.
func (s *Server) SetKeys(keys ...Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
}

// SetDown makes the server answer everything with 503, or no more.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// Fetches counts how often the keys were fetched, Asked how often tokens were asked
// about.
func (s *Server) Fetches() int { return s.count(&s.fetches) }
func (s *Server) Asked() int   { return s.count(&s.asked) }

func (s *Server) count(n *int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *n
}

// Token is a token for an audience that is good for an hour, with further claims. A
// claim of nil is left out.
func (s *Server) Token(audience string, more Claims) string {
	s.mu.Lock()
	key := s.keys[0]
	s.mu.Unlock()
	return key.Sign(s.t, nil, s.claims(audience, more))
}

func (s *Server) claims(audience string, more Claims) Claims {
	c := Claims{
		"iss": s.URL, "aud": audience, "sub": "ann", "client_id": "desk",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	maps.Copy(c, more)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// Sign makes a token of claims, with further members of its header.
func (k Key) Sign(t testing.TB, header, claims Claims) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.GetSigningMethod(k.Algorithm), jwt.MapClaims(claims))
	token.Header["kid"] = k.ID
	maps.Copy(token.Header, header)
	maps.DeleteFunc(token.Header, func(_ string, v any) bool { return v == nil })
	signed, err := token.SignedString(k.Private)
	require.NoError(t, err)
	return signed
}

// Opaque is a token that says nothing by itself.
func (s *Server) Opaque(audience string, more Claims) string {
	c := s.claims(audience, more)
	s.mu.Lock()
	defer s.mu.Unlock()
	token := fmt.Sprintf("opaque-%d", len(s.opaque))
	s.opaque[token] = c
	return token
}

// Revoke ends an opaque token.
func (s *Server) Revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opaque[token] = nil
}

func (s *Server) serveKeys(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetches++
	if s.down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	keys := []Claims{}
	for _, k := range s.keys {
		keys = append(keys, k.JWK(s.t))
	}
	_ = json.NewEncoder(w).Encode(Claims{"keys": keys})
}

func (s *Server) introspect(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	// RFC 6749, 2.3.1: form-encoded, then joined.
	id, secret, _ := r.BasicAuth()
	if id != "the+shop" || secret != "p%2Bs+w%25rd" {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	c := s.opaque[r.PostFormValue("token")]
	if c == nil {
		_, _ = w.Write([]byte(`{"active":false}`))
		return
	}
	answer := Claims{"active": true}
	maps.Copy(answer, c)
	_ = json.NewEncoder(w).Encode(answer)
}
