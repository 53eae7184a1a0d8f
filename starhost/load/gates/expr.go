package gates

import (
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/guard"
)

func (r *rewriter) exprs(list []syntax.Expr, s *scope) []syntax.Expr {
	if list == nil {
		return nil
	}
	out := make([]syntax.Expr, len(list))
	for i, e := range list {
		out[i] = r.expr(e, s)
	}
	return out
}

// optional rewrites an expression that may be absent.
func (r *rewriter) optional(e syntax.Expr, s *scope) syntax.Expr {
	if e == nil {
		return nil
	}
	return r.expr(e, s)
}

func (r *rewriter) expr(e syntax.Expr, s *scope) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		return r.binary(e, s)
	case *syntax.CallExpr:
		return r.call(e, s)
	case *syntax.Comprehension:
		return r.comprehension(e, s)
	case *syntax.CondExpr:
		c := *e
		c.Cond, c.True, c.False = r.expr(e.Cond, s), r.expr(e.True, s), r.expr(e.False, s)
		return &c
	case *syntax.DictEntry:
		c := *e
		c.Key, c.Value = r.expr(e.Key, s), r.expr(e.Value, s)
		return &c
	case *syntax.DictExpr:
		c := *e
		c.List = r.exprs(e.List, s)
		return &c
	case *syntax.DotExpr:
		c := *e
		c.X = r.expr(e.X, s)
		if guard.Methods(e.Name.Name) {
			return s.through(guard.Method, &c, e.Dot)
		}
		return &c
	case *syntax.IndexExpr:
		c := *e
		c.X, c.Y = r.expr(e.X, s), r.expr(e.Y, s)
		return &c
	case *syntax.LambdaExpr:
		return r.lambda(e, s)
	case *syntax.ListExpr:
		c := *e
		c.List = r.exprs(e.List, s)
		return &c
	case *syntax.ParenExpr:
		c := *e
		c.X = r.expr(e.X, s)
		return &c
	case *syntax.SliceExpr:
		c := *e
		c.X = r.expr(e.X, s)
		c.Lo, c.Hi, c.Step = r.optional(e.Lo, s), r.optional(e.Hi, s), r.optional(e.Step, s)
		return s.through(guard.Made, &c, e.Lbrack)
	case *syntax.TupleExpr:
		c := *e
		c.List = r.exprs(e.List, s)
		if r.allConstant(e.List, s) {
			return &c
		}
		return s.through(guard.Shared, &syntax.ParenExpr{Lparen: startOf(e), X: &c, Rparen: syntax.End(e)}, startOf(e))
	case *syntax.UnaryExpr:
		c := *e
		c.X = r.optional(e.X, s)
		return &c
	}
	return e // names and constants
}

func (r *rewriter) allConstant(list []syntax.Expr, s *scope) bool {
	for _, e := range list {
		if !r.constant(e, s) {
			return false
		}
	}
	return true
}

// constant reports whether comparing e, or holding it, is no matter.
func (r *rewriter) constant(e syntax.Expr, s *scope) bool {
	switch e := unparen(e).(type) {
	case *syntax.Literal:
		return true
	case *syntax.Ident:
		if (e.Name == "None" || e.Name == "True" || e.Name == "False") && !r.bound[e.Name] {
			return true
		}
	case *syntax.ListExpr:
		return len(e.List) == 0
	case *syntax.TupleExpr:
		return len(e.List) == 0
	case *syntax.DictExpr:
		return len(e.List) == 0
	}
	return r.number(e, s)
}

func (r *rewriter) isNone(e syntax.Expr) bool {
	id, ok := unparen(e).(*syntax.Ident)
	return ok && id.Name == "None" && !r.bound["None"]
}

// writtenOut reports whether e is written out as constants.
func (r *rewriter) writtenOut(e syntax.Expr, s *scope) bool {
	switch e := unparen(e).(type) {
	case *syntax.ListExpr:
		return r.allConstant(e.List, s)
	case *syntax.TupleExpr:
		return r.allConstant(e.List, s)
	}
	return false
}

func (r *rewriter) binary(e *syntax.BinaryExpr, s *scope) syntax.Expr {
	x, y := r.expr(e.X, s), r.expr(e.Y, s)
	if carrier, ok := guard.CarrierOf(e.Op); ok {
		in := e.Op == syntax.IN || e.Op == syntax.NOT_IN
		if r.constant(e.X, s) || !in && r.constant(e.Y, s) || in && r.writtenOut(e.Y, s) {
			return &syntax.BinaryExpr{X: x, OpPos: e.OpPos, Op: e.Op, Y: y}
		}
		return s.pair(guard.Compare, guard.CompareApart, carrier, x, y, e.OpPos)
	}
	bare := &syntax.BinaryExpr{X: x, OpPos: e.OpPos, Op: e.Op, Y: y}
	if r.harmless(e.Op, e.X, e.Y, s) {
		return bare
	}
	switch e.Op {
	case syntax.MINUS, syntax.AMP, syntax.CIRCUMFLEX:
		return s.through(guard.Made, bare, e.OpPos) // of sets, no more than they held
	case syntax.PERCENT:
		if r.number(e.Y, s) {
			return s.through(guard.Made, bare, e.OpPos) // a text, little longer than x
		}
	case syntax.LTLT:
		return s.through(guard.Made, bare, e.OpPos) // by 511 bits at most
	case syntax.STAR:
		if r.number(e.X, s) && r.number(e.Y, s) {
			return s.through(guard.Made, bare, e.OpPos) // twice as long at most
		}
	}
	return s.pair(guard.Pair, guard.PairApart, e.Op, x, y, e.OpPos)
}

