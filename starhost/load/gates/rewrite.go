package gates

import (
	"slices"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/guard"
)

// Rewrite gives a copy of a file in which guarded operations go by gates. The
// file must not have been resolved yet. The copy shares its names and constants
// with the file, so that resolving the copy binds the names of both.
func Rewrite(file *syntax.File) *syntax.File {
	r := &rewriter{bound: boundNames(file)}
	top := r.scope(nil, inFile, file.Stmts, nil)
	copied := *file
	copied.Stmts = r.block(file.Stmts, top)
	if top.used {
		copied.Stmts = withGate(copied.Stmts, startOf(file))
	}
	return &copied
}

func startOf(n syntax.Node) syntax.Position {
	start, _ := n.Span()
	return start
}

type rewriter struct {
	bound map[string]bool // names that the file gives another meaning
	temps int
}

// withGate puts GATE = ENTER() at the beginning of a body, behind its docstring.
func withGate(body []syntax.Stmt, at syntax.Position) []syntax.Stmt {
	enter := &syntax.AssignStmt{
		OpPos: at,
		Op:    syntax.EQ,
		LHS:   &syntax.Ident{NamePos: at, Name: guard.Local},
		RHS:   enterCall(at),
	}
	first := 0
	if len(body) > 0 && isDoc(body[0]) {
		first = 1
	}
	return slices.Insert(slices.Clone(body), first, syntax.Stmt(enter))
}

func isDoc(stmt syntax.Stmt) bool {
	e, ok := stmt.(*syntax.ExprStmt)
	if !ok {
		return false
	}
	lit, ok := e.X.(*syntax.Literal)
	return ok && lit.Token == syntax.STRING
}

func enterCall(at syntax.Position) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: guard.Enter}, Lparen: at, Rparen: at}
}

// gate is the expression that gives the gate in a scope.
func (s *scope) gate(at syntax.Position) syntax.Expr {
	if s.kind == inLambda {
		return enterCall(at)
	}
	s.owner().used = true
	return &syntax.Ident{NamePos: at, Name: guard.Local}
}

// through is GATE OP x. It has the span of x, and errors at pos.
func (s *scope) through(op syntax.Token, x syntax.Expr, pos syntax.Position) syntax.Expr {
	return &syntax.BinaryExpr{X: s.gate(startOf(x)), OpPos: pos, Op: op, Y: x}
}

// pair is (GATE OP x) OP2 y. apart is for a y whose evaluation may use the gate.
func (s *scope) pair(op, apart, then syntax.Token, x, y syntax.Expr, pos syntax.Position) syntax.Expr {
	if !plain(y) {
		op = apart
	}
	return &syntax.BinaryExpr{X: s.through(op, x, pos), OpPos: pos, Op: then, Y: y}
}

// plain reports whether evaluating e runs nothing.
func plain(e syntax.Expr) bool {
	switch e := unparen(e).(type) {
	case *syntax.Ident, *syntax.Literal:
		return true
	case *syntax.UnaryExpr:
		return e.X != nil && plain(e.X)
	}
	return false
}

func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}

func (r *rewriter) block(stmts []syntax.Stmt, s *scope) []syntax.Stmt {
	var out []syntax.Stmt
	for _, stmt := range stmts {
		out = append(out, r.stmt(stmt, s)...)
	}
	return out
}

func (r *rewriter) stmt(stmt syntax.Stmt, s *scope) []syntax.Stmt {
	switch stmt := stmt.(type) {
	case *syntax.AssignStmt:
		return r.assign(stmt, s)
	case *syntax.DefStmt:
		c := *stmt
		c.Params = r.params(stmt.Params, s)
		inner := r.scope(s, inDef, stmt.Body, stmt.Params)
		c.Body = r.block(stmt.Body, inner)
		if rest := restOf(stmt.Params); rest != nil {
			check := &syntax.ExprStmt{X: inner.through(guard.Shared, &syntax.Ident{NamePos: rest.NamePos, Name: rest.Name}, rest.NamePos)}
			first := 0
			if isDoc(c.Body[0]) {
				first = 1
			}
			c.Body = slices.Insert(c.Body, first, syntax.Stmt(check))
		}
		if inner.used {
			c.Body = withGate(c.Body, stmt.Def)
		}
		return []syntax.Stmt{&c}
	case *syntax.ExprStmt:
		c := *stmt
		c.X = r.expr(stmt.X, s)
		return []syntax.Stmt{&c}
	case *syntax.ForStmt:
		c := *stmt
		c.Vars = r.target(stmt.Vars, s)
		c.X = r.expr(stmt.X, s)
		c.Body = r.block(stmt.Body, s)
		return []syntax.Stmt{&c}
	case *syntax.WhileStmt:
		c := *stmt
		c.Cond = r.expr(stmt.Cond, s)
		c.Body = r.block(stmt.Body, s)
		return []syntax.Stmt{&c}
	case *syntax.IfStmt:
		c := *stmt
		c.Cond = r.expr(stmt.Cond, s)
		c.True = r.block(stmt.True, s)
		c.False = r.block(stmt.False, s)
		return []syntax.Stmt{&c}
	case *syntax.ReturnStmt:
		c := *stmt
		if stmt.Result != nil {
			c.Result = r.expr(stmt.Result, s)
		}
		return []syntax.Stmt{&c}
	}
	return []syntax.Stmt{stmt} // load, pass, break, continue
}

// params rewrites the default values of parameters, which belong to the scope
// around the function.
func (r *rewriter) params(params []syntax.Expr, s *scope) []syntax.Expr {
	out := slices.Clone(params)
	for i, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			c := *b
			c.Y = r.expr(b.Y, s)
			out[i] = &c
		}
	}
	return out
}

// restOf is the name of *args, or nil.
func restOf(params []syntax.Expr) *syntax.Ident {
	for _, p := range params {
		if u, ok := p.(*syntax.UnaryExpr); ok && u.Op == syntax.STAR && u.X != nil {
			if id, ok := u.X.(*syntax.Ident); ok {
				return id
			}
		}
	}
	return nil
}

// target rewrites what is assigned to.
func (r *rewriter) target(e syntax.Expr, s *scope) syntax.Expr {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		c := *e
		c.X = r.target(e.X, s)
		return &c
	case *syntax.TupleExpr:
		c := *e
		c.List = r.targets(e.List, s)
		return &c
	case *syntax.ListExpr:
		c := *e
		c.List = r.targets(e.List, s)
		return &c
	case *syntax.IndexExpr:
		c := *e
		c.X, c.Y = r.expr(e.X, s), r.expr(e.Y, s)
		return &c
	case *syntax.DotExpr:
		c := *e
		c.X = r.expr(e.X, s)
		return &c
	}
	return e
}

func (r *rewriter) targets(list []syntax.Expr, s *scope) []syntax.Expr {
	out := make([]syntax.Expr, len(list))
	for i, e := range list {
		out[i] = r.target(e, s)
	}
	return out
}
