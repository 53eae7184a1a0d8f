package habits

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/annotate"
	"github.com/mcpstar/mcpstar/starhost/load/chunktest"
)

func TestEveryHabitIsToldWithWhatToWrite(t *testing.T) {
	for _, chunk := range chunktest.Read(t, "testdata/habits.star") {
		t.Run(chunk.Name(), func(t *testing.T) {
			chunk.Check(t, Find("shop.star", chunk.Source))
		})
	}
}

func TestLegalStarlarkHasNoHabits(t *testing.T) {
	src, err := os.ReadFile("testdata/legal.star")
	require.NoError(t, err)
	require.NoError(t, parse(src), "the file must be legal to show anything")
	for _, p := range Find("shop.star", src) {
		t.Errorf("%v: %s: %s", p.At.Span.Start, p.Code, p.Message)
	}
}

// parse is what Starlark itself says about a file with annotations.
func parse(src []byte) error {
	text, annotations, problems := annotate.Rewrite("shop.star", src)
	if len(problems) > 0 {
		return errors.New(problems[0].Message)
	}
	dialect := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
	file, err := dialect.Parse("shop.star", text, 0)
	if err != nil {
		return err
	}
	if _, problems := annotate.Weave(file, annotations, dialect); len(problems) > 0 {
		return errors.New(problems[0].Message)
	}
	return nil
}

// atRunTime are the habits that parse: each is an error when it runs.
var atRunTime = []string{"no-format-specs", "no-text-iteration", "no-number-iteration"}

// Every line of the chunks that has a habit is really refused by Starlark, so
// that none is forbidden for its looks.
func TestEveryHabitIsReallyRefused(t *testing.T) {
	lines := 0
	for _, chunk := range chunktest.Read(t, "testdata/habits.star") {
		for i, line := range strings.Split(string(chunk.Source), "\n") {
			found := Find("shop.star", []byte(line))
			if len(found) == 0 || strings.HasPrefix(line, " ") || slices.Contains(atRunTime, found[0].Code) {
				continue
			}
			lines++
			require.Error(t, parse([]byte(line)), "line %d: %s", i+1, found[0].Code)
		}
	}
	require.Greater(t, lines, 100)
}

func TestSpansCoverWhatIsToBeReplaced(t *testing.T) {
	for src, want := range map[string]string{
		"größe = f'{x}' + \"\"\n":       "1:9-1:15 f'{x}'",
		"x = ('a'\n  'b' 'c')\n":        "1:6-2:10 'a'\n  'b' 'c'",
		"if 0 < ü < 9: pass\n":          "1:4-1:13 0 < ü < 9",
		"x is  not y\n":                 "1:3-1:10 is  not",
		"x: list[\n int] = []\n":        "1:2-2:6 : list[\n int]",
		"x = {1,\r\n 2}\r\n":            "1:5-2:4 {1,\r\n 2}",
		"from a.b import c as d ; x\n":  "1:1-1:23 from a.b import c as d",
		"@tool(\n  x)\ndef f(): pass\n": "1:1-2:5 @tool(\n  x)",
		"f(x for x in y)\n":             "1:2-1:16 (x for x in y)",
		"a = b = 3\n":                   "1:1-1:8 a = b =",
	} {
		found := Find("shop.star", []byte(src))
		require.Len(t, found, 1, src)
		from, to := found[0].At.Span.Start, found[0].At.Span.End
		require.Equal(t, want, fmt.Sprintf("%d:%d-%d:%d %s", from.Line, from.Col, to.Line, to.Col, cut(src, from, to)))
		require.Equal(t, "shop.star", from.Filename())
	}
}

// cut is the text between two places.
func cut(src string, from, to syntax.Position) string {
	at := func(p syntax.Position) int {
		i := 0
		for line := int32(1); line < p.Line; line++ {
			i += strings.IndexByte(src[i:], '\n') + 1
		}
		for col := int32(1); col < p.Col; col++ {
			_, size := utf8.DecodeRuneInString(src[i:])
			i += size
		}
		return i
	}
	return src[at(from):at(to)]
}

func TestHabitsComeInOrderAndNotWithoutEnd(t *testing.T) {
	found := Find("shop.star", []byte("@a\nclass B: pass\n"+strings.Repeat("x = a && b\n", 500)))
	require.Len(t, found, mostProblems)
	require.Equal(t, "no-decorators", found[0].Code)
	require.Equal(t, "no-class", found[1].Code)
	require.True(t, slices.IsSortedFunc(found, func(a, b *engine.Problem) int {
		return int(a.At.Span.Start.Line - b.At.Span.Start.Line)
	}))
}

// hostile are units that a finder which looks back, or ahead, or nests would be
// slow with.
var hostile = []string{
	"[", "(", "{", "f(x for ", "lambda ", "lambda: ", "a < b < ", "a < ", "'a' ", "f''", "f'{' ", "'%' % ", "'%(' % ", "'{'.format(",
	"@a\n", "@", "import ", "from ", "a = ", "not ", "...", "&&", "? ", "x: int\n", "{1}", "{1, ", "*", "**", "\"", "\\\n", ")", "try: ", "1_",
}

func TestFindTakesLinearTime(t *testing.T) {
	for _, unit := range hostile {
		src := []byte(strings.Repeat(unit, (1<<20)/len(unit)))
		start := time.Now()
		found := Find("shop.star", src)
		took := time.Since(start)
		require.Less(t, took, 2*time.Minute, unit)
		require.LessOrEqual(t, len(found), mostProblems)
		t.Logf("%q: %v", unit, took)
	}
	long := strings.Repeat("{", 1<<20)
	for _, src := range []string{"f'" + long + "'", "'" + long + "'.format(1)", "'" + strings.Repeat("%(", 1<<19) + "' % x", "'" + strings.Repeat("%", 1<<20) + "' % x"} {
		start := time.Now()
		Find("shop.star", []byte(src))
		require.Less(t, time.Since(start), 2*time.Minute)
	}
}

func FuzzFind(f *testing.F) {
	for _, file := range []string{"testdata/habits.star", "testdata/legal.star"} {
		for _, chunk := range chunktest.Read(f, file) {
			f.Add(string(chunk.Source))
			for _, line := range strings.Split(string(chunk.Source), "\n") {
				f.Add(line)
			}
		}
	}
	f.Add(`r = "a" if"b" else "c" in"d"`)
	f.Add(`)<) )<A)`)
	for _, unit := range hostile {
		f.Add(strings.Repeat(unit, 3))
	}
	f.Fuzz(func(t *testing.T, src string) {
		found := Find("shop.star", []byte(src))
		for _, p := range found {
			require.NotEmpty(t, p.Code)
			require.NotEmpty(t, p.Message)
			require.NotEmpty(t, p.Help)
			from, to := p.At.Span.Start, p.At.Span.End
			require.True(t, from.Line < to.Line || from.Line == to.Line && from.Col < to.Col, "%v %v", from, to)
		}
		if len(found) > 0 && !strings.Contains(src, "\x00") && parse([]byte(src)) == nil {
			for _, p := range found {
				require.Contains(t, atRunTime, p.Code, "Starlark allows it: %v", p)
			}
		}
	})
}
