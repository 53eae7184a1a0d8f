package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// quoted renders one line with X marked, and gives the source line and the line
// under it as they are shown.
func quoted(t testing.TB, line string) (source, marks string) {
	t.Helper()
	problems := []*engine.Problem{{Message: "m", At: find("a.star", line, "X", 1, "")}}
	shown := strings.Split(render(t, problems, report.Sources{"a.star": line}, report.Options{}), "\n")
	require.Len(t, shown, 8, "%q", shown)
	return strings.TrimPrefix(shown[3], "1 | "), strings.TrimPrefix(shown[4], "  | ")
}

func TestCaretsStandUnderWideText(t *testing.T) {
	for before, want := range map[string]struct {
		shown string
		width int
	}{
		"":                               {"", 0},
		"abc ":                           {"abc ", 4},
		"\t":                             {"    ", 4},
		"a\t\tb":                         {"a        b", 10},
		"é":                              {"é", 1},
		"e\u0301":                        {"e\u0301", 1},
		"日本語":                            {"日本語", 6},
		"ｆｕｌｌ":                           {"ｆｕｌｌ", 8},
		"ｶﾅ":                             {"ｶﾅ", 2},
		"한국":                             {"한국", 4},
		"\u1112\u1161\u11ab":             {"\u1112\u1161\u11ab", 2}, // one syllable of three letters
		"\u3000":                         {"\u3000", 2},
		"😀":                              {"😀", 2},
		"👩\u200d👩\u200d👧":                {"👩\u200d👩\u200d👧", 2},
		"👍🏽":                             {"👍🏽", 2},
		"🇩🇪🇯🇵":                           {"🇩🇪🇯🇵", 4},
		"❤\ufe0f":                        {"❤\ufe0f", 2},
		"a\u0301\u0302\u0303b":           {"a\u0301\u0302\u0303b", 2},
		"नि":                             {"नि", 1},
		"שלום":                           {"שלום", 4},
		"\u00a0":                         {"\u00a0", 1},
		"\xff\xfe":                       {"\ufffd\ufffd", 2},
		"\xe6\x97":                       {"\ufffd\ufffd", 2},
		"a\xff\u0301":                    {"a\ufffd\u0301", 2},
		"\x00\x1b[31m\x7f":               {"␀␛[31m␡", 7},
		"\u0085\u009b":                   {"<U+0085><U+009B>", 16},
		"\u202e\u2066":                   {"<U+202E><U+2066>", 16},
		"\u200b\ufeff\u00ad":             {"<U+200B><U+FEFF><U+00AD>", 24},
		"\u2028\u3164":                   {"<U+2028><U+3164>", 16},
		"\U000e0041":                     {"<U+E0041>", 9},
		"a\u200db":                       {"a\u200db", 2},
		"e\u0301\t日\x1b\xff😀" + "\u200b": {"e\u0301    日␛\ufffd😀<U+200B>", 19},
	} {
		t.Run(fmt.Sprintf("%+q", before), func(t *testing.T) {
			source, marks := quoted(t, before+"X = 1")
			require.Equal(t, want.shown+"X = 1", source)
			require.Equal(t, strings.Repeat(" ", want.width)+"^", marks)
		})
	}
}

func TestCaretsAreAsWideAsWhatTheyMark(t *testing.T) {
	for text, width := range map[string]int{
		"日本": 4, "😀": 2, "\t": 4, "\x1b": 1, "\u202e": 8, "e\u0301": 1, "👩\u200d👩\u200d👧": 2, "\xff": 1,
	} {
		line := "(" + text + ")"
		problems, src := quote(line, text, "this")
		shown := render(t, problems, src, report.Options{})
		require.Contains(t, shown, "\n  |  "+strings.Repeat("^", width)+" this\n", "%+q", text)
	}
}

// Positions count runes: one may point into what a terminal shows as one character.
func TestCaretsInsideOneCharacter(t *testing.T) {
	line := "a👩\u200d👩\u200d👧b"
	for column := int32(2); column <= 6; column++ {
		problems := []*engine.Problem{{Message: "m", At: point("a.star", 1, column, "here")}}
		shown := render(t, problems, report.Sources{"a.star": line}, report.Options{})
		require.Contains(t, shown, "\n  |  ^^ here\n", column)
	}
}

