package annotate

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/starhost/load/chunktest"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

var dialect = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}

// forms are ways to write a signature that a rewriter can get wrong.
var forms = []struct {
	name, src string
	annotated []string // param:type of each annotation, line breaks as ⏎
}{
	{"operators as defaults", "def pick(n: int = low or high, same: bool = a == b, off: bool = not on, m: int = 1 if on else 2, has: bool = a in b): pass\n",
		[]string{"n:int", "same:bool", "off:bool", "m:int", "has:bool"}},
	{"lambda as a default", "def sort(by: any = lambda x, deep = 2: x, limit: int = 10): pass\n", []string{"by:any", "limit:int"}},
	{"lambda in the default of a lambda", "def sort(by: any = lambda x = lambda: 0: x, limit: int = 10): pass\n", []string{"by:any", "limit:int"}},
	{"lambda with star parameters", "def sort(by: any = lambda *a, **k: a, limit: int = 10): pass\n", []string{"by:any", "limit:int"}},
	{"dict literal as a default", "def tax(rates: dict[str, float] = {'de:full': 0.19, \"at\": 0.2}, land: str = 'de'): pass\n",
		[]string{"rates:dict[str, float]", "land:str"}},
	{"bare star", "def find(text: str, *, page: int = 1, **rest: any): pass\n", []string{"text:str", "page:int", "rest:any"}},
	{"star arguments", "def join(*parts: list[str], **opts: str) -> str: return ''\n", []string{"parts:list[str]", "opts:str", ":str"}},
	{"comments in the signature", "def book(\n    isbn: str,  # isbn: a str (ten\n    # old: int = 3,\n    note: str = '):',  # \"\n) -> str:\n    return note\n",
		[]string{"isbn:str", "note:str", ":str"}},
	{"comment in a type", "def paint(\n    hue: enum(\n        'red',  # no ) here\n        'blue',\n    ) = 'red',\n): pass\n",
		[]string{"hue:enum(⏎        'red',  # no ) here⏎        'blue',⏎    )"}},
	{"comment between the colon and the type", "def paint(\n    hue:  # a colour\n        str = 'red',\n): pass\n", []string{"hue:str"}},
	{"continued lines", "def send(to: str, \\\n      body: \\\n   str) -> \\\n   bool:\n    return to\n", []string{"to:str", "body:str", ":bool"}},
	{"continued line before the colon", "def send(to: str) -> list[\n str]\\\n:\n    return to\n", []string{"to:str", ":list[⏎ str]"}},
	{"def in a def", "def make(size: int):\n\tdef cell(at: int = size) -> list[int]:\n\t\treturn [at]\n\treturn cell\n",
		[]string{"size:int", "at:int", ":list[int]"}},
	{"tabs", "def f(\tx:\tint\t=\t1,\ty:\tstr):\n\tpass\n", []string{"x:int", "y:str"}},
	{"result over several lines", "def look(key) -> dict[\n    str,\n\n    enum('k]:', \"v\")  # :\n]:\n    return missing\n",
		[]string{":dict[⏎    str,⏎⏎    enum('k]:', \"v\")  # :⏎]"}},
	{"one line", "def f(x: int) -> str: return nowhere\n", []string{"x:int", ":str"}},
	{"no space at all", "def f(x:int=1,*y:str,z:bool)->str:return x\n", []string{"x:int", "y:str", "z:bool", ":str"}},
	{"other scripts", "def größe(名前: enum('日本', 'é') = '日本', ü: int = 1) -> enum('ß'): return ünknown\n",
		[]string{"名前:enum('日本', 'é')", "ü:int", ":enum('ß')"}},
	{"CR LF", "def f(\r\n  x: int = 1,\r\n  y: list[\r\n    str] = [],\r\n) -> str:\r\n  return x\r\n", []string{"x:int", "y:list[⏎    str]", ":str"}},
	{"CR alone", "def f(\r  x: int = 1,\r  y: str = 'x',\r) -> str:\r  return x\rz = 1\r", []string{"x:int", "y:str", ":str"}},
	{"raw strings", "def f(day: field(str, pattern = r\"^\\\"d:\\d+$\") = r'\\'', n: int = 1): pass\n",
		[]string{"day:field(str, pattern = r\"^\\\"d:\\d+$\")", "n:int"}},
	{"triple-quoted strings", "def f(a: field(str, description = '''a: \"(\n ) = b\n''') = \"\"\"q:\n)\"\"\", b: int = 1): pass\n",
		[]string{"a:field(str, description = '''a: \"(⏎ ) = b⏎''')", "b:int"}},
	{"bytes", "def f(a: str = b'):', c: str = rb\"\\\":\", d: int = 1): pass\n", []string{"a:str", "c:str", "d:int"}},
	{"slices in defaults", "def f(a: str = s[1:2], b: int = {1: 2}[1], c: list = xs[:]): pass\n", []string{"a:str", "b:int", "c:list"}},
	{"def in text", "x = 'def f(a: int)'\n# def g(a: int): pass\ny = {'def': 1}\n\"\"\"\ndef h(a: int) -> str:\n\"\"\"\n", nil},
	{"unions", "def f(a: str | None = None, b: list[str | None] = []): pass\n", []string{"a:str | None", "b:list[str | None]"}},
	{"resolved parameters", "def f(title: str, stock: resolve(check, outcome = True), *, n: int = 1) -> Stock | None:\n    pass\n",
		[]string{"title:str", "stock:resolve(check, outcome = True)", "n:int", ":Stock | None"}},
	{"lambda in a type", "def f(a: field(list[int], factory = lambda: [1, 2]) = None, b: int = 1) -> schema({'x': lambda y: y}): pass\n",
		[]string{"a:field(list[int], factory = lambda: [1, 2])", "b:int", ":schema({'x': lambda y: y})"}},
	{"braces over several lines in a result", "def f(a) -> schema({\n  'type':\n    'object',\n}):\n  pass\n", []string{":schema({⏎  'type':⏎    'object',⏎})"}},
	{"numbers", "def f(a: field(float, ge = .5e-3, le = 0x1F) = 1.5E+3, b: int = 0b101): pass\n",
		[]string{"a:field(float, ge = .5e-3, le = 0x1F)", "b:int"}},
	{"inside if, for and while", "if x:\n  def f(a: int): pass\nelif y:\n  def g(a: int): pass\nelse:\n  def h(a: int): pass\nfor i in z:\n  def j(a: int): pass\nwhile x:\n  def k(a: int) -> str: pass\n",
		[]string{"a:int", "a:int", "a:int", "a:int", "a:int", ":str"}},
	{"no newline at the end", "def f(a: int): pass", []string{"a:int"}},
}

