package cover

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A mark is a line of a file with a statement.
type mark struct {
	place
	line int
}

// instrument puts a call before each statement of a file.
func (c *Coverage) instrument(root, path string, f *syntax.File) {
	if strings.HasPrefix(path, "@") || strings.HasSuffix(path, "_test.star") {
		return // what ships with mcpstar, and the tests themselves
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := place{root, path}
	if c.files == nil {
		c.files, c.index = map[place]*file{}, map[mark]int{}
	}
	if c.files[at] == nil {
		c.files[at] = &file{lines: map[int]bool{}, asks: map[string]bool{}, computes: map[string]bool{}, declines: map[string]bool{}}
	}
	for _, stmt := range f.Stmts {
		if def, ok := stmt.(*syntax.DefStmt); ok {
			c.files[at].branches(def)
		}
	}
	f.Stmts = c.block(at, f.Stmts)
}

func (c *Coverage) block(at place, stmts []syntax.Stmt) []syntax.Stmt {
	var out []syntax.Stmt
	for _, stmt := range stmts {
		if !counts(stmt) {
			out = append(out, stmt)
			continue
		}
		switch s := stmt.(type) {
		case *syntax.DefStmt:
			s.Body = c.block(at, s.Body)
		case *syntax.IfStmt:
			s.True, s.False = c.block(at, s.True), c.block(at, s.False)
		case *syntax.ForStmt:
			s.Body = c.block(at, s.Body)
		case *syntax.WhileStmt:
			s.Body = c.block(at, s.Body)
		}
		start, _ := stmt.Span()
		out = append(out, c.call(mark{at, int(start.Line)}, start), stmt)
	}
	return out
}

// counts reports whether a statement is one that runs: not a docstring, a load,
// or what the loader has added.
func counts(stmt syntax.Stmt) bool {
	switch s := stmt.(type) {
	case *syntax.LoadStmt:
		return false
	case *syntax.ExprStmt:
		if _, text := s.X.(*syntax.Literal); text {
			return false
		}
		if call, ok := s.X.(*syntax.CallExpr); ok {
			if name, ok := call.Fn.(*syntax.Ident); ok && strings.HasPrefix(name.Name, "__") {
				return false
			}
		}
	}
	return true
}

// call is the statement that notes a mark.
func (c *Coverage) call(m mark, pos syntax.Position) syntax.Stmt {
	n, known := c.index[m]
	if !known {
		n = len(c.marks)
		c.index[m] = n
		c.marks = append(c.marks, m)
		if !c.files[m.place].lines[m.line] {
			c.files[m.place].lines[m.line] = false
		}
	}
	return &syntax.ExprStmt{X: &syntax.CallExpr{
		Fn:     &syntax.Ident{NamePos: pos, Name: word},
		Lparen: pos,
		Args:   []syntax.Expr{&syntax.Literal{Token: syntax.INT, TokenPos: pos, Raw: fmt.Sprint(n), Value: int64(n)}},
		Rparen: pos,
	}}
}

// hit is the word that statements call.
func (c *Coverage) hit(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	n, err := starlark.AsInt32(args[0])
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.marks[n]
	c.files[m.place].lines[m.line] = true
	return starlark.None, nil
}

// questions are the words that make one.
var questions = map[string]bool{"elicit": true, "elicit_url": true, "sample": true, "list_roots": true}

// branches notes whether a function can ask, and whether it can do without.
func (f *file) branches(def *syntax.DefStmt) {
	name := def.Name.Name
	returns := 0
	for _, stmt := range def.Body {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.DefStmt, *syntax.LambdaExpr:
				return false
			case *syntax.ReturnStmt:
				returns++
				asks, declines := asks(n.Result)
				f.asks[name] = f.asks[name] || asks
				f.declines[name] = f.declines[name] || declines
				f.computes[name] = f.computes[name] || !asks
			}
			return n != nil
		})
	}
	if returns == 0 {
		f.computes[name] = true
	}
}

// asks reports whether an expression makes a question, and one that a person can
// decline.
func asks(x syntax.Expr) (asks, declines bool) {
	if x == nil {
		return false, false
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			if fn, ok := call.Fn.(*syntax.Ident); ok && questions[fn.Name] {
				asks = true
				declines = declines || strings.HasPrefix(fn.Name, "elicit")
			}
		}
		return n != nil
	})
	return asks, declines
}
