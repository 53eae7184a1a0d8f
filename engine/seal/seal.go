package seal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

const (
	// DefaultTTL is how long a client may take for one round.
	DefaultTTL = 600 * time.Second
	// MaxToken is the length of the longest token that is made or looked at.
	MaxToken = 1 << 20

	version = 1
	skew    = 60 * time.Second // how far the clocks of two instances may be apart
)

// ErrTooLarge is wrapped by the error for state that does not fit into a token.
var ErrTooLarge = errors.New("too large")

func tooLarge(state []byte) error {
	return fmt.Errorf("what this call has to remember between its rounds is %d bytes, %w for a requestState of %d: ask for shorter answers, or for fewer in one call",
		len(state), ErrTooLarge, MaxToken)
}

// Seal makes the requestState for one round of the call b, which [Ring.Open] takes
// until ttl has passed since now. Each round seals anew, so ttl limits one round.
//
// state is text, such as JSON. It is an error when it is not valid UTF-8, when it
// is too large ([ErrTooLarge]), when ttl is not positive, or when r has no key.
func (r *Ring) Seal(state []byte, b Binding, now time.Time, ttl time.Duration) (string, error) {
	switch {
	case r == nil || len(r.keys) == 0:
		return "", errNoKeys
	case ttl <= 0:
		return "", fmt.Errorf("the time to live of requestState must be positive, got %s", ttl)
	case !utf8.Valid(state):
		return "", errors.New("the state of a call must be text, this is not valid UTF-8")
	case len(state) > MaxToken:
		return "", tooLarge(state)
	}
	payload, err := writePayload(state, b, now, ttl)
	if err != nil {
		return "", fmt.Errorf("sealing the state of a call: %w", err)
	}
	k := r.keys[0]
	sealed := k.aead.Seal(k.id[:len(k.id):len(k.id)], nil, payload, k.context())
	if base64.RawURLEncoding.EncodedLen(len(sealed)) > MaxToken-len(prefix) {
		return "", tooLarge(state)
	}
	return prefix + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Open gives back the state that [Ring.Seal] put into token, if that was for the
// call b and is not over at the time now. Otherwise the error is a *[Refused].
func (r *Ring) Open(token string, b Binding, now time.Time) ([]byte, error) {
	payload, err := r.decrypt(token)
	if err != nil {
		return nil, err
	}
	var c claims
	if err := c.read(payload); err != nil {
		return nil, err
	}
	if err := c.check(b, now); err != nil {
		return nil, err
	}
	return []byte(*c.State), nil
}

// Token reads the member requestState of a request's params. An absent member
// (empty raw) and null are no token, and no error; what is not a string is
// [Refused].
func Token(raw json.RawMessage) (token string, present bool, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", false, nil
	}
	if raw[0] != '"' || json.Unmarshal(raw, &token) != nil {
		return "", true, refuse("not a string")
	}
	return token, true, nil
}

// decrypt gives the payload of a token that one of r's keys made.
func (r *Ring) decrypt(token string) ([]byte, error) {
	text, ok := strings.CutPrefix(token, prefix)
	switch {
	case !ok:
		return nil, refuse("not a token of this format")
	case len(token) > MaxToken:
		return nil, refuse("too long")
	case strings.ContainsAny(text, "\r\n"): // the decoder would skip these
		return nil, refuse("not canonical base64url")
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, refuse("not canonical base64url")
	}
	if len(sealed) < keyIDSize+nonceSize+tagSize {
		return nil, refuse("too short")
	}
	id, sealed := [keyIDSize]byte(sealed), sealed[keyIDSize:]
	reason := "sealed with a key that is not in the ring"
	if r == nil {
		return nil, refuse(reason)
	}
	for _, k := range r.keys { // two different keys may have one id, once in 4 billion
		if k.id != id {
			continue
		}
		payload, err := k.aead.Open(nil, nil, sealed, k.context())
		if err == nil {
			return payload, nil
		}
		reason = "changed on the way, or forged"
	}
	return nil, refuse(reason)
}

// claims are the payload of a token. Times are in milliseconds since 1970.
type claims struct {
	Version   int     `json:"v"`
	IssuedAt  *int64  `json:"iat"`
	Expires   *int64  `json:"exp"`
	Method    string  `json:"m"`
	Target    string  `json:"t"`
	Arguments string  `json:"a"`
	State     *string `json:"s"`
	Audience  *string `json:"aud"`
	Principal []byte  `json:"p"` // see principalClaim
}

func writePayload(state []byte, b Binding, now time.Time, ttl time.Duration) ([]byte, error) {
	// A part of a millisecond counts as a whole one, or a short ttl would be none.
	expires := now.Add(ttl).Add(time.Millisecond - 1)
	payload := exactjson.Object{
		{Name: "v", Value: version},
		{Name: "iat", Value: now.UnixMilli()},
		{Name: "exp", Value: expires.UnixMilli()},
		{Name: "m", Value: b.Method},
		{Name: "t", Value: b.Target},
		{Name: "a", Value: b.Arguments},
		{Name: "s", Value: string(state)},
	}
	if b.Audience != "" {
		payload = payload.With("aud", b.Audience)
	}
	if b.Principal != "" {
		payload = payload.With("p", base64.StdEncoding.EncodeToString(principalClaim(b.Principal)))
	}
	return exactjson.Marshal(payload)
}

// read takes a payload apart. It is strict even though only we can have written
// it: a claim that this version does not know is one that it would not check.
func (c *claims) read(payload []byte) error {
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		return refuse("written by another version")
	}
	if _, err := dec.Token(); err != io.EOF {
		return refuse("written by another version")
	}
	if c.Version != version || c.IssuedAt == nil || c.Expires == nil || c.State == nil {
		return refuse("written by another version")
	}
	return nil
}

func (c *claims) check(b Binding, now time.Time) error {
	audience := ""
	if c.Audience != nil {
		audience = *c.Audience
	}
	switch {
	case time.UnixMilli(*c.IssuedAt).After(now.Add(skew)):
		return refuse("made in the future: the clocks of the instances differ")
	case !now.Before(time.UnixMilli(*c.Expires)):
		return refuse("expired")
	case c.Method != b.Method:
		return refuse("made for another method")
	case c.Target != b.Target:
		return refuse("made for another tool, prompt or resource")
	case c.Arguments != b.Arguments:
		return refuse("made for other arguments")
	case audience != b.Audience:
		return refuse("made for another service")
	case c.Principal == nil && b.Principal != "":
		return refuse("made for nobody, sent by somebody")
	case c.Principal != nil && b.Principal == "":
		return refuse("made for somebody, sent by nobody")
	case c.Principal != nil && !principalMatches(c.Principal, b.Principal):
		return refuse("made for somebody else")
	}
	return nil
}
