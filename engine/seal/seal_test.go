package seal_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/seal"
)

const state = `{"answers":{"shop:confirm":{"confirm":true}},"text":"<&>é\u2028\\"}`

var (
	start = time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	call  = seal.Binding{Method: "tools/call", Target: "order_book", Arguments: "digest", Audience: "shop", Principal: "ann@example.org"}
)

func sealed(t testing.TB, r *seal.Ring) string {
	t.Helper()
	return sealedFor(t, r, call)
}

func sealedFor(t testing.TB, r *seal.Ring, b seal.Binding) string {
	t.Helper()
	token, err := r.Seal([]byte(state), b, start, seal.DefaultTTL)
	require.NoError(t, err)
	return token
}

func requireRefused(t testing.TB, r *seal.Ring, token string, b seal.Binding, now time.Time, reason string) {
	t.Helper()
	got, err := r.Open(token, b, now)
	require.Nil(t, got)
	var refused *seal.Refused
	require.ErrorAs(t, err, &refused, "%.80q", token)
	require.Equal(t, reason, refused.Reason)
	var answer *engine.ProtocolError
	require.ErrorAs(t, err, &answer)
	require.Equal(t, seal.Answer(), answer)
}

func TestStateComesBack(t *testing.T) {
	r := ringOf(t, 1)
	for name, b := range map[string]seal.Binding{
		"everything bound": call,
		"nobody":           {Method: "tools/call", Target: "order_book", Arguments: "digest"},
		"nothing bound":    {},
		"odd texts":        {Method: "\x00", Target: "file:///a?b=\"c\"", Arguments: "\u2028", Audience: "本屋", Principal: "\xff"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range []string{state, "", "\"", "日本語", strings.Repeat("x", 700<<10)} {
				token, err := r.Seal([]byte(s), b, start, seal.DefaultTTL)
				require.NoError(t, err)
				require.Regexp(t, `^v1\.[A-Za-z0-9_-]+$`, token)
				got, err := r.Open(token, b, start.Add(time.Minute))
				require.NoError(t, err)
				require.Equal(t, s, string(got))
			}
		})
	}
}

func TestTokensShowAndRepeatNothing(t *testing.T) {
	r := ringOf(t, 1)
	a, b := sealed(t, r), sealed(t, r)
	require.NotEqual(t, a[:len("v1.")+22], b[:len("v1.")+22], "a nonce was used twice")
	raw := decoded(t, a)
	for _, text := range []string{"order_book", "tools/call", "example", "confirm"} {
		require.NotContains(t, string(raw), text)
	}
}

func TestTimeToLive(t *testing.T) {
	r := ringOf(t, 1)
	require.Equal(t, 600*time.Second, seal.DefaultTTL)
	token := sealed(t, r)
	for name, test := range map[string]struct {
		after  time.Duration
		reason string
	}{
		"at once":                        {0, ""},
		"just in time":                   {600*time.Second - 1, ""},
		"over":                           {600 * time.Second, "expired"},
		"long over":                      {8760 * time.Hour, "expired"},
		"a clock a minute behind":        {-60 * time.Second, ""},
		"a clock more than a minute off": {-60*time.Second - 1, "made in the future: the clocks of the instances differ"},
		"a clock years off":              {-200000 * time.Hour, "made in the future: the clocks of the instances differ"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.reason != "" {
				requireRefused(t, r, token, call, start.Add(test.after), test.reason)
				return
			}
			_, err := r.Open(token, call, start.Add(test.after))
			require.NoError(t, err)
		})
	}
}

func TestTimeToLiveMayBeShortOrEndless(t *testing.T) {
	r := ringOf(t, 1)
	for _, ttl := range []time.Duration{1, time.Millisecond, 1<<63 - 1} {
		token, err := r.Seal([]byte(state), call, start.Add(999*time.Microsecond), ttl)
		require.NoError(t, err)
		_, err = r.Open(token, call, start.Add(999*time.Microsecond))
		require.NoError(t, err, ttl)
	}
}

func TestUnfitStateIsNotSealed(t *testing.T) {
	r := ringOf(t, 1)
	for _, ttl := range []time.Duration{0, -1, -1 << 63} {
		_, err := r.Seal([]byte(state), call, start, ttl)
		require.ErrorContains(t, err, "must be positive, got "+ttl.String())
	}
	_, err := r.Seal([]byte("\xff"), call, start, seal.DefaultTTL)
	require.ErrorContains(t, err, "not valid UTF-8")
	for _, s := range []string{strings.Repeat("x", seal.MaxToken+1), strings.Repeat("x", 800<<10), strings.Repeat(`"`, 600<<10)} {
		_, err = r.Seal([]byte(s), call, start, seal.DefaultTTL)
		require.ErrorIs(t, err, seal.ErrTooLarge)
		require.NotErrorAs(t, err, new(*seal.Refused))
	}
	_, err = r.Seal([]byte(state), seal.Binding{Target: "\xff"}, start, seal.DefaultTTL)
	require.ErrorContains(t, err, "not valid UTF-8")
}