func TestRewriteKeepsTheWayPeopleWriteSignatures(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			text, annotations, problems := Rewrite("shop.star", []byte(form.src))
			require.Empty(t, problems)
			var got []string
			for _, a := range annotations {
				got = append(got, a.Param+":"+strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎").Replace(a.Text))
			}
			require.Equal(t, form.annotated, got)
			requireSameShape(t, form.src, string(text))
			requireNamesInPlace(t, form.src, text, annotations)
		})
	}
}

// requireSameShape says that no rune has moved to another line or column.
func requireSameShape(t *testing.T, src, text string) {
	t.Helper()
	require.Equal(t, utf8.RuneCountInString(src), utf8.RuneCountInString(text))
	from, to := []rune(src), []rune(text)
	for i := range from {
		if from[i] != to[i] && (from[i] == '\n' || from[i] == '\r' || !strings.ContainsRune(" ):,", to[i])) {
			require.Fail(t, "a rune was changed", "rune %d: %q became %q", i, from[i], to[i])
		}
	}
}

// requireNamesInPlace says that every name of src is found at its own place in
// the tree of text or in that of an annotation.
func requireNamesInPlace(t *testing.T, src string, text []byte, annotations []Annotation) {
	t.Helper()
	file, err := dialect.Parse("shop.star", text, 0)
	require.NoError(t, err, "%s", text)
	_, problems := Weave(file, annotations, dialect)
	require.Empty(t, problems)
	got := map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			got[fmt.Sprintf("%s at %d:%d", id.Name, id.NamePos.Line, id.NamePos.Col)] = true
		}
		return true
	})
	for name := range names(src) {
		require.True(t, got[name], "%s is not where it was in\n%s", name, text)
	}
}

// names are the identifiers of the source with their places.
func names(src string) map[string]bool {
	found := map[string]bool{}
	scan := tokens.New(src)
	for tok := scan.Next(); tok.Kind != tokens.EOF; tok = scan.Next() {
		if tok.Kind == tokens.Name && !tokens.Reserved(tok.Text) {
			found[fmt.Sprintf("%s at %d:%d", tok.Text, tok.Line, tok.Col)] = true
		}
	}
	return found
}

