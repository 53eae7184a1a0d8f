package seal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine/seal"
)

func digest(t testing.TB, raw string) string {
	t.Helper()
	d, err := seal.ArgumentsDigest(json.RawMessage(raw))
	require.NoError(t, err)
	require.Len(t, d, 43)
	return d
}

func TestSameArgumentsHaveOneDigest(t *testing.T) {
	for name, spellings := range map[string][]string{
		"nothing":          {``, ` `, `null`, ` null `, `{}`, "{ \n}"},
		"order of keys":    {`{"a":1,"b":2}`, `{"b":2,"a":1}`},
		"deep order":       {`{"a":[{"x":1,"y":{"p":1,"q":2}}]}`, `{"a":[{"y":{"q":2,"p":1},"x":1}]}`},
		"space":            {`{"a":[1,2]}`, "{ \"a\" :\r\n\t[ 1 , 2 ] } "},
		"spelling of text": {`{"a":"é😀/"}`, `{"\u0061":"\u00e9\ud83d\ude00\/"}`},
		"spelling of float": {
			`{"a":1.5}`, `{"a":1.50}`, `{"a":15e-1}`,
		},
		"a repeated key, of which the last counts": {`{"a":2}`, `{"a":1,"a":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range spellings {
				require.Equal(t, digest(t, spellings[0]), digest(t, s), s)
			}
		})
	}
}

func TestOtherArgumentsHaveAnotherDigest(t *testing.T) {
	seen := map[string]string{}
	for _, raw := range []string{
		`{}`, `[]`, `""`, `0`, `false`,
		`{"a":null}`, `{"a":""}`, `{"a":0}`, `{"a":false}`, `{"a":[]}`, `{"a":{}}`,
		`{"a":2}`, `{"a":2.0}`, `{"a":"2"}`, `{"A":2}`, `{"a":2,"extra":1}`,
		`{"a":[1,2]}`, `{"a":[2,1]}`, `{"a":[[1],2]}`, `{"a":[1,[2]]}`, `{"a":[1],"b":[2]}`,
		`{"a":"b\",\"c\":\"d"}`, `{"a":"b","c":"d"}`,
		// Beyond 2^53, where a float64 no longer sees the difference.
		`{"a":9007199254740992}`, `{"a":9007199254740993}`,
		`{"a":"é"}`, `{"a":"e\u0301"}`,
	} {
		d := digest(t, raw)
		require.Empty(t, seen[d], "as for %s", raw)
		seen[d] = raw
	}
}

func TestDigestIsTheSameInEveryProcess(t *testing.T) {
	// The SHA-256 of {} and of {"copies":[1,2.0],"title":"Dune"}.
	require.Equal(t, "RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o", digest(t, ``))
	require.Equal(t, "68S7WsPjwxkAfD4xCSgnqNYuVjl1X6CMBK0_VwNPy_k", digest(t, `{"title":"Dune","copies":[1,2.0]}`))
}

func TestWhatIsNotJSONHasNoDigest(t *testing.T) {
	for _, raw := range []string{
		`{`, `{"a":1}}`, `{"a":1} {}`, `{a:1}`, `nul`, `NaN`, `{"a":1e999}`,
		"{\"a\":\"\xff\"}", `{"a":"\ud800"}`,
		strings.Repeat("[", 201) + strings.Repeat("]", 201),
		strings.Repeat("[", 1<<20),
		`{"a":` + strings.Repeat("9", 5000) + `}`,
	} {
		_, err := seal.ArgumentsDigest(json.RawMessage(raw))
		require.ErrorContains(t, err, "arguments: ", "%.40s", raw)
	}
}

// Writing text again may make it longer; that must not count as too large.
func TestLargeArgumentsHaveADigest(t *testing.T) {
	digest(t, `{"a":"`+strings.Repeat("\x7f", 6<<20)+`"}`)
	digest(t, `[`+strings.Repeat("1e15,", 1<<14)+`1]`)
	digest(t, strings.Repeat("[", 200)+strings.Repeat("]", 200))
}

func BenchmarkArgumentsDigest(b *testing.B) {
	raw := json.RawMessage(`{"title":"Dune","filters":{"languages":["en","de"],"max_price":12.5},"limit":10}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := seal.ArgumentsDigest(raw); err != nil {
			b.Fatal(err)
		}
	}
}