func TestAnotherCallsStateIsRefused(t *testing.T) {
	r := ringOf(t, 1)
	with := func(change func(b *seal.Binding)) seal.Binding {
		b := call
		change(&b)
		return b
	}
	for name, test := range map[string]struct {
		sent   seal.Binding
		reason string
	}{
		"method":        {with(func(b *seal.Binding) { b.Method = "prompts/get" }), "made for another method"},
		"target":        {with(func(b *seal.Binding) { b.Target = "order_books" }), "made for another tool, prompt or resource"},
		"arguments":     {with(func(b *seal.Binding) { b.Arguments = "other" }), "made for other arguments"},
		"audience":      {with(func(b *seal.Binding) { b.Audience = "library" }), "made for another service"},
		"no audience":   {with(func(b *seal.Binding) { b.Audience = "" }), "made for another service"},
		"somebody else": {with(func(b *seal.Binding) { b.Principal = "bob" }), "made for somebody else"},
		"nobody":        {with(func(b *seal.Binding) { b.Principal = "" }), "made for somebody, sent by nobody"},
		// Text must not slip from one member into the next.
		"shifted": {with(func(b *seal.Binding) { b.Target, b.Arguments = "order_bookd", "igest" }), "made for another tool, prompt or resource"},
	} {
		t.Run(name, func(t *testing.T) {
			requireRefused(t, r, sealed(t, r), test.sent, start, test.reason)
		})
	}
	t.Run("somebody for nobody", func(t *testing.T) {
		nobody := with(func(b *seal.Binding) { b.Principal = "" })
		requireRefused(t, r, sealedFor(t, r, nobody), call, start, "made for nobody, sent by somebody")
	})
	t.Run("a service for none", func(t *testing.T) {
		none := with(func(b *seal.Binding) { b.Audience = "" })
		requireRefused(t, r, sealedFor(t, r, none), call, start, "made for another service")
	})
}

func TestMalformedTokensAreRefused(t *testing.T) {
	r := ringOf(t, 1)
	token := sealed(t, r)
	for n := 0; len(token[3:])%4 == 0; n++ { // a full last group would have no stray bits
		token = sealedFor(t, r, seal.Binding{Target: strings.Repeat("x", n)})
	}
	body := token[3:]
	for name, test := range map[string]struct{ token, reason string }{
		"empty":                {"", "not a token of this format"},
		"only the prefix":      {"v1.", "too short"},
		"no prefix":            {body, "not a token of this format"},
		"another version":      {"v2." + body, "not a token of this format"},
		"upper case":           {"V1." + body, "not a token of this format"},
		"space before":         {" " + token, "not a token of this format"},
		"plain JSON":           {state, "not a token of this format"},
		"prefix twice":         {"v1." + token, "not canonical base64url"},
		"padding":              {token + strings.Repeat("=", (4-len(body)%4)%4), "not canonical base64url"},
		"one padding":          {token + "=", "not canonical base64url"},
		"newline after":        {token + "\n", "not canonical base64url"},
		"newline within":       {token[:20] + "\r\n" + token[20:], "not canonical base64url"},
		"space after":          {token + " ", "not canonical base64url"},
		"NUL":                  {token[:20] + "\x00" + token[20:], "not canonical base64url"},
		"other alphabet":       {token[:20] + "+" + token[21:], "not canonical base64url"},
		"not ASCII":            {token[:20] + "é" + token[21:], "not canonical base64url"},
		"stray bits":           {token[:len(token)-1] + strayed(token[len(token)-1]), "not canonical base64url"},
		"short by one":         {"v1." + strings.Repeat("A", 42), "too short"},
		"key id only":          {"v1.AAAAAA", "too short"},
		"nothing inside":       {"v1." + strings.Repeat("A", 43), "sealed with a key that is not in the ring"},
		"unknown key":          {"v1.AAAA" + body[4:], "sealed with a key that is not in the ring"},
		"cut":                  {token[:3+len(body)/4*4-4], "changed on the way, or forged"},
		"longer":               {"v1." + body[:len(body)/4*4] + "AAAA", "changed on the way, or forged"},
		"too long":             {"v1." + strings.Repeat("A", seal.MaxToken-2), "too long"},
		"not base64, too long": {"v1." + strings.Repeat("\n", 8<<20), "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			requireRefused(t, r, test.token, call, start, test.reason)
		})
	}
}

// strayed is a base64url digit that differs from c in its lowest bit only.
func strayed(c byte) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(digits[strings.IndexByte(digits, c)^1])
}

