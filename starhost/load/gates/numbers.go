package gates

import (
	"go.starlark.net/syntax"
)

// A scope is where names are bound: a file, a function, a lambda, or a
// comprehension in one of them.
type scope struct {
	outer *scope
	kind  scopeKind
	// numbers says of each name bound here whether it is surely a number.
	numbers map[string]bool
	known   map[syntax.Expr]bool
	used    bool // its gate is
}

type scopeKind int

const (
	inFile scopeKind = iota
	inDef
	inLambda
	inComprehension
)

// owner is the scope whose body the code of s runs in.
func (s *scope) owner() *scope {
	for s.kind == inComprehension {
		s = s.outer
	}
	return s
}

// A source is one way in which a name gets its value: an expression, or another
// one, which may give anything or surely gives numbers.
type source struct {
	expr   syntax.Expr
	number bool
}

// passes bounds the search for names that are surely numbers. Few scripts need
// three.
const passes = 8

// scope finds what is bound in a body, and which of that is surely a number.
func (r *rewriter) scope(outer *scope, kind scopeKind, body []syntax.Stmt, params []syntax.Expr) *scope {
	b := binder{r: r, sources: map[string][]source{}}
	for _, p := range params {
		b.param(p)
	}
	b.stmts(body)
	return r.settle(outer, kind, b.sources)
}

// clauses is the scope of a comprehension. In a lambda it is a lambda's too.
func (r *rewriter) clauses(outer *scope, clauses []syntax.Node) *scope {
	b := binder{r: r, sources: map[string][]source{}}
	for _, c := range clauses {
		if f, ok := c.(*syntax.ForClause); ok {
			b.loop(f.Vars, f.X)
		}
	}
	kind := inComprehension
	if outer.kind == inLambda {
		kind = inLambda
	}
	return r.settle(outer, kind, b.sources)
}

// settle begins with the assumption that every name is a number, and drops it
// for those that have another source until nothing changes.
func (r *rewriter) settle(outer *scope, kind scopeKind, sources map[string][]source) *scope {
	s := &scope{outer: outer, kind: kind, numbers: map[string]bool{}}
	for name := range sources {
		s.numbers[name] = true
	}
	for pass := 0; ; pass++ {
		s.known = map[syntax.Expr]bool{}
		changed := false
		for name, list := range sources {
			if s.numbers[name] && !r.allNumbers(list, s) {
				s.numbers[name] = false
				changed = true
			}
		}
		if !changed {
			return s
		}
		if pass == passes {
			for name := range sources {
				s.numbers[name] = false
			}
			s.known = map[syntax.Expr]bool{}
			return s
		}
	}
}

func (r *rewriter) allNumbers(list []source, s *scope) bool {
	for _, src := range list {
		if src.expr == nil && !src.number || src.expr != nil && !r.number(src.expr, s) {
			return false
		}
	}
	return true
}

// number reports whether e gives a number whenever it gives anything: an int, a
// float, a bool, or a value of some type that isn't text and holds nothing.
func (r *rewriter) number(e syntax.Expr, s *scope) bool {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return r.number(e.X, s)
	case *syntax.Literal:
		return e.Token == syntax.INT || e.Token == syntax.FLOAT
	case *syntax.Ident:
		return r.numberName(e.Name, s)
	case *syntax.UnaryExpr:
		return e.Op != syntax.STAR && e.Op != syntax.STARSTAR
	case *syntax.CallExpr:
		return r.numberCall(e)
	case *syntax.CondExpr:
		return r.number(e.True, s) && r.number(e.False, s)
	case *syntax.BinaryExpr:
		known, ok := s.known[e]
		if !ok {
			known = r.numberBinary(e, s)
			s.known[e] = known
		}
		return known
	}
	return false
}

func (r *rewriter) numberName(name string, s *scope) bool {
	if name == "True" || name == "False" {
		return !r.bound[name]
	}
	for ; s != nil; s = s.outer {
		if number, bound := s.numbers[name]; bound {
			return number
		}
	}
	return false
}

// numberCall knows the functions that give numbers.
func (r *rewriter) numberCall(e *syntax.CallExpr) bool {
	name := r.builtin(e)
	return name == "len" || name == "ord" || name == "hash"
}

// builtin is the name of the function that e calls, if it is Starlark's own.
func (r *rewriter) builtin(e syntax.Expr) string {
	call, ok := unparen(e).(*syntax.CallExpr)
	if !ok {
		return ""
	}
	id, ok := call.Fn.(*syntax.Ident)
	if !ok || r.bound[id.Name] {
		return ""
	}
	return id.Name
}

