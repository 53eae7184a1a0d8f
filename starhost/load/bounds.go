package load

import (
	"fmt"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// The interpreter's parser bounds how deep brackets and blocks nest. It does not
// bound rows: 1+1+1+... is a tree as deep as the row is long, and resolving or
// compiling it recurses until the process is out of stack, which nothing can
// recover from. So rows are counted on the tokens, before there is a tree.
const (
	// maxLinks is how many operators, calls, indexes and attributes may stand in
	// a row, with no comma and no bracket around them.
	maxLinks = 1000
	// maxElif is how many elif may follow one if.
	maxElif = 500
	// maxParams is how many parameters a function may have, which is as many as
	// the interpreter can pass.
	maxParams = 255
)

// tooLarge finds the rows of a file that are too long, annotations included.
func tooLarge(name string, text []byte) []*engine.Problem {
	var problems []*engine.Problem
	scan := tokens.New(string(text))
	r := &rows{name: name, links: []int{0}, fresh: true}
	for t := scan.Next(); t.Kind != tokens.EOF; t = scan.Next() {
		if p := r.take(t); p != nil { // all of them: what is not known here is parsed
			problems = append(problems, p)
		}
	}
	return problems
}

// rows counts rows, as the tokens of a file come by.
type rows struct {
	name  string
	links []int  // in each open bracket, and outside of all of them
	elifs []elif // of the blocks that are open
	last  tokens.Token
	fresh bool // the next token begins a line of code
}

type elif struct {
	col   int32
	count int
}

// take looks at one more token. It gives a problem when a row becomes too long.
func (r *rows) take(t tokens.Token) *engine.Problem {
	defer func() { r.last, r.fresh = t, t.Kind == tokens.Newline }()
	if r.fresh && t.Kind != tokens.Newline {
		if p := r.branch(t); p != nil {
			return p
		}
	}
	_, opens := t.Opens()
	switch {
	case t.Kind == tokens.Newline:
		r.links = append(r.links[:0], 0)
	case opens:
		var p *engine.Problem
		if r.last.EndsOperand() {
			p = r.link(t) // a call or an index
		}
		r.links = append(r.links, 0)
		return p
	case t.Closes():
		if len(r.links) > 1 {
			r.links = r.links[:len(r.links)-1]
		}
	case t.Is(","), t.Is(";"):
		r.links[len(r.links)-1] = 0
	case t.Kind == tokens.Punct, t.Kind == tokens.Name && tokens.Reserved(t.Text):
		return r.link(t)
	}
	return nil
}

func (r *rows) link(t tokens.Token) *engine.Problem {
	n := &r.links[len(r.links)-1]
	if *n++; *n != maxLinks+1 {
		return nil
	}
	return r.problem(t, fmt.Sprintf("this expression has more than %d parts in a row", maxLinks),
		"give parts of it names, or go over a list: `sum(xs)`, `\"\".join(xs)`, `[f(x) for x in xs]`")
}

// branch counts the elif of each if.
func (r *rows) branch(t tokens.Token) *engine.Problem {
	for len(r.elifs) > 0 {
		top := &r.elifs[len(r.elifs)-1]
		if top.col < t.Col || top.col == t.Col && (t.Is("elif") || t.Is("else")) {
			break
		}
		r.elifs = r.elifs[:len(r.elifs)-1]
	}
	if !t.Is("elif") {
		return nil
	}
	if len(r.elifs) == 0 || r.elifs[len(r.elifs)-1].col != t.Col {
		r.elifs = append(r.elifs, elif{col: t.Col})
	}
	top := &r.elifs[len(r.elifs)-1]
	if top.count++; top.count != maxElif+1 {
		return nil
	}
	return r.problem(t, fmt.Sprintf("this `if` has more than %d `elif`", maxElif), "look the value up in a dict: `TABLE.get(x, default)`")
}

func (r *rows) problem(t tokens.Token, message, help string) *engine.Problem {
	span := engine.At(syntax.MakePosition(&r.name, t.Line, t.Col), t.Text)
	return &engine.Problem{Code: "too-large", Message: message, At: engine.Label{Span: span, Text: "up to here"}, Help: help}
}

// crowded finds functions with too many parameters.
func crowded(file *syntax.File) []*engine.Problem {
	var problems []*engine.Problem
	note := func(what string, at syntax.Position, n int) {
		if n > maxParams {
			problems = append(problems, &engine.Problem{
				Code:    "too-large",
				Message: fmt.Sprintf("%s has %d parameters, and the limit is %d", what, n, maxParams),
				At:      engine.Label{Span: engine.At(at, what)},
				Help:    "take a model, a list or a dict instead",
			})
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			note(n.Name.Name, n.Name.NamePos, len(n.Params))
		case *syntax.LambdaExpr:
			note("lambda", n.Lambda, len(n.Params))
		}
		return true
	})
	return problems
}