func TestEveryFlippedBitIsRefused(t *testing.T) {
	r := ringOf(t, 1, 2)
	token := sealed(t, r)
	raw := decoded(t, token)
	for i := range raw {
		for bit := range 8 {
			raw[i] ^= 1 << bit
			forged := "v1." + base64.RawURLEncoding.EncodeToString(raw)
			raw[i] ^= 1 << bit
			_, err := r.Open(forged, call, start)
			require.ErrorAs(t, err, new(*seal.Refused), "bit %d of byte %d", bit, i)
		}
	}
}

func TestEveryChangedCharacterIsRefused(t *testing.T) {
	r := ringOf(t, 1)
	token := sealed(t, r)
	for i := range len(token) {
		for c := range 256 {
			if byte(c) == token[i] {
				continue
			}
			_, err := r.Open(token[:i]+string([]byte{byte(c)})+token[i+1:], call, start)
			require.ErrorAs(t, err, new(*seal.Refused), "%q at %d", c, i)
		}
		_, err := r.Open(token[:i], call, start)
		require.ErrorAs(t, err, new(*seal.Refused), "cut at %d", i)
	}
}

func TestRingsThatShareAKeyShareState(t *testing.T) {
	a, b := ringOf(t, 1, 2), ringOf(t, 2, 3)
	_, err := a.Open(sealed(t, b), call, start)
	require.NoError(t, err, "both have key 2")
	requireRefused(t, b, sealed(t, a), call, start, "sealed with a key that is not in the ring")
}

func TestKeysRotateWithoutLosingACall(t *testing.T) {
	phases := []*seal.Ring{ringOf(t, 1), ringOf(t, 1, 2), ringOf(t, 2, 1), ringOf(t, 2)}
	for i, newer := range phases[1:] {
		older := phases[i]
		if i < len(phases)-2 { // the last step waits for one time to live
			_, err := newer.Open(sealed(t, older), call, start)
			require.NoError(t, err, "older token, phase %d", i)
		}
		_, err := older.Open(sealed(t, newer), call, start)
		require.NoError(t, err, "newer token, phase %d", i)
	}
	requireRefused(t, phases[3], sealed(t, phases[0]), call, start, "sealed with a key that is not in the ring")
}

