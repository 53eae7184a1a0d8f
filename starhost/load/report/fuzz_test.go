package report_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

var colorSequence = regexp.MustCompile("\x1b\\[[0-9;]+m")

func withoutColor(text string) string { return colorSequence.ReplaceAllString(text, "") }

// requireHarmless checks that text has nothing that a terminal would act on.
func requireHarmless(t testing.TB, text string) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	for i, r := range text {
		joins := r == '\u200d' || r == '\u200c'
		require.True(t, r == '\n' || joins || unicode.IsGraphic(r), "%U at %d of %q", r, i, text)
	}
}

// Whatever a file holds and wherever a problem points: the report can be shown on
// a terminal, is not long, and says the same with and without colour.
func FuzzRender(f *testing.F) {
	for _, l := range layouts() {
		for _, text := range l.sources {
			s, e := l.at.Span.Start, l.at.Span.End
			f.Add(text, l.name, l.at.Text, s.Line, s.Col, e.Line, e.Col, int32(1))
		}
	}
	f.Add("\x1b[31mred\x1b[0m\x00\x9b2J\u202e\u2028", "\x1b]0;title\a", "\r\n\t", int32(1), int32(3), int32(1), int32(9), int32(2))
	f.Add("日本語 = 👩\u200d👩\u200d👧 e\u0301 \xff\xfe\n\t\tx", "m", "l", int32(1), int32(8), int32(2), int32(3), int32(9))
	f.Add(strings.Repeat("é", 5000), "m", "l", int32(1), int32(4000), int32(1), int32(4100), int32(10))
	f.Add("a"+strings.Repeat("\u0301", 5000), "m", "l", int32(1), int32(4000), int32(1), int32(4100), int32(10))
	f.Fuzz(func(t *testing.T, text, message, label string, line, col, endLine, endCol, other int32) {
		span := engine.Span{Start: pos("a.star", line, col), End: pos("a.star", endLine, endCol)}
		problems := []*engine.Problem{{
			Code: message, Message: message, At: engine.Label{Span: span, Text: label},
			Also: []engine.Label{
				point("a.star", line, other, label),
				point("a.star", other, col, ""),
				point("secret.star", line, col, label),
				{Span: engine.Span{Start: pos(label, other, col), End: pos("a.star", endLine, other)}, Text: message},
			},
			Notes: []string{label, text}, Help: message,
		}}
		src := report.Sources{"a.star": text, label: message}

		shown := render(t, problems, src, report.Options{})
		requireHarmless(t, shown)
		require.Equal(t, shown, withoutColor(render(t, problems, src, report.Options{Color: true})))
		require.LessOrEqual(t, strings.Count(shown, "\n"), 200)
		require.LessOrEqual(t, len(shown), 200_000)

		data, err := report.JSON(problems)
		require.NoError(t, err)
		require.True(t, json.Valid(data))
		require.Equal(t, -1, strings.IndexFunc(string(data), func(r rune) bool { return !unicode.IsGraphic(r) }))
	})
}
