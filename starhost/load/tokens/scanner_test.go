package tokens

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.starlark.net/syntax"
)

var dialect = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}

// all are the tokens of src up to its end.
func all(src string) (out []Token) {
	s := New(src)
	for t := s.Next(); t.Kind != EOF; t = s.Next() {
		out = append(out, t)
	}
	return out
}

// written tells tokens as their texts; a line break stands for a Newline, which
// is marked with ! when it was made up. First tokens of a line are marked with ^,
// broken strings and illegal runes with !.
func written(src string) string {
	var out []string
	for _, t := range all(src) {
		text := t.Text
		if t.Kind == Newline {
			text = "⏎"
		} else if t.First {
			text = "^" + text
		}
		if t.Broken || t.Kind == Illegal {
			text = "!" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func TestScannerCutsLikeStarlark(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", ""},
		{"\n\n  # nothing\n", ""},
		{"x = 1", "^x = 1 ⏎"},
		{"x = (1,\n\n  2) # two\ny", "^x = ( 1 , ^2 ) ⏎ ^y ⏎"},
		{"x \\\n = \\\r\n 1\n", "^x ^= ^1 ⏎"},
		{"a\rb\r\nc\n", "^a ⏎ ^b ⏎ ^c ⏎"},
		{"a//=b**c<<=d>>e!=f->g<=h*=i", "^a //= b ** c <<= d >> e != f -> g <= h *= i ⏎"},
		{"a**=b ===c //==d", "^a ** = b == = c //= = d ⏎"},
		{"r'\\'' b\"\\\"\" rb'x' br'x' f'x' R'x'", "^r'\\'' b\"\\\"\" rb'x' br 'x' f 'x' R 'x' ⏎"},
		{"'''a'b''c\\'''' \"\" \"\"\"\"q\"\"\"", "^'''a'b''c\\'''' \"\" \"\"\"\"q\"\"\" ⏎"},
		{"1.5e+3 .5 1. 1.e5 0x1Fg 0b102 0o18 1_000 1if 3.x", "^1.5e+3 .5 1. 1.e5 0x1F g 0b10 2 0o1 8 1 _000 1 if 3. x ⏎"},
		{"größe + 名前", "^größe + 名前 ⏎"},
		{"a ? $b !c `\\x", "^a !? !$ b !! c !` !\\ x ⏎"},
		{"'open\nx", "!^'open ⏎ ^x ⏎"},
		{"'open\\\n here' x", "^'open\\\n here' x ⏎"},
		{"'''open\nx", "!^'''open\nx ⏎"},
		{"x = [1,\nreturn y]", "^x = [ 1 , !⏎ ^return y ] ⏎"},
		{"x = [1,\nreturned y]", "^x = [ 1 , ^returned y ] ⏎"},
		{"x = [1", "^x = [ 1 !⏎"},
		{")]} x\n(y\n)", "^) ] } x ⏎ ^( y ^) ⏎"},
	} {
		require.Equal(t, c.want, written(c.src), "%q", c.src)
	}
}

func TestScannerCountsRunesAndLines(t *testing.T) {
	var places []string
	for _, tok := range all("ü = '日\\\r\n本'\r\tx\xff\xfey\n") {
		places = append(places, fmt.Sprintf("%q %d:%d-%d:%d", tok.Text, tok.Line, tok.Col, tok.EndLine, tok.EndCol))
	}
	require.Equal(t, []string{
		`"ü" 1:1-1:2`, `"=" 1:3-1:4`, `"'日\\\r\n本'" 1:5-2:3`, `"" 2:3-2:3`,
		`"x" 3:2-3:3`, `"\xff" 3:3-3:4`, `"\xfe" 3:4-3:5`, `"y" 3:5-3:6`, `"" 3:6-3:6`,
	}, places)
}

func TestReservedWordsAreStarlarks(t *testing.T) {
	words := strings.Fields(`and as assert async await break case class continue def del elif else except exec false
		finally for from global if import in is lambda load match nil None nonlocal not null or pass print raise
		return True true try type while with yield`)
	for _, word := range words {
		_, err := dialect.Parse("x.star", word+" = 1\n", 0)
		require.Equal(t, err != nil, Reserved(word), word)
	}
}

func TestOperands(t *testing.T) {
	for text, want := range map[string][2]bool{ // ends, begins
		"x": {true, true}, "1": {true, true}, "'s'": {true, true}, ")": {true, false}, "(": {false, false},
		"not": {false, false}, "if": {false, false}, "None": {true, true}, "+": {false, false},
	} {
		tok := all(text)[0]
		require.Equal(t, want, [2]bool{tok.EndsOperand(), tok.BeginsOperand()}, text)
	}
}

// agree says that the names and literals of a file that parses are the same
// tokens, at the same places, for the scanner and for go.starlark.net.
func agree(t *testing.T, src string) {
	t.Helper()
	file, err := dialect.Parse("x.star", src, 0)
	if err != nil || strings.Contains(src, "load") || strings.Contains(src, "\x00") {
		return // load makes names out of strings, and NUL ends a file for the parser
	}
	want, got := map[string]bool{}, map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Ident:
			want[fmt.Sprintf("%d:%d %s", n.NamePos.Line, n.NamePos.Col, n.Name)] = true
		case *syntax.Literal:
			want[fmt.Sprintf("%d:%d %s", n.TokenPos.Line, n.TokenPos.Col, newlines(n.Raw))] = true
		}
		return true
	})
	for _, tok := range all(src) {
		if tok.Kind == Name && !Reserved(tok.Text) || tok.Kind == Number || tok.Kind == String {
			got[fmt.Sprintf("%d:%d %s", tok.Line, tok.Col, newlines(tok.Text))] = true
		}
		require.False(t, tok.Broken || tok.Kind == Illegal, "%q at %d:%d", tok.Text, tok.Line, tok.Col)
	}
	require.Equal(t, want, got)
}