func TestOneRingServesManyAtOnce(t *testing.T) {
	r := ringOf(t, 1, 2)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				token, err := r.Seal([]byte(state), call, start, seal.DefaultTTL)
				if err == nil {
					_, err = r.Open(token, call, start)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

func TestTokenIsReadFromParams(t *testing.T) {
	for raw, want := range map[string]string{`"v1.x"`: "v1.x", ` "" `: "", `"v\u0031\u002ex"`: "v1.x"} {
		token, present, err := seal.Token(json.RawMessage(raw))
		require.NoError(t, err)
		require.True(t, present)
		require.Equal(t, want, token)
	}
	for _, raw := range []string{``, ` `, `null`, " null\n"} {
		_, present, err := seal.Token(json.RawMessage(raw))
		require.NoError(t, err)
		require.False(t, present, raw)
	}
	for _, raw := range []string{`1`, `true`, `{}`, `["v1.x"]`, `{"a":"v1.x"}`, `"a`, `"a" "b"`, `nul`} {
		_, present, err := seal.Token(json.RawMessage(raw))
		var refused *seal.Refused
		require.ErrorAs(t, err, &refused, raw)
		require.Equal(t, "not a string", refused.Reason)
		require.True(t, present)
	}
}

func TestAnswerSaysNothingOfTheCause(t *testing.T) {
	require.Equal(t, &engine.ProtocolError{
		Code:    -32602,
		Message: "Invalid or expired requestState",
		Data:    json.RawMessage(`{"reason":"invalid_request_state"}`),
	}, seal.Answer())
	require.False(t, engine.Catchable(&seal.Refused{Reason: "expired"}))
	require.EqualError(t, &seal.Refused{Reason: "expired"}, "requestState refused: expired")
}

// The layout is a promise to other instances, of this version and of later ones:
// these tests take a token apart, and make one, with nothing but the standard
// library.
func TestTokenLayout(t *testing.T) {
	id, aead := keyOf(t, secret(1, 32))
	raw := decoded(t, sealed(t, ringOf(t, 1)))
	require.Equal(t, id, string(raw[:4]))
	payload, err := aead.Open(nil, raw[4:16], raw[16:], []byte("v1."+id))
	require.NoError(t, err)
	var claims map[string]any
	require.NoError(t, json.Unmarshal(payload, &claims))
	principal := claims["p"]
	delete(claims, "p")
	require.Equal(t, map[string]any{
		"v": 1.0, "iat": 1785240000000.0, "exp": 1785240600000.0,
		"m": "tools/call", "t": "order_book", "a": "digest", "s": state, "aud": "shop",
	}, claims)
	require.Regexp(t, `^\{"v":1,"iat":1785240000000,"exp":1785240600000,"m":"tools/call","t":`, string(payload))
	require.Len(t, principal, 44)
	require.NotContains(t, string(payload), "example")

	again := decoded(t, sealed(t, ringOf(t, 1)))
	payload, err = aead.Open(nil, again[4:16], again[16:], []byte("v1."+id))
	require.NoError(t, err)
	require.NotContains(t, string(payload), principal, "principals are salted")
}

func TestPayloadsOfAnotherShapeAreRefused(t *testing.T) {
	id, aead := keyOf(t, secret(1, 32))
	r := ringOf(t, 1)
	good := `{"v":1,"iat":1785240000000,"exp":1785240600000,"m":"m","t":"t","a":"a","s":"s"}`
	b := seal.Binding{Method: "m", Target: "t", Arguments: "a"}
	open := func(payload string) ([]byte, error) {
		nonce := []byte("twelve bytes")
		raw := append([]byte(id), nonce...)
		raw = aead.Seal(raw, nonce, []byte(payload), []byte("v1."+id))
		return r.Open("v1."+base64.RawURLEncoding.EncodeToString(raw), b, start)
	}
	got, err := open(good)
	require.NoError(t, err)
	require.Equal(t, "s", string(got))

	change := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for _, payload := range []string{
		"", "null", "[]", "1", good + good, good + "x", good[:len(good)-1],
		change(`"v":1`, `"v":2`), change(`"v":1,`, ``), change(`"v":1`, `"v":"1"`), change(`"v":1`, `"v":null`),
		change(`"iat":1785240000000,`, ``), change(`1785240000000`, `null`), change(`1785240000000`, `"now"`), change(`1785240000000`, `1e400`),
		change(`"exp":1785240600000,`, ``), change(`1785240600000`, `null`), change(`1785240600000`, `0.5`), change(`1785240600000`, `9999999999999999999`),
		change(`,"s":"s"`, ``), change(`"s":"s"`, `"s":null`), change(`"s":"s"`, `"s":{}`),
		change(`"s":"s"`, `"s":"s","device":"d"`),
		change(`"m":"m"`, `"m":1`), change(`"s":"s"`, `"s":"s","p":1`), change(`"s":"s"`, `"s":"s","p":"?"`),
	} {
		_, err := open(payload)
		var refused *seal.Refused
		require.ErrorAs(t, err, &refused, payload)
		require.Equal(t, "written by another version", refused.Reason, payload)
	}
	b.Principal = "ann"
	for _, claim := range []string{`""`, `"AAAA"`, `"` + strings.Repeat("A", 43) + `="`} {
		_, err := open(change(`"s":"s"`, `"s":"s","p":`+claim))
		require.EqualError(t, err, "requestState refused: made for somebody else", claim)
	}
}

// keyOf derives what a ring derives.
func keyOf(t testing.TB, secret []byte) (id string, aead cipher.AEAD) {
	t.Helper()
	derived, err := hkdf.Key(sha256.New, secret, nil, "mcpstar requestState v1 AES-256-GCM", 32)
	require.NoError(t, err)
	name, err := hkdf.Key(sha256.New, secret, nil, "mcpstar requestState v1 key id", 4)
	require.NoError(t, err)
	block, err := aes.NewCipher(derived)
	require.NoError(t, err)
	aead, err = cipher.NewGCM(block)
	require.NoError(t, err)
	return string(name), aead
}

func decoded(t testing.TB, token string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token, "v1."))
	require.NoError(t, err)
	return raw
}

func FuzzOpen(f *testing.F) {
	r := ringOf(f, 1, 2)
	token := sealed(f, r)
	f.Add(token)
	for _, seed := range []string{
		"", "v1.", "v1.AAAA", "v2." + token[3:], token + "=", token + "\n", token[:len(token)-1],
		sealed(f, ringOf(f, 2)), sealed(f, ringOf(f, 3)), "v1." + strings.Repeat("A", 43), state,
	} {
		f.Add(seed)
	}
	// Whatever opens holds what was sealed, and is in its only spelling.
	f.Fuzz(func(t *testing.T, text string) {
		got, err := r.Open(text, call, start)
		if err != nil {
			var refused *seal.Refused
			require.True(t, errors.As(err, &refused))
			require.Nil(t, got)
			return
		}
		require.Equal(t, state, string(got))
		require.Equal(t, text, "v1."+base64.RawURLEncoding.EncodeToString(decoded(t, text)))
	})
}

func BenchmarkSealOpen(b *testing.B) {
	r := ringOf(b, 1)
	b.ReportAllocs()
	for b.Loop() {
		token, err := r.Seal([]byte(state), call, start, seal.DefaultTTL)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Open(token, call, start); err != nil {
			b.Fatal(err)
		}
	}
}