func TestAFileWithoutAnnotationsComesThroughUntouched(t *testing.T) {
	for _, src := range []string{
		"", "\n", "x = 1", "def f(a, b = 1, *c, d = lambda x: x, **e): return {1: 2}[a:b]\r\n",
		"\xff\xfe def f(\x80): pass\n", "x = \"def f(a: int)\"\n# -> str\n", "def", "def f", "def f(", "def f(a", "def (a: int): pass\n",
		"def class(a: int): pass\n", "for x in y: z[1:2]\n", "lambda a: b\n",
	} {
		text, annotations, problems := Rewrite("shop.star", []byte(src))
		require.Equal(t, src, string(text))
		require.Empty(t, annotations)
		require.Empty(t, problems)
	}
}

func TestBytesThatAreNoTextAreOneColumnEach(t *testing.T) {
	src := "def f(a: '\xff\xe6', b = '\xe6\x97'): pass\n"
	text, annotations, problems := Rewrite("shop.star", []byte(src))
	require.Empty(t, problems)
	require.Len(t, annotations, 1)
	require.Equal(t, "def f(a      , b = '\xe6\x97'): pass\n", string(text))
}

// hostile are inputs on which a rewriter that looks twice, or that nests, would
// take minutes or its whole stack.
var hostile = []struct{ name, unit string }{
	{"open signatures", "def f("},
	{"open signatures, a line each", "def f(\n"},
	{"open annotations", "def f(a: "},
	{"nested brackets", "["},
	{"an annotation of nested brackets", "def f(a:(["},
	{"stray brackets", ")]}"},
	{"mismatched brackets", "def f(a: [{) "},
	{"lambdas", "def f(a = lambda "},
	{"lambdas with colons", "lambda: "},
	{"quotes", "\""},
	{"open strings", "'''\\"},
	{"a string on every line", "def f(a: '\n"},
	{"colons", "def f(a:::: b"},
	{"arrows", "def f() -> "},
	{"arrows over lines", "def f() -> (\n"},
	{"continuations", "\\\n"},
	{"comments", "#"},
	{"no text", "\xff"},
	{"one annotation a line", "def f(a: int, b: str = 'x') -> str: pass\n"},
	{"commas", "def f(a: b c: d "},
	{"numbers", "0x"},
	{"dots", "1.e"},
	{"CR", "def f(a: x\r"},
}

// A megabyte of each is read at once. A second look at everything would take
// hours, so the bound can be wide.
func TestHostileInputTakesLinearTime(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			for prefix, size := range map[string]int{"": 1 << 20, "def f(a: ": 1 << 16, "def f(a = ": 1 << 16, "def f() -> (": 1 << 16} {
				src := prefix + strings.Repeat(h.unit, size/len(h.unit))
				start := time.Now()
				text, _, problems := Rewrite("shop.star", []byte(src))
				took := time.Since(start)
				require.Less(t, took, 2*time.Minute)
				require.Equal(t, utf8.RuneCountInString(src), utf8.RuneCount(text))
				require.LessOrEqual(t, len(problems), mostProblems)
				t.Logf("%d KB behind %q: %v", size>>10, prefix, took)
			}
		})
	}
}

func FuzzRewrite(f *testing.F) {
	for _, form := range forms {
		f.Add(form.src)
	}
	for _, h := range hostile {
		f.Add(strings.Repeat(h.unit, 3))
	}
	for _, chunk := range chunktest.Read(f, "testdata/problems.star") {
		f.Add(string(chunk.Source))
	}
	f.Fuzz(func(t *testing.T, src string) {
		if strings.Contains(src, "\x00") {
			return // the parser takes it for the end of the file; the loader refuses it
		}
		text, annotations, problems := Rewrite("shop.star", []byte(src))
		requireSameShape(t, src, string(text))
		for _, p := range problems {
			require.NotEmpty(t, p.Code)
			require.NotEmpty(t, p.Message)
			require.True(t, p.At.Span.Start.Line > 0 && p.At.Span.Start.Col > 0)
		}
		if _, err := dialect.Parse("shop.star", src, 0); err == nil {
			require.Equal(t, src, string(text), "a file that parses has no annotations")
		}
		file, err := dialect.Parse("shop.star", text, 0)
		if err != nil {
			return
		}
		_, more := Weave(file, annotations, dialect)
		DefaultTraps(file)
		if len(problems)+len(more) == 0 && !strings.Contains(src, "load") {
			got := map[string]bool{}
			syntax.Walk(file, func(n syntax.Node) bool {
				if id, ok := n.(*syntax.Ident); ok {
					got[fmt.Sprintf("%s at %d:%d", id.Name, id.NamePos.Line, id.NamePos.Col)] = true
				}
				return true
			})
			for name := range names(src) {
				require.True(t, got[name], name)
			}
		}
	})
}
