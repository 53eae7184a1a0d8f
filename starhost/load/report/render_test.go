package report_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

const shop = `Stock = model(title = str, copies = int)

def check_stock(titel) -> Stock:
    return Stock(title = titel, copies = 1)

def price(vat: resolve(discount), title: str) -> float:
    return 1.0

def discount(member: resolve(loyalty)):
    return 0

def loyalty(p: resolve(price)):
    return p

def reserve_book(title: str, stock: resolve(check_stock)):
    """Reserve."""
    return "ok"

tool(reserve_book, readonly = True)
tool(
    price,
    name = "price",
)
tool(price, name = "price")
`

func pos(name string, line, col int32) syntax.Position {
	return syntax.MakePosition(&name, line, col)
}

// find is a label for the n-th place, from 1, at which a source has some text.
func find(name, source, text string, n int, label string) engine.Label {
	at := 0
	for i := range n {
		next := strings.Index(source[at:], text)
		if next < 0 {
			panic("no " + text + " in " + name)
		}
		at += next
		if i < n-1 {
			at += len(text)
		}
	}
	start := pos(name, 1, 1)
	advance(&start, source[:at])
	end := start
	advance(&end, text)
	return engine.Label{Span: engine.Span{Start: start, End: end}, Text: label}
}

func advance(p *syntax.Position, text string) {
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		p.Col++
		if r == '\n' || r == '\r' {
			p.Line, p.Col = p.Line+1, 1
		}
	}
}

func in(text string, n int, label string) engine.Label {
	return find("shop.star", shop, text, n, label)
}

// quote is a problem of one line, found at text.
func quote(line, text, label string) ([]*engine.Problem, report.Sources) {
	return []*engine.Problem{{Code: "code", Message: "message", At: find("a.star", line, text, 1, label)}},
		report.Sources{"a.star": line}
}

func render(t testing.TB, problems []*engine.Problem, src report.Sources, opts report.Options) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, report.Render(&b, problems, src, opts))
	return b.String()
}

// golden compares text with a file in testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err, "run the tests with -update to write it")
	require.Equal(t, string(want), text)
}

func shopProblems() []*engine.Problem {
	return []*engine.Problem{
		{
			Code:    "unknown-parameter",
			Message: `resolver check_stock() wants "titel", which is not an argument of tool reserve_book`,
			At:      in("titel", 1, "no argument of that name"),
			Also:    []engine.Label{in("title", 4, "the tool's argument")},
			Help:    "did you mean title?",
		},
		{
			Code:    "cycle",
			Message: "resolvers depend on each other: price -> discount -> loyalty -> price",
			At:      in("resolve(discount)", 1, "price needs discount"),
			Also: []engine.Label{
				in("resolve(loyalty)", 1, "discount needs loyalty"),
				in("resolve(price)", 1, "loyalty needs price"),
			},
			Notes: []string{"reached from tool price"},
		},
		{
			Code:    "option",
			Message: `tool() has no option "readonly"`,
			At:      in("readonly", 1, ""),
			Help:    "did you mean read_only?",
			Warning: true,
		},
		{
			Code:    "duplicate",
			Message: "two tools are named price",
			At:      in(`tool(price, name = "price")`, 1, "declared again"),
			Also:    []engine.Label{in("tool(\n    price,\n    name = \"price\",\n)", 1, "first declared here")},
			Notes:   []string{"a client could not tell them apart", "names count, not functions:\n\n    tool(a, name = \"x\")"},
			Help:    "give one of them another name:\n    tool(price, name = \"price_2\")",
		},
	}
}

func TestReport(t *testing.T) {
	src := report.Sources{"shop.star": shop}
	golden(t, "shop.txt", render(t, shopProblems(), src, report.Options{}))
	golden(t, "shop-color.txt", render(t, shopProblems(), src, report.Options{Color: true}))
}

func TestNoProblemsGiveNoReport(t *testing.T) {
	require.Empty(t, render(t, nil, nil, report.Options{Color: true}))
}

func TestWritersErrorIsReturned(t *testing.T) {
	broken := errors.New("broken pipe")
	require.ErrorIs(t, report.Render(failing{broken}, shopProblems(), nil, report.Options{}), broken)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
