package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// checkDoc reports documented parameters that do not exist.
func (l *loader) checkDoc(fn *starlark.Function, g *graph.Func, doc *declare.Doc) {
	var names []string
	for _, p := range g.Params {
		names = append(names, p.Name)
	}
	for _, d := range doc.Params {
		if slices.Contains(names, d.Name) {
			continue
		}
		help := engine.DidYouMean(d.Name, names)
		if help == "" {
			help = "describe only parameters that are there"
		}
		l.report(&engine.Problem{
			Code:    "unknown-doc",
			Message: fmt.Sprintf("the docstring of %s() describes %q, which is not a parameter", fn.Name(), d.Name),
			At:      engine.Label{Span: l.docSpan(fn, g, d.Name)},
			Help:    help,
		})
	}
}

// docSpan is where a docstring describes a parameter, or the function's name where
// that can't be told.
func (l *loader) docSpan(fn *starlark.Function, g *graph.Func, name string) engine.Span {
	lit := l.docstring(fn)
	if lit == nil {
		return g.Span
	}
	entry := regexp.MustCompile(`^\s*\*{0,2}` + regexp.QuoteMeta(name) + `\s*(?:\([^)]*\))?\s*:`)
	for i, line := range strings.Split(lit.Raw, "\n") {
		if !entry.MatchString(line) {
			continue
		}
		pos := lit.TokenPos
		pos.Line += int32(i)
		if i > 0 {
			pos.Col = 1
		}
		pos.Col += int32(utf8.RuneCountInString(line[:strings.Index(line, name)]))
		return engine.At(pos, name)
	}
	return g.Span
}

func (l *loader) docstring(fn *starlark.Function) *syntax.Literal {
	m := l.modules[fn.Position().Filename()]
	if m == nil {
		return nil
	}
	def := m.defs[placeOf(fn.Position())]
	if def == nil || len(def.Body) == 0 {
		return nil
	}
	stmt, ok := def.Body[0].(*syntax.ExprStmt)
	if !ok {
		return nil
	}
	lit, _ := stmt.X.(*syntax.Literal)
	return lit
}
