package annotate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/load/chunktest"
)

func TestBadAnnotationsAreToldWithPlaceAndRemedy(t *testing.T) {
	for _, chunk := range chunktest.Read(t, "testdata/problems.star") {
		t.Run(chunk.Name(), func(t *testing.T) {
			text, annotations, problems := Rewrite("shop.star", chunk.Source)
			requireSameShape(t, string(chunk.Source), string(text))
			// What was reported is out of the parser's way, so that it finds the
			// next mistake and not this one again; and the other way round.
			file, err := dialect.Parse("shop.star", text, 0)
			require.Equal(t, bytes.Contains(chunk.Source, []byte("left to it")), err != nil, "%s", text)
			if err != nil {
				require.Empty(t, problems)
				return
			}
			_, more := Weave(file, annotations, dialect)
			chunk.Check(t, append(problems, more...))
		})
	}
}

func TestBracketsWithoutEndAreToldAndNotFollowed(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, src := range []string{"def f(a: " + deep + "): pass\n", "def f(a) -> " + deep + ": pass\n"} {
		_, annotations, problems := Rewrite("shop.star", []byte(src))
		require.Empty(t, annotations)
		require.Len(t, problems, 1)
		require.Equal(t, "the brackets of this type nest too deeply", problems[0].Message)
	}
	text, _, problems := Rewrite("shop.star", []byte("def f(a = "+deep+"): pass\n"))
	require.Empty(t, problems)
	_, err := dialect.Parse("shop.star", text, 0)
	require.ErrorContains(t, err, "excessive nesting")
}

func TestTypesAsDefaultsAreRefused(t *testing.T) {
	for _, chunk := range chunktest.Read(t, "testdata/traps.star") {
		t.Run(chunk.Name(), func(t *testing.T) {
			text, _, problems := Rewrite("shop.star", chunk.Source)
			require.Empty(t, problems)
			file, err := dialect.Parse("shop.star", text, 0)
			require.NoError(t, err)
			chunk.Check(t, DefaultTraps(file))
		})
	}
}

// The caret must stand under the token that is wrong.
func TestProblemsPointAtTheToken(t *testing.T) {
	for src, want := range map[string]string{
		"def f(a: = 1): pass\n":               "1:8-1:9",
		"def f(a = 1: int): pass\n":           "1:12-1:17",
		"def f(\n  größe: int\n  b): pass\n":  "2:13-2:13",
		"def f(a: int) -> : pass\n":           "1:15-1:17",
		"def f(a: int) -> str\n":              "1:21-1:21",
		"def f(a: 'x): pass\n":                "1:10-1:19",
		"def f(a: list[int): pass\n":          "1:14-1:15",
		"def f(a: int 'x'): pass\n":           "1:14-1:17",
		"def f(a: int |): pass\n":             "1:15-1:15",
		"def f(a:\n   list[\n  b c]): pass\n": "3:5-3:6",
		"def f() -> (a,\n  b ß): pass\n":      "2:5-2:6",
		"def f() -> a, b: pass\n":             "1:12-1:16",
		"def f(a: x[*]): pass\n":              "1:12-1:13",
	} {
		text, annotations, problems := Rewrite("shop.star", []byte(src))
		if file, err := dialect.Parse("shop.star", text, 0); err == nil {
			_, more := Weave(file, annotations, dialect)
			problems = append(problems, more...)
		}
		require.NotEmpty(t, problems, src)
		at := problems[0].At.Span
		require.Equal(t, want, spanText(at.Start, at.End), "%s%s", src, problems[0].Message)
		require.Equal(t, "shop.star", at.Start.Filename())
	}
}