func TestLongLinesAreCutAroundTheCaret(t *testing.T) {
	for name, line := range map[string]string{
		"at the start":    "X" + strings.Repeat("abcdefgh ", 100),
		"near the start":  strings.Repeat("a", 59) + "X" + strings.Repeat("abcdefgh ", 100),
		"in the middle":   strings.Repeat("abcdefgh ", 100) + "X" + strings.Repeat("abcdefgh ", 100),
		"at the end":      strings.Repeat("abcdefgh ", 100) + "X",
		"wide":            strings.Repeat("日本語", 100) + "X" + strings.Repeat("日本語", 100),
		"tabs":            strings.Repeat("\t", 300) + "X" + strings.Repeat("\t", 100),
		"escapes":         strings.Repeat("\u202e", 300) + "X" + strings.Repeat("\x1b", 300),
		"accents":         "X" + strings.Repeat("\u0301", 4000) + "X" + strings.Repeat("\u0301", 4000),
		"a large file":    strings.Repeat("\"é\", ", 1<<20) + "X" + strings.Repeat("1, ", 1<<20),
		"a byte too long": "X" + strings.Repeat("a", 160),
	} {
		t.Run(name, func(t *testing.T) {
			source, marks := quoted(t, line)
			require.Contains(t, source, "…")
			require.LessOrEqual(t, displaywidth.String(source), 162)
			require.LessOrEqual(t, len(source), 2000)
			before := strings.TrimSuffix(marks, "^")
			at := strings.Index(source, "X")
			require.GreaterOrEqual(t, at, 0)
			require.Equal(t, displaywidth.String(source[:at]), len(before))
			require.LessOrEqual(t, len(before), 161)
		})
	}
	source, _ := quoted(t, "X"+strings.Repeat("a", 159))
	require.NotContains(t, source, "…", "160 columns are not too long")
}

// A long line is shown once for each part of it that matters.
func TestMarksFarApartOnALongLine(t *testing.T) {
	line := "first" + strings.Repeat(", and so on", 1000) + ", middle, centre" + strings.Repeat(", and so on", 1000) + ", last"
	src := report.Sources{"a.star": line}
	at := func(text, label string) engine.Label { return find("a.star", line, text, 1, label) }
	whole := at(line, "all of it")
	problems := []*engine.Problem{
		{Message: "far apart", At: at("middle", "this one"), Also: []engine.Label{at("last", "the last"), at("first", "the first"), at("centre", "beside it")}},
		{Message: "too long to show", At: whole, Also: []engine.Label{at("middle", "a part")}},
	}
	golden(t, "long.txt", render(t, problems, src, report.Options{}))
}

func TestHarmlessWhateverTheTextsHold(t *testing.T) {
	evil := "\x1b]0;title\a\x1b[2J\u009b31m\u202e\r\x00\xff\u2028"
	p := &engine.Problem{
		Code: evil, Message: evil, Help: evil, Notes: []string{evil},
		At:   engine.Label{Span: engine.Span{Start: pos(evil, 1, 3)}, Text: evil},
		Also: []engine.Label{point("other"+evil, 1, 1, evil), {Text: evil}},
	}
	for _, problem := range []*engine.Problem{p, {Warning: true, Message: evil}} {
		problems := []*engine.Problem{problem}
		src := report.Sources{evil: evil}
		requireHarmless(t, render(t, problems, src, report.Options{}))
		requireHarmless(t, withoutColor(render(t, problems, src, report.Options{Color: true})))
		require.Error(t, report.New([]*engine.Problem{p}, src))
		requireHarmless(t, report.New([]*engine.Problem{p}, src).Error())
		data, err := report.JSON(problems)
		require.NoError(t, err)
		requireHarmless(t, string(data))
	}
}

func TestVeryLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("日", 1<<20)
	p := &engine.Problem{
		Code: "code", Message: long, Help: long + "\n" + long, Notes: []string{strings.Repeat("a\n", 1<<16)},
		At: point("a.star", 1, 1, long),
	}
	shown := render(t, []*engine.Problem{p}, report.Sources{"a.star": "x"}, report.Options{})
	requireHarmless(t, shown)
	require.Less(t, len(shown), 20_000)
	require.Less(t, strings.Count(shown, "\n"), 70)
	require.NotContains(t, shown, "\ufffd", "cut between characters")
}

// Only what the host handed over is shown, whatever a position claims.
func TestOnlyLinesOfSourcesAreShown(t *testing.T) {
	p := &engine.Problem{Message: "m", At: point("/etc/passwd", 1, 1, "here"), Also: []engine.Label{point("cells_test.go", 1, 1, "")}}
	require.Equal(t, "error: m\n --> /etc/passwd:1:1: here\n ::: cells_test.go:1:1\n\n1 error\n",
		render(t, []*engine.Problem{p}, report.Sources{"a.star": "x"}, report.Options{}))
}

func BenchmarkRender(b *testing.B) {
	src := report.Sources{"shop.star": shop}
	problems := shopProblems()
	b.ReportAllocs()
	for b.Loop() {
		render(b, problems, src, report.Options{})
	}
}

// One line of 4 MB, with a hundred problems all over it.
func BenchmarkRenderHugeLine(b *testing.B) {
	line := strings.Repeat("\"é\", ", 700_000)
	var problems []*engine.Problem
	for i := range int32(100) {
		problems = append(problems, &engine.Problem{Message: "m", At: point("a.star", 1, i*35_000+1, "here")})
	}
	for b.Loop() {
		render(b, problems, report.Sources{"a.star": line}, report.Options{})
	}
}

// A file of nothing but 4 million lines.
func BenchmarkRenderManyLines(b *testing.B) {
	text := strings.Repeat("\n", 4<<20)
	problems := []*engine.Problem{{Message: "m", At: point("a.star", 4_000_000, 1, "here")}}
	for b.Loop() {
		render(b, problems, report.Sources{"a.star": text}, report.Options{})
	}
}
