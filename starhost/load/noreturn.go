package load

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// noReturn warns of a function that says what it returns and returns nothing: each
// call of it would fail. One that ends in pass is still to be written.
func (l *loader) noReturn(a *annotation, returns engine.Type) *engine.Problem {
	m := l.modules[a.fn.Position().Filename()]
	if m == nil {
		return nil
	}
	def := m.defs[placeOf(a.fn.Position())]
	if def == nil || ends(def.Body) {
		return nil
	}
	if _, wrong := returns.Accept(starlark.None, ""); len(wrong) == 0 {
		return nil
	}
	return &engine.Problem{
		Code: "no-return", Warning: true,
		Message: fmt.Sprintf("%s() says that it returns %s, and has no return", a.fn.Name(), returns.TypeName()),
		At:      engine.Label{Span: engine.At(def.Name.NamePos, def.Name.Name)},
		Help:    "write `return ...`, or `-> None`",
	}
}

// ends reports whether there is anything in the body of a def with which it may
// end but its last line.
func ends(body []syntax.Stmt) bool {
	if branch, ok := body[len(body)-1].(*syntax.BranchStmt); ok && branch.Token == syntax.PASS {
		return true
	}
	found := false
	for _, stmt := range body {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			switch s := n.(type) {
			case *syntax.DefStmt, *syntax.LambdaExpr:
				return false
			case *syntax.ReturnStmt:
				found = found || s.Result != nil
			case *syntax.WhileStmt: // it may have no end
				found = true
			case *syntax.CallExpr:
				fn, ok := s.Fn.(*syntax.Ident)
				found = found || ok && (fn.Name == "fail" || fn.Name == "protocol_error")
			}
			return !found
		})
	}
	return found
}
