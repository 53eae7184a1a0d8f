package seal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine/seal"
)

// secret is a secret of n bytes that is told apart by its first one.
func secret(first byte, n int) []byte {
	s := bytes.Repeat([]byte{0xa5}, n)
	s[0] = first
	return s
}

func ringOf(t testing.TB, firsts ...byte) *seal.Ring {
	t.Helper()
	var secrets [][]byte
	for _, first := range firsts {
		secrets = append(secrets, secret(first, seal.SecretSize))
	}
	r, err := seal.NewRing(secrets...)
	require.NoError(t, err)
	return r
}

func TestRingRefusesUnfitSecrets(t *testing.T) {
	for name, test := range map[string]struct {
		secrets [][]byte
		want    string
	}{
		"none":     {nil, "at least one state key"},
		"empty":    {[][]byte{{}}, `keys\[0\] is 0 bytes`},
		"short":    {[][]byte{secret(1, 31)}, `at least 32 bytes of secret randomness, but keys\[0\] is 31 bytes: make one with`},
		"second":   {[][]byte{secret(1, 32), secret(2, 8)}, `keys\[1\] is 8 bytes`},
		"repeated": {[][]byte{secret(1, 32), secret(2, 32), secret(1, 32)}, `keys\[2\] is the same state key as keys\[0\]`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := seal.NewRing(test.secrets...)
			require.Nil(t, r)
			require.Regexp(t, test.want, err)
		})
	}
}

func TestRingTakesLongSecrets(t *testing.T) {
	// The same first 32 bytes: still two keys.
	r, err := seal.NewRing(secret(1, 32), secret(1, 33), secret(1, 4096))
	require.NoError(t, err)
	token := sealed(t, r)
	_, err = r.Open(token, call, start)
	require.NoError(t, err)
}

func TestRingDoesNotKeepTheSecretsBytes(t *testing.T) {
	s := secret(1, 32)
	r, err := seal.NewRing(s)
	require.NoError(t, err)
	token := sealed(t, r)
	clear(s)
	_, err = r.Open(token, call, start)
	require.NoError(t, err)
}

func TestRandomRingsShareNothing(t *testing.T) {
	a, b := seal.RandomRing(), seal.RandomRing()
	token := sealed(t, a)
	_, err := a.Open(token, call, start)
	require.NoError(t, err)
	requireRefused(t, b, token, call, start, "sealed with a key that is not in the ring")
}

func TestZeroRingDoesNothing(t *testing.T) {
	token := sealed(t, ringOf(t, 1))
	for _, r := range []*seal.Ring{nil, {}} {
		_, err := r.Seal([]byte("s"), call, start, seal.DefaultTTL)
		require.ErrorContains(t, err, "at least one state key")
		requireRefused(t, r, token, call, start, "sealed with a key that is not in the ring")
	}
}

func TestPrintingARingShowsNoKey(t *testing.T) {
	r := ringOf(t, 1, 2)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		require.Equal(t, "seal.Ring(keys: 2)", fmt.Sprintf(verb, r))
		require.Equal(t, "seal.Ring(keys: 2)", fmt.Sprintf(verb, *r))
		require.Contains(t, fmt.Sprintf(verb, struct{ Keys seal.Ring }{*r}), "seal.Ring(keys: 2)")
	}
	text, err := json.Marshal(map[string]any{"ring": r})
	require.NoError(t, err)
	require.JSONEq(t, `{"ring":{}}`, string(text))
}
