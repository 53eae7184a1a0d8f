package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// leeway is how far the clocks of two machines may be apart.
const leeway = 30 * time.Second

// JWTOptions say which signed tokens are good.
type JWTOptions struct {
	// Keys is where the keys are: an https URL (http on loopback), or the path of a
	// file. Both hold a JSON Web Key Set (RFC 7517).
	Keys string
	// Issuer is what the tokens' iss has to be, exactly.
	Issuer string
	// Audiences are what one of the tokens' aud has to be: this server, as its
	// authorization server calls it.
	Audiences []string
	// Logger is told when keys can't be had. Default: nobody.
	Logger *slog.Logger
	// Now is the time. Default: the machine's.
	Now func() time.Time
}

// NewJWT is the verifier of signed tokens: RS, PS and ES with SHA-256, -384 and
// -512, and EdDSA with Ed25519. A key does for no other algorithm than its own, and
// none of the algorithms is one for which the key would be a secret.
//
// Keys at a URL are fetched when the first token comes, again every ten minutes, and
// at most every ten seconds for a token whose key is not among them. As long as they
// can't be fetched, those that are known remain.
func NewJWT(o JWTOptions) (Verifier, error) {
	switch {
	case o.Issuer == "":
		return nil, errors.New("tokens need an issuer: say who makes them")
	case len(o.Audiences) == 0 || slices.Contains(o.Audiences, ""):
		return nil, errors.New("tokens need an audience: say how this server is called in them")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	keys, err := openKeys(o)
	if err != nil {
		return nil, err
	}
	return &signed{issuer: o.Issuer, keys: keys, parser: jwt.NewParser(
		jwt.WithValidMethods(algorithms()),
		jwt.WithIssuer(o.Issuer),
		jwt.WithAudience(o.Audiences...),
		jwt.WithExpirationRequired(),
		jwt.WithLeeway(leeway),
		jwt.WithTimeFunc(o.Now),
		jwt.WithStrictDecoding(),
	)}, nil
}

// signed verifies signed tokens.
type signed struct {
	issuer string
	parser *jwt.Parser
	keys   *keyCache
}

// Verify implements [Verifier].
func (s *signed) Verify(ctx context.Context, token string) (*Identity, error) {
	if strings.Count(token, ".") != 2 {
		return nil, unknown
	}
	registered := &jwt.RegisteredClaims{}
	parsed, err := s.parser.ParseWithClaims(token, registered, func(t *jwt.Token) (any, error) { return s.key(ctx, t) })
	if err != nil {
		return nil, refusal(err)
	}
	_, payload, _ := strings.Cut(token, ".")
	payload, _, _ = strings.Cut(payload, ".")
	object, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return nil, Invalid("the token can't be read")
	}
	id, err := identity(s.issuer, object)
	if err != nil {
		return nil, err
	}
	if exp, err := parsed.Claims.GetExpirationTime(); err == nil && exp != nil {
		id.Expires = exp.Add(leeway)
	}
	return id, nil
}

// key finds the keys that may have signed a token.
func (s *signed) key(ctx context.Context, t *jwt.Token) (any, error) {
	if _, critical := t.Header["crit"]; critical {
		return nil, Invalid("the token wants something understood that is not (crit)")
	}
	if kind, said := t.Header["typ"]; said && !isAccessToken(kind) {
		return nil, Invalid("the token is of another kind (typ)")
	}
	kid, isText := t.Header["kid"].(string)
	if _, said := t.Header["kid"]; said && !isText {
		return nil, Invalid("the token can't be read")
	}
	found, err := s.keys.find(ctx, kid, t.Method.Alg())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, Invalid("the token is signed with a key that is not known")
	}
	set := jwt.VerificationKeySet{}
	for _, key := range found {
		set.Keys = append(set.Keys, key)
	}
	return set, nil
}

// isAccessToken tells access tokens from signed messages of other kinds, which the
// same server may sign with the same keys.
func isAccessToken(kind any) bool {
	text, ok := kind.(string)
	if !ok {
		return false
	}
	switch strings.TrimPrefix(strings.ToLower(text), "application/") {
	case "jwt", "at+jwt":
		return true
	}
	return false
}

// refusal says why a token is not good. Only what the signature vouches for is
// judged, so only the holder of an authentic token hears more than that it is none.
func refusal(err error) error {
	var invalid Invalid
	var noKeys *keysError
	switch {
	case errors.As(err, &invalid):
		return invalid
	case errors.As(err, &noKeys):
		return noKeys
	case errors.Is(err, jwt.ErrTokenMalformed):
		return Invalid("the token can't be read")
	case errors.Is(err, jwt.ErrTokenUnverifiable), errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return Invalid("the token's signature is not good")
	case errors.Is(err, jwt.ErrTokenExpired):
		return Invalid("the token has expired")
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return Invalid("the token is not valid yet")
	case errors.Is(err, jwt.ErrTokenInvalidIssuer):
		return Invalid("the token is of another issuer")
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return Invalid("the token is for another audience")
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return Invalid("the token lacks a claim: it needs iss, aud and exp")
	}
	return Invalid("the token is not good")
}

// A keysError says that there are no keys to verify a token with.
type keysError struct{ err error }

func (e *keysError) Error() string { return fmt.Sprintf("the keys can't be had: %v", e.err) }
func (e *keysError) Unwrap() error { return e.err }
