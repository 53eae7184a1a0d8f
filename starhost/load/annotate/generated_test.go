package annotate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/syntax"
)

// On 200 generated files the places of all names are those that the generator
// wrote them at, and every annotation is found. The generator counts lines and
// columns itself, so that it shares no mistake with the scanner.
func TestNamesOfGeneratedFilesKeepTheirPlaces(t *testing.T) {
	annotated := 0
	for seed := range uint64(200) {
		g := &generator{rand: rand.New(rand.NewPCG(seed, 1)), line: 1, col: 1}
		g.eol = []string{"\n", "\n", "\r\n", "\r"}[g.n(4)]
		g.block(0, 0)
		src := g.out.String()

		text, annotations, problems := Rewrite("shop.star", []byte(src))
		require.Empty(t, problems, "seed %d:\n%s", seed, src)
		require.Len(t, annotations, g.annotations, "seed %d:\n%s", seed, src)
		requireSameShape(t, src, string(text))
		annotated += len(annotations)

		file, err := dialect.Parse("shop.star", text, 0)
		require.NoError(t, err, "seed %d:\n%s\nbecame\n%s", seed, src, text)
		added := map[syntax.Node]bool{}
		_, problems = Weave(file, annotations, dialect)
		require.Empty(t, problems, "seed %d:\n%s", seed, src)
		var got []string
		syntax.Walk(file, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok {
				if fn, ok := call.Fn.(*syntax.Ident); ok && fn.Name == Builtin {
					added[fn], added[call.Args[0]] = true, true // the names that Weave itself adds
				}
			}
			if id, ok := n.(*syntax.Ident); ok && !added[n] {
				got = append(got, fmt.Sprintf("%s at %d:%d", id.Name, id.NamePos.Line, id.NamePos.Col))
			}
			return true
		})
		slices.Sort(got)
		slices.Sort(g.names)
		require.Equal(t, g.names, got, "seed %d:\n%s", seed, src)
	}
	require.Greater(t, annotated, 1000, "the generator writes too few annotations to show anything")
}

// A generator writes a random script that parses, and knows where every name is.
type generator struct {
	rand        *rand.Rand
	eol         string
	out         strings.Builder
	line, col   int
	count       int
	names       []string
	annotations int
}

func (g *generator) n(n int) int             { return g.rand.IntN(n) }
func (g *generator) one(of ...string) string { return of[g.n(len(of))] }

func (g *generator) write(text string) {
	text = strings.ReplaceAll(text, "\n", g.eol)
	g.out.WriteString(text)
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], g.eol):
			g.line, g.col = g.line+1, 1
			i += len(g.eol)
		default:
			if text[i]&0xC0 != 0x80 { // the first byte of a rune
				g.col++
			}
			i++
		}
	}
}

func (g *generator) name() string {
	g.count++
	name := g.one("a", "value", "größe", "名前", "_x", "rb", "definition") + fmt.Sprint("_", g.count)
	g.names = append(g.names, fmt.Sprintf("%s at %d:%d", name, g.line, g.col))
	g.write(name)
	return name
}

// gap is space inside brackets, where anything goes.
func (g *generator) gap() {
	switch g.n(12) {
	case 0:
		g.write("\n  ")
	case 1:
		g.write("  # a: str = 'b', ) -> \"c: \n\t")
	case 2:
		g.write(" \\\n ")
	case 3:
		g.write("\t")
	case 4, 5, 6:
		g.write(" ")
	case 7:
		g.write("\n\n")
	}
}

func (g *generator) literal() {
	g.write(g.one("1", "0x1F", "2.5e-3", ".5", `"a: b"`, `'):'`, `r'\''`, `b"\":"`, `rb'->'`, `""`, `"日本"`,
		"'''one\n) -> \"two\":\n'''", `"""a"b""c"""`, "None", "True"))
	if s := g.out.String(); strings.HasSuffix(s, "None") || strings.HasSuffix(s, "True") {
		g.names = append(g.names, fmt.Sprintf("%s at %d:%d", s[len(s)-4:], g.line, g.col-4))
	}
}