// newlines writes line ends as the parser does, and bytes that are no text as it
// does too.
func newlines(s string) string {
	return string([]rune(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)))
}

func TestScannerAgreesWithTheParser(t *testing.T) {
	files, err := filepath.Glob("../*/testdata/*.star")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, chunk := range strings.Split(string(data), "\n---\n") {
			agree(t, chunk)
		}
	}
	for _, src := range seeds {
		_, err := dialect.Parse("x.star", src, 0)
		require.NoError(t, err)
		agree(t, src)
	}
}

var seeds = []string{
	"x = r'\\'' + b\"\\\"\" + rb'x' + '''a'b''c\\'''' + \"\" + \"\"\"\"q\"\"\"\n",
	"x = 1.5e+3 + .5 + 1. + 1.e5 + 0x1F + 0b10 + 0o17 if 1or 00 else 3\n",
	"größe = lambda 名前, *a, **k: 名前 not in a\rif x:\r\n\ty[1:2] //= z\n",
	"x = (1,\n\n  2) # 'two\ny = \\\n  'a\\\nb'\n",
}

func FuzzScanner(f *testing.F) {
	for _, src := range seeds {
		f.Add(src)
	}
	f.Add("def f(a: '\\\n) -> [\nreturn $?!`\xff\x00'''")
	f.Fuzz(func(t *testing.T, src string) {
		agree(t, src)
		end, line, col := 0, int32(1), int32(1)
		for _, tok := range all(src) {
			require.True(t, tok.Start >= end && tok.End >= tok.Start, "tokens overlap")
			require.True(t, tok.Kind == Newline || tok.End > tok.Start, "an empty token")
			require.Equal(t, src[tok.Start:tok.End], tok.Text)
			require.True(t, tok.Line > line || tok.Line == line && tok.Col >= col, "tokens go back")
			if tok.Line == tok.EndLine {
				require.EqualValues(t, utf8.RuneCountInString(tok.Text), tok.EndCol-tok.Col)
			}
			end, line, col = tok.End, tok.EndLine, tok.EndCol
		}
	})
}
