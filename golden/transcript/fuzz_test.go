package transcript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is read comes out byte for byte, and what is written is read back.
func FuzzParse(f *testing.F) {
	f.Add(story)
	f.Add("-- 2026-07-28 --\n--> 1 ping")
	f.Add("-- 2026-07-28 --\r\n--> 1 a/b {\"x\": \"$${${y}\"}\r\n")
	f.Add("-- 2026-07-28 --")
	f.Add("x\n-- client --\ncapabilities {}\n\n-- 2026-07-28 --\n{{\n<-- null \"\\u2028\"\n}}\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := Parse("x", []byte(text))
		if err != nil {
			return
		}
		require.Equal(t, text, string(tr.Replace(nil)))
		for _, s := range tr.Sections {
			var said []Said
			for _, e := range s.Entries {
				said = append(said, Said{e, e, true})
				lines := e.Write()
				again, n, err := readEntry(lines)
				require.NoError(t, err, strings.Join(lines, "\n"))
				require.Equal(t, len(lines), n)
				require.Equal(t, lines, again.Write())
			}
			require.Equal(t, tr.Text(s), tr.Rewrite(s, said))
		}
	})
}

// What is said can always be written so that it matches itself.
func FuzzMerge(f *testing.F) {
	f.Add(`{"a": "${x}", "b": ["$${", 1.50, null, "$$"]}`, `{"a": "${any}"}`)
	f.Add(`"${"`, `"a ${re:x} $${"`)
	f.Fuzz(func(t *testing.T, said, written string) {
		v, err := ParseJSON([]byte(said))
		if err != nil || repeats(v) {
			return
		}
		w, _ := ParseJSON([]byte(written))
		merged := Merge(w, v, Bindings{})
		require.Empty(t, Match(merged, v, Bindings{}), merged.line())
	})
}

// repeats reports whether an object has two members of one name.
func repeats(v *Value) bool {
	seen := map[string]bool{}
	for _, m := range v.Members {
		if seen[m.Name] || repeats(m.Value) {
			return true
		}
		seen[m.Name] = true
	}
	for _, e := range v.Elements {
		if repeats(e) {
			return true
		}
	}
	return false
}