// expr writes an expression for within brackets.
func (g *generator) expr(deep int) {
	kind := g.n(14)
	if deep > 3 {
		kind = g.n(2)
	}
	two := func(op string) {
		g.expr(deep + 1)
		g.gap()
		g.write(" " + op + " ")
		g.gap()
		g.expr(deep + 1)
	}
	list := func(open, closing string) {
		g.write(open)
		for range g.n(3) {
			g.gap()
			g.expr(deep + 1)
			g.gap()
			g.write(",")
		}
		g.gap()
		g.write(closing)
	}
	switch kind {
	case 0:
		g.literal()
	case 1:
		g.name()
	case 2:
		g.write("(")
		two(g.one("or", "and", "|", "+", "%", "not in", "==", "!=", "<=", "//", "<<", ">"))
		g.write(")")
	case 3:
		list("[", "]")
	case 4:
		g.write("{")
		for range g.n(3) {
			g.gap()
			g.expr(deep + 1)
			g.write(":")
			g.gap()
			g.expr(deep + 1)
			g.write(",")
		}
		g.write("}")
	case 5:
		g.name()
		list("(", ")")
	case 6:
		g.name()
		g.write("[")
		g.expr(deep + 1)
		g.write(":")
		g.write("]")
	case 7:
		g.write("(not ")
		g.expr(deep + 1)
		g.write(")")
	case 8:
		g.write("(lambda ")
		g.name()
		g.write(", ")
		g.name()
		g.write(" = ")
		g.expr(deep + 1)
		g.write(": ")
		g.expr(deep + 1)
		g.write(")")
	case 9:
		g.write("(")
		two("if")
		g.write(" else ")
		g.expr(deep + 1)
		g.write(")")
	case 10:
		g.name()
		g.write(".")
		g.name()
	case 11:
		g.name()
		g.write("(")
		g.name()
		g.write(" = ")
		g.expr(deep + 1)
		g.write(")")
	case 12:
		g.write("[")
		g.expr(deep + 1)
		g.write(" for ")
		g.name()
		g.write(" in ")
		g.name()
		g.write("]")
	case 13:
		g.name()
		g.write("[")
		g.gap()
		g.expr(deep + 1)
		g.gap()
		g.write("]")
	}
}

// dflt writes a default value, also in the forms that need no brackets.
func (g *generator) dflt() {
	switch g.n(5) {
	case 0:
		g.write("not ")
		g.expr(1)
	case 1:
		g.write("lambda ")
		g.name()
		g.write(", ")
		g.name()
		g.write(" = lambda: ")
		g.expr(2)
		g.write(": ")
		g.expr(1)
	case 2:
		g.expr(1)
		g.write(" if ")
		g.expr(1)
		g.write(" else ")
		g.expr(1)
	default:
		g.expr(0)
	}
}

func (g *generator) annotation() {
	if g.n(3) == 0 {
		return
	}
	g.annotations++
	g.gap()
	g.write(":")
	g.gap()
	g.expr(0)
	if g.n(3) == 0 {
		g.gap()
		g.write(" | ")
		g.gap()
		g.expr(1)
	}
}

func (g *generator) def(indent, deep int) {
	g.write("def" + g.one(" ", "  ", "\t"))
	g.name()
	g.write("(")
	for range g.n(4) {
		g.gap()
		g.name()
		g.annotation()
		g.gap()
		g.write(",")
	}
	if g.n(2) == 0 {
		g.write("*")
		g.gap()
		g.name()
		g.annotation()
		g.gap()
		g.write(",")
	}
	for range g.n(3) {
		g.gap()
		g.name()
		g.annotation()
		g.gap()
		g.write("=")
		g.gap()
		g.dflt()
		g.gap()
		g.write(",")
	}
	if g.n(3) == 0 {
		g.write("**")
		g.name()
		g.annotation()
	}
	g.gap()
	g.write(")")
	if g.n(2) == 0 {
		g.annotations++
		g.write(g.one("->", " -> ", "\t->", " \\\n -> \\\n "))
		g.expr(0)
		g.write(g.one("", " ", " \\\n"))
	}
	g.write(":")
	g.suite(indent, deep)
}

func (g *generator) suite(indent, deep int) {
	if g.n(4) == 0 {
		g.write(g.one("", " ") + "return ")
		g.expr(2)
		g.write("\n")
		return
	}
	g.write(g.one("", "  # note: int") + "\n")
	g.block(indent+2, deep+1)
}

func (g *generator) block(indent, deep int) {
	for range 1 + g.n(5-min(deep, 3)) {
		g.write(strings.Repeat(" ", indent))
		kind := g.n(8)
		if deep > 3 {
			kind = 0
		}
		switch kind {
		case 0, 1:
			g.name()
			g.write(" = ")
			g.expr(0)
			g.write(g.one("", "  # def f(a: int)") + "\n")
		case 2:
			g.write("if ")
			g.expr(1)
			g.write(":")
			g.suite(indent, deep)
			g.write(strings.Repeat(" ", indent) + "else:")
			g.suite(indent, deep)
		case 3:
			g.write("for ")
			g.name()
			g.write(" in ")
			g.expr(1)
			g.write(":")
			g.suite(indent, deep)
		case 4:
			g.write("while ")
			g.expr(1)
			g.write(":")
			g.suite(indent, deep)
		default:
			g.def(indent, deep)
		}
		g.write(g.one("", "\n", "# def g(b: str):\n"))
	}
}