func (r *rewriter) numberBinary(e *syntax.BinaryExpr, s *scope) bool {
	switch e.Op {
	case syntax.PLUS, syntax.MINUS, syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX:
		return r.number(e.X, s) || r.number(e.Y, s) // else it fails
	case syntax.STAR, syntax.AND, syntax.OR:
		return r.number(e.X, s) && r.number(e.Y, s)
	case syntax.PERCENT:
		return r.number(e.X, s)
	case syntax.SLASH, syntax.SLASHSLASH, syntax.LTLT, syntax.GTGT,
		syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE, syntax.IN, syntax.NOT_IN:
		return true
	}
	return false
}

// A binder finds the sources of names.
type binder struct {
	r       *rewriter
	sources map[string][]source
}

func (b *binder) bind(name string, src source) { b.sources[name] = append(b.sources[name], src) }

func (b *binder) param(p syntax.Expr) {
	switch p := p.(type) {
	case *syntax.Ident:
		b.bind(p.Name, source{})
	case *syntax.BinaryExpr:
		b.param(p.X)
	case *syntax.UnaryExpr:
		if p.X != nil {
			b.param(p.X)
		}
	}
}

func (b *binder) stmts(stmts []syntax.Stmt) {
	for _, stmt := range stmts {
		switch stmt := stmt.(type) {
		case *syntax.AssignStmt:
			b.assign(stmt)
		case *syntax.DefStmt:
			b.bind(stmt.Name.Name, source{})
		case *syntax.ForStmt:
			b.loop(stmt.Vars, stmt.X)
			b.stmts(stmt.Body)
		case *syntax.WhileStmt:
			b.stmts(stmt.Body)
		case *syntax.IfStmt:
			b.stmts(stmt.True)
			b.stmts(stmt.False)
		case *syntax.LoadStmt:
			for _, to := range stmt.To {
				b.bind(to.Name, source{})
			}
		}
	}
}

func (b *binder) assign(stmt *syntax.AssignStmt) {
	id, ok := unparen(stmt.LHS).(*syntax.Ident)
	if !ok {
		if stmt.Op == syntax.EQ {
			b.unknown(stmt.LHS)
		}
		return
	}
	op, augmented := operator(stmt.Op)
	if !augmented {
		b.bind(id.Name, source{expr: stmt.RHS})
		return
	}
	b.bind(id.Name, source{expr: &syntax.BinaryExpr{X: id, OpPos: stmt.OpPos, Op: op, Y: stmt.RHS}})
}

// unknown binds every name in a target to anything.
func (b *binder) unknown(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Ident:
		b.bind(e.Name, source{})
	case *syntax.ParenExpr:
		b.unknown(e.X)
	case *syntax.TupleExpr:
		for _, elem := range e.List {
			b.unknown(elem)
		}
	case *syntax.ListExpr:
		for _, elem := range e.List {
			b.unknown(elem)
		}
	}
}

// loop binds the variables of a loop over x.
func (b *binder) loop(vars, x syntax.Expr) {
	over := b.r.builtin(x)
	if id, ok := unparen(vars).(*syntax.Ident); ok && over == "range" {
		b.bind(id.Name, source{number: true})
		return
	}
	if t, ok := unparen(vars).(*syntax.TupleExpr); ok && over == "enumerate" && len(t.List) == 2 {
		if id, ok := t.List[0].(*syntax.Ident); ok {
			b.bind(id.Name, source{number: true})
			b.unknown(t.List[1])
			return
		}
	}
	b.unknown(vars)
}

// boundNames are all names that a file binds anywhere.
func boundNames(file *syntax.File) map[string]bool {
	bound := map[string]bool{}
	note := func(e syntax.Expr) {
		b := binder{sources: map[string][]source{}}
		b.unknown(e)
		for name := range b.sources {
			bound[name] = true
		}
	}
	params := func(list []syntax.Expr) {
		b := binder{sources: map[string][]source{}}
		for _, p := range list {
			b.param(p)
		}
		for name := range b.sources {
			bound[name] = true
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignStmt:
			note(n.LHS)
		case *syntax.ForStmt:
			note(n.Vars)
		case *syntax.ForClause:
			note(n.Vars)
		case *syntax.DefStmt:
			bound[n.Name.Name] = true
			params(n.Params)
		case *syntax.LambdaExpr:
			params(n.Params)
		case *syntax.LoadStmt:
			for _, to := range n.To {
				bound[to.Name] = true
			}
		}
		return true
	})
	return bound
}