// harmless reports whether x OP y makes nothing, or nothing that is worth a
// guard. A sum of numbers grows by a bit, and it would take more steps than
// there are to make that much.
func (r *rewriter) harmless(op syntax.Token, x, y syntax.Expr, s *scope) bool {
	switch op {
	case syntax.PIPE: // str | None is a type
		return r.number(x, s) || r.number(y, s) || r.isNone(x) || r.isNone(y)
	case syntax.PLUS:
		return r.number(x, s) || r.number(y, s) || writtenText(x, fewPieces) && writtenText(y, fewPieces)
	case syntax.MINUS, syntax.AMP, syntax.CIRCUMFLEX:
		return r.number(x, s) || r.number(y, s)
	case syntax.STAR:
		return r.number(x, s) && r.number(y, s) && (smallLiteral(x) || smallLiteral(y))
	case syntax.PERCENT:
		return r.number(x, s)
	case syntax.LTLT:
		return smallLiteral(x) && smallLiteral(y)
	case syntax.AND, syntax.OR, syntax.SLASH, syntax.SLASHSLASH, syntax.GTGT, syntax.EQ:
		return true
	}
	return false
}

// fewPieces is how many pieces a text may be written in to be left alone.
const fewPieces = 50

// writtenText reports whether e is text that is written out, in some pieces.
func writtenText(e syntax.Expr, pieces int) bool {
	switch e := unparen(e).(type) {
	case *syntax.Literal:
		return e.Token == syntax.STRING || e.Token == syntax.BYTES
	case *syntax.BinaryExpr:
		return pieces > 1 && e.Op == syntax.PLUS && writtenText(e.Y, pieces-1) && writtenText(e.X, pieces-1)
	}
	return false
}

// smallLiteral reports whether e is a number of 64 bits that is written out.
func smallLiteral(e syntax.Expr) bool {
	switch e := unparen(e).(type) {
	case *syntax.Literal:
		switch e.Value.(type) {
		case int64, float64:
			return true
		}
	case *syntax.UnaryExpr:
		return e.X != nil && smallLiteral(e.X)
	}
	return false
}

func (r *rewriter) call(e *syntax.CallExpr, s *scope) syntax.Expr {
	c := *e
	c.Fn = r.expr(e.Fn, s)
	c.Args = make([]syntax.Expr, len(e.Args))
	for i, arg := range e.Args {
		switch arg := arg.(type) {
		case *syntax.BinaryExpr:
			if arg.Op == syntax.EQ { // name = value
				named := *arg
				named.Y = r.expr(arg.Y, s)
				c.Args[i] = &named
				continue
			}
		case *syntax.UnaryExpr:
			if arg.Op == syntax.STAR {
				spread := *arg
				spread.X = s.through(guard.Spread, r.expr(arg.X, s), arg.OpPos)
				c.Args[i] = &spread
				continue
			}
		}
		c.Args[i] = r.expr(arg, s)
	}
	return &c
}

// lambda has no body to keep a gate in, so each guard in it gets the gate itself.
// What *args holds is looked at first: [GATE % args, body][1].
func (r *rewriter) lambda(e *syntax.LambdaExpr, s *scope) syntax.Expr {
	c := *e
	c.Params = r.params(e.Params, s)
	inner := r.scope(s, inLambda, nil, e.Params)
	c.Body = r.expr(e.Body, inner)
	if rest := restOf(e.Params); rest != nil {
		at := rest.NamePos
		check := inner.through(guard.Shared, &syntax.Ident{NamePos: at, Name: rest.Name}, at)
		c.Body = &syntax.IndexExpr{
			X:      &syntax.ListExpr{Lbrack: at, List: []syntax.Expr{check, c.Body}, Rbrack: at},
			Lbrack: at,
			Y:      &syntax.Literal{Token: syntax.INT, TokenPos: at, Raw: "1", Value: int64(1)},
			Rbrack: at,
		}
	}
	return &c
}

func (r *rewriter) comprehension(e *syntax.Comprehension, s *scope) syntax.Expr {
	c := *e
	inner := r.clauses(s, e.Clauses)
	c.Clauses = make([]syntax.Node, len(e.Clauses))
	for i, clause := range e.Clauses {
		switch clause := clause.(type) {
		case *syntax.ForClause:
			f := *clause
			from := inner
			if i == 0 {
				from = s
			}
			f.Vars, f.X = r.target(clause.Vars, inner), r.expr(clause.X, from)
			c.Clauses[i] = &f
		case *syntax.IfClause:
			f := *clause
			f.Cond = r.expr(clause.Cond, inner)
			c.Clauses[i] = &f
		}
	}
	c.Body = r.expr(e.Body, inner)
	return &c
}
