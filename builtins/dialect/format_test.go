package dialect

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

// No specification panics, and what comes out is text of a bounded size.
func FuzzFormat(f *testing.F) {
	for _, spec := range []string{"", "日^+z#012_.3f", ",d", "=5", "c", "%", "0=20,.2e", "<<8388608s", "#_x"} {
		f.Add(spec, int64(-1234567), 1.5, "日本")
	}
	f.Fuzz(func(t *testing.T, spec string, i int64, x float64, s string) {
		for _, v := range []starlark.Value{starlark.MakeInt64(i), starlark.Float(x), starlark.String(s), starlark.Bool(i > 0)} {
			out, err := formatted(v, spec)
			if err != nil {
				require.Less(t, len(err.Error()), 1000) // two quotes of 60 bytes, each written \x00
				continue
			}
			require.Less(t, len(out), 4*maxText)
			if utf8.ValidString(spec) && utf8.ValidString(s) {
				require.True(t, utf8.ValidString(out), "%q of %v", spec, v)
			}
		}
	})
}
