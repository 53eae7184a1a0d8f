package exactjson

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzTokensAreThoseOfTheDecoder compares the fast way with encoding/json's.
func FuzzTokensAreThoseOfTheDecoder(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, -2.5e+3, true, false, null], "b\u00e9\n": {"": "\ud83d\ude00"}}`, `[]`, `""`, ` 7 `, `[[[]], {}]`, `"\\"`, `{"a":"]"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || !utf8.Valid(data) { // Decode refuses the latter before
			return
		}
		slow := json.NewDecoder(bytes.NewReader(data))
		slow.UseNumber()
		fast := tokensOf(data)
		for {
			want, err := slow.Token()
			if err != nil {
				require.False(t, fast.More())
				return
			}
			got, err := fast.Token()
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, slow.More(), fast.More())
		}
	})
}
