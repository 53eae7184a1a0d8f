package gates

import (
	"fmt"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/guard"
)

// operators are those of augmented assignments.
func operator(assign syntax.Token) (syntax.Token, bool) {
	switch assign {
	case syntax.PLUS_EQ:
		return syntax.PLUS, true
	case syntax.MINUS_EQ:
		return syntax.MINUS, true
	case syntax.STAR_EQ:
		return syntax.STAR, true
	case syntax.SLASH_EQ:
		return syntax.SLASH, true
	case syntax.SLASHSLASH_EQ:
		return syntax.SLASHSLASH, true
	case syntax.PERCENT_EQ:
		return syntax.PERCENT, true
	case syntax.AMP_EQ:
		return syntax.AMP, true
	case syntax.PIPE_EQ:
		return syntax.PIPE, true
	case syntax.CIRCUMFLEX_EQ:
		return syntax.CIRCUMFLEX, true
	case syntax.LTLT_EQ:
		return syntax.LTLT, true
	case syntax.GTGT_EQ:
		return syntax.GTGT, true
	}
	return 0, false
}

func (r *rewriter) assign(stmt *syntax.AssignStmt, s *scope) []syntax.Stmt {
	op, augmented := operator(stmt.Op)
	if !augmented {
		c := *stmt
		c.LHS = r.target(stmt.LHS, s)
		c.RHS = r.assigned(stmt, s)
		return []syntax.Stmt{&c}
	}
	if r.harmless(op, stmt.LHS, stmt.RHS, s) {
		c := *stmt
		c.LHS, c.RHS = r.target(stmt.LHS, s), r.expr(stmt.RHS, s)
		return []syntax.Stmt{&c}
	}
	switch lhs := unparen(stmt.LHS).(type) {
	case *syntax.Ident:
		old := &syntax.Ident{NamePos: lhs.NamePos, Name: lhs.Name}
		return []syntax.Stmt{r.set(stmt, lhs, old, op, s)}
	case *syntax.IndexExpr:
		x, bindX := r.temp(lhs.X, s)
		y, bindY := r.temp(lhs.Y, s)
		to := &syntax.IndexExpr{X: x(), Lbrack: lhs.Lbrack, Y: y(), Rbrack: lhs.Rbrack}
		from := &syntax.IndexExpr{X: x(), Lbrack: lhs.Lbrack, Y: y(), Rbrack: lhs.Rbrack}
		return []syntax.Stmt{bindX, bindY, r.set(stmt, to, from, op, s)}
	case *syntax.DotExpr:
		x, bind := r.temp(lhs.X, s)
		to := &syntax.DotExpr{X: x(), Dot: lhs.Dot, NamePos: lhs.NamePos, Name: lhs.Name}
		from := &syntax.DotExpr{X: x(), Dot: lhs.Dot, NamePos: lhs.NamePos, Name: lhs.Name}
		return []syntax.Stmt{bind, r.set(stmt, to, from, op, s)}
	}
	return []syntax.Stmt{stmt} // the interpreter refuses it
}

// set is to = from OP right, which in its place changes what from is, if that can
// be changed.
func (r *rewriter) set(stmt *syntax.AssignStmt, to, from syntax.Expr, op syntax.Token, s *scope) syntax.Stmt {
	value := s.pair(guard.Assign, guard.AssignApart, op, from, r.expr(stmt.RHS, s), stmt.OpPos)
	if op == syntax.LTLT {
		value = s.through(guard.Made, value, stmt.OpPos)
	}
	return &syntax.AssignStmt{OpPos: stmt.OpPos, Op: syntax.EQ, LHS: to, RHS: value}
}

// temp keeps the value of an expression in a variable, so that it is evaluated once.
func (r *rewriter) temp(e syntax.Expr, s *scope) (use func() syntax.Expr, bind syntax.Stmt) {
	r.temps++
	name, at := fmt.Sprintf("%s%d", guard.Local, r.temps), startOf(e)
	use = func() syntax.Expr { return &syntax.Ident{NamePos: at, Name: name} }
	return use, &syntax.AssignStmt{OpPos: at, Op: syntax.EQ, LHS: use(), RHS: r.expr(e, s)}
}

// assigned is the right side of an assignment. A tuple that is taken apart at
// once is never seen.
func (r *rewriter) assigned(stmt *syntax.AssignStmt, s *scope) syntax.Expr {
	switch unparen(stmt.LHS).(type) {
	case *syntax.TupleExpr, *syntax.ListExpr:
		if t, ok := unparen(stmt.RHS).(*syntax.TupleExpr); ok {
			c := *t
			c.List = r.exprs(t.List, s)
			return &c
		}
	}
	return r.expr(stmt.RHS, s)
}
