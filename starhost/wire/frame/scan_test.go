package frame

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// whole reports whether data is exactly one JSON value, by our scanner.
func whole(data []byte) error {
	i := skipSpace(data, 0)
	end, err := skipValue(data, i, 0)
	if err != nil {
		return err
	}
	if skipSpace(data, end) != len(data) {
		return errSyntax
	}
	return nil
}

var scanSamples = []string{
	`{}`, `[]`, `null`, `true`, `false`, `0`, `-0`, `1.5e-3`, `"a\u00e9\n"`, `{"a":[1,{"b":null}],"c":""}`, ` [ 1 , 2 ] `,
	``, `{`, `}`, `[1,]`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `[1 2]`, `01`, `1.`, `.5`, `1e`, `+1`, `-`, `NaN`, `Infinity`,
	`"\x"`, `"\u12"`, `"unclosed`, "\"tab\there\"", `nul`, `truex`, `[}`, `{]`, `[[[]]`, `{"a":1}{`, `"\`, `{"a":1 "b":2}`, `'a'`, `[1,,2]`,
	"\"del\x7f\"", "\x00", `{"a":{"b":[{},[],{"c":[1,2,{"d":"e"}]}]}}`,
}

func TestScannerAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range scanSamples {
		require.Equal(t, json.Valid([]byte(s)), whole([]byte(s)) == nil, "%q", s)
	}
}

func TestScannerRefusesDepthWithoutRecursion(t *testing.T) {
	nest := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	require.NoError(t, whole(nest(maxDepth)))
	require.ErrorIs(t, whole(nest(maxDepth+1)), errDeep)
	require.ErrorIs(t, whole(bytes.Repeat([]byte("["), 5_000_000)), errDeep)
	require.ErrorIs(t, whole(bytes.Repeat([]byte(`{"a":`), 5_000_000)), errDeep)
	_, err := skipValue(nest(10), 0, maxDepth-9)
	require.ErrorIs(t, err, errDeep, "the depth of the surroundings counts")
}

func TestMembersAreWalkedInOrder(t *testing.T) {
	data := []byte(` {"a" : 1 , "b\u0063":{"x":[1,2]}, "a":"two" } tail`)
	ms := membersOf(data, 1, 0)
	var got []string
	for ms.next() {
		got = append(got, string(ms.key)+"="+string(ms.value))
	}
	require.NoError(t, ms.err)
	require.Equal(t, []string{"a=1", `bc={"x":[1,2]}`, `a="two"`}, got)
	require.Equal(t, " tail", string(data[ms.at:]))
}

func TestMembersBeforeAMistakeAreSeen(t *testing.T) {
	for _, s := range []string{`{"a":1,"b":NaN}`, `{"a":1,}`, `{"a":1`, `{"a":1 "b":2}`, `{"a":1,"b"}`} {
		ms := membersOf([]byte(s), 0, 0)
		require.True(t, ms.next(), s)
		require.Equal(t, "1", string(ms.value))
		require.False(t, ms.next(), s)
		require.ErrorIs(t, ms.err, errSyntax, s)
		require.False(t, ms.next(), "a failed walk stays failed")
	}
}

func TestQuotingRoundTrips(t *testing.T) {
	for _, s := range []string{"", "a", `"\`, "\n\r\t\x00\x1f\x7f", "é\u2028😀<>&", strings.Repeat("x", 1000) + "\n"} {
		quoted := appendQuoted(nil, s)
		require.True(t, json.Valid(quoted), "%q", quoted)
		require.NotContains(t, string(quoted), "\n")
		back, exact := unquote(quoted)
		require.True(t, exact)
		require.Equal(t, s, back)
	}
	_, exact := unquote([]byte(`"\ud800"`))
	require.False(t, exact, "half of a surrogate pair")
}

func FuzzScanner(f *testing.F) {
	for _, s := range scanSamples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := whole(data)
		if err == errDeep {
			return
		}
		if json.Valid(data) != (err == nil) {
			t.Fatalf("%q: json.Valid says %v, the scanner says %v", data, json.Valid(data), err)
		}
		i := skipSpace(data, 0)
		if err != nil || data[i] != '{' {
			return
		}
		ms := membersOf(data, i, 0)
		for ms.next() {
			if !json.Valid(ms.value) {
				t.Fatalf("%q: member value %q", data, ms.value)
			}
		}
		if ms.err != nil || skipSpace(data, ms.at) != len(data) {
			t.Fatalf("%q: members ended at %d with %v", data, ms.at, ms.err)
		}
	})
}

func TestEightBytesAtATimeSeeWhatOneSees(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			block := []byte("abcdefgh\x80\xff")
			block[at] = byte(c)
			want := plain[c]
			if got := allPlain(block); got != want {
				require.False(t, got, "byte %#x at %d is not plain", c, at)
				require.GreaterOrEqual(t, c, 0x80, "only rare bytes may take the slow way")
			}
		}
	}
}
