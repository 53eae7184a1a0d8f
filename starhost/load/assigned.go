package load

import (
	"fmt"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// outerAssignments finds COUNT += 1 in a def where only the file, or a def around
// it, has a COUNT. The assignment makes COUNT the inner def's own, which has no
// value yet, so every call would fail.
func outerAssignments(file *syntax.File) []*engine.Problem {
	f := &assignmentFinder{}
	f.within(blockOf(nil, file.Stmts))
	return f.problems
}

type assignmentFinder struct{ problems []*engine.Problem }

// A block is a file or the body of a def, with the names that it makes its own.
type block struct {
	def   *syntax.DefStmt // nil for the file
	outer *block
	names map[string]*boundName
	order []string
	inner []*syntax.DefStmt
}

// A boundName is a name that a block makes its own.
type boundName struct {
	at    *syntax.Ident // the first time
	fresh bool          // one of its assignments needs no value before it
}

func (f *assignmentFinder) within(b *block) {
	for _, name := range b.order {
		bound := b.names[name]
		if b.def == nil || bound.fresh {
			continue
		}
		for outer := b.outer; outer != nil; outer = outer.outer {
			if meant := outer.names[name]; meant != nil {
				f.problems = append(f.problems, outerAssignment(bound.at, meant.at, outer.def))
				break
			}
		}
	}
	for _, def := range b.inner {
		inner := blockOf(def, def.Body)
		inner.outer = b
		f.within(inner)
	}
}

func outerAssignment(at, meant *syntax.Ident, def *syntax.DefStmt) *engine.Problem {
	p := &engine.Problem{
		Code:    "assign",
		Message: fmt.Sprintf("%s is a name of the file, which a function can't assign to", at.Name),
		At:      engine.Label{Span: engine.At(at.NamePos, at.Name), Text: "has no value in this function yet"},
		Also:    []engine.Label{{Span: engine.At(meant.NamePos, meant.Name), Text: "defined here"}},
		Help:    "what changes from call to call lives in `store.memory()`",
	}
	if def != nil {
		p.Message = fmt.Sprintf("%s is a name of %s(), which a def inside it can't assign to", at.Name, def.Name.Name)
		p.Help = fmt.Sprintf("return the new value, or keep it in a list: `%s = [0]` and `%s[0] += 1`", at.Name, at.Name)
	}
	return p
}

// blockOf are the names that statements bind, without those of a def among them.
func blockOf(def *syntax.DefStmt, stmts []syntax.Stmt) *block {
	b := &block{def: def, names: map[string]*boundName{}}
	if def != nil {
		for _, p := range def.Params {
			b.param(p)
		}
	}
	for _, stmt := range stmts {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			switch s := n.(type) {
			case *syntax.DefStmt:
				b.bind(s.Name, true)
				b.inner = append(b.inner, s)
				return false
			case *syntax.LoadStmt:
				for _, to := range s.To {
					b.bind(to, true)
				}
			case *syntax.ForStmt:
				b.bind(s.Vars, true)
			case *syntax.AssignStmt:
				b.bind(s.LHS, !needsItself(s))
			case syntax.Expr:
				return false
			}
			return true
		})
	}
	return b
}

func (b *block) param(p syntax.Expr) {
	switch p := p.(type) {
	case *syntax.BinaryExpr: // x = 1
		b.bind(p.X, true)
	case *syntax.UnaryExpr: // *args
		b.bind(p.X, true)
	default:
		b.bind(p, true)
	}
}

// bind notes the names in the target of an assignment.
func (b *block) bind(target syntax.Expr, fresh bool) {
	switch t := target.(type) {
	case *syntax.Ident:
		if b.names[t.Name] == nil {
			b.names[t.Name] = &boundName{at: t}
			b.order = append(b.order, t.Name)
		}
		b.names[t.Name].fresh = b.names[t.Name].fresh || fresh
	case *syntax.ParenExpr:
		b.bind(t.X, fresh)
	case *syntax.TupleExpr:
		for _, e := range t.List {
			b.bind(e, fresh)
		}
	case *syntax.ListExpr:
		for _, e := range t.List {
			b.bind(e, fresh)
		}
	}
}

// needsItself reports whether an assignment is x += 1 or x = x + 1.
func needsItself(s *syntax.AssignStmt) bool {
	if s.Op != syntax.EQ {
		return true
	}
	name, _ := unparen(s.LHS).(*syntax.Ident)
	sum, _ := unparen(s.RHS).(*syntax.BinaryExpr)
	if name == nil || sum == nil || sum.Op == syntax.AND || sum.Op == syntax.OR {
		return false
	}
	is := func(e syntax.Expr) bool {
		id, ok := unparen(e).(*syntax.Ident)
		return ok && id.Name == name.Name
	}
	return is(sum.X) || is(sum.Y)
}
