package auth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	answerKept = 10 * time.Second // an introspected token is taken to be good for so long
	mostKept   = 10_000
)

// IntrospectionOptions say whom to ask about tokens.
type IntrospectionOptions struct {
	// URL is the introspection endpoint: https (http on loopback).
	URL string
	// ClientID and ClientSecret are this server's, at that endpoint.
	ClientID, ClientSecret string
	// Issuer is who makes the tokens. An answer that names another is no good.
	Issuer string
	// Audiences are what one of the tokens' aud has to be: this server, as its
	// authorization server calls it. An answer without aud is no good.
	Audiences []string
	// Now is the time. Default: the machine's.
	Now func() time.Time
}

// NewIntrospection is the verifier that asks the authorization server about each
// token (RFC 7662), and remembers a good answer for ten seconds. So a revoked token
// is good for ten seconds more.
func NewIntrospection(o IntrospectionOptions) (Verifier, error) {
	switch {
	case o.Issuer == "":
		return nil, errors.New("tokens need an issuer: say who makes them")
	case len(o.Audiences) == 0 || slices.Contains(o.Audiences, ""):
		return nil, errors.New("tokens need an audience: say how this server is called in them")
	case o.ClientID == "" || o.ClientSecret == "":
		return nil, errors.New("whoever asks about tokens has to say who they are: introspection needs a client's id and secret")
	}
	f, err := newFetcher(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &introspection{options: o, fetcher: f, good: map[[sha256.Size]byte]answer{}}, nil
}

type introspection struct {
	options IntrospectionOptions
	fetcher *fetcher

	mu   sync.Mutex
	good map[[sha256.Size]byte]answer // by the token's hash: secrets are not kept
}

type answer struct {
	identity *Identity
	until    time.Time
}

// Verify implements [Verifier].
func (i *introspection) Verify(ctx context.Context, token string) (*Identity, error) {
	hash := sha256.Sum256([]byte(token))
	now := i.options.Now()
	i.mu.Lock()
	known, ok := i.good[hash]
	i.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.identity, nil
	}
	object, err := i.ask(ctx, token)
	if err != nil {
		return nil, fmt.Errorf("introspection: %w", err)
	}
	id, err := i.judge(object, now)
	if err != nil {
		return nil, err
	}
	i.keep(hash, answer{id, now.Add(answerKept)}, now)
	return id, nil
}

// ask asks about a token.
func (i *introspection) ask(ctx context.Context, token string) ([]byte, error) {
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, i.fetcher.url, strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	// RFC 6749, 2.3.1: both are form-encoded before they are joined.
	r.SetBasicAuth(url.QueryEscape(i.options.ClientID), url.QueryEscape(i.options.ClientSecret))
	return i.fetcher.do(r)
}

// judge reads an answer. Times in it are judged here too: its maker may not have.
func (i *introspection) judge(object []byte, now time.Time) (*Identity, error) {
	var said struct {
		Active    bool
		Issuer    string   `json:"iss"`
		Audience  words    `json:"aud"`
		Expires   *float64 `json:"exp"`
		NotBefore *float64 `json:"nbf"`
	}
	if err := json.Unmarshal(object, &said); err != nil {
		return nil, errors.New("introspection: the answer can't be read")
	}
	switch {
	case !said.Active:
		return nil, Invalid("the token is not active")
	case said.Issuer != "" && said.Issuer != i.options.Issuer:
		return nil, Invalid("the token is of another issuer")
	case !slices.ContainsFunc(said.Audience, func(aud string) bool { return slices.Contains(i.options.Audiences, aud) }):
		return nil, Invalid("the token is for another audience")
	case said.NotBefore != nil && seconds(*said.NotBefore).After(now.Add(leeway)):
		return nil, Invalid("the token is not valid yet")
	case said.Expires != nil && !seconds(*said.Expires).Add(leeway).After(now):
		return nil, Invalid("the token has expired")
	}
	id, err := identity(i.options.Issuer, object)
	if err != nil {
		return nil, err
	}
	if said.Expires != nil {
		id.Expires = seconds(*said.Expires).Add(leeway)
	}
	return id, nil
}

// latest is the last second that a token may end at: 9999-12-31.
const latest = 253402300799

func seconds(s float64) time.Time { return time.Unix(int64(max(0, min(s, latest))), 0) }

// keep remembers a good answer, in the place of one that has run out if there is no
// other.
func (i *introspection) keep(hash [sha256.Size]byte, a answer, now time.Time) {
	if !a.identity.Expires.IsZero() && a.identity.Expires.Before(a.until) {
		a.until = a.identity.Expires
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.good) >= mostKept {
		for h, old := range i.good {
			if !now.Before(old.until) {
				delete(i.good, h)
			}
		}
	}
	if len(i.good) < mostKept {
		i.good[hash] = a
	}
}
