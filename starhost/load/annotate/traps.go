package annotate

import (
	"fmt"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// DefaultTraps finds parameters whose default value was meant to be their type:
//
//	def f(stock = resolve(check)):   # write stock: resolve(check)
//
// resolve(...) and field(...) have no other use as a default and are refused
// everywhere. The other types are refused in functions that the file declares,
// as in tool(f) or resolve(f), since a plain function may well take one as a
// value. A name that the file binds itself is the author's own.
func DefaultTraps(file *syntax.File) []*engine.Problem {
	t := &traps{declared: map[string]bool{}, bound: map[string]bool{}}
	syntax.Walk(file, t.collect)
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			t.params(n.Params, n.Name.Name, true)
		case *syntax.LambdaExpr:
			t.params(n.Params, "", false)
		}
		return true
	})
	return t.problems
}

type traps struct {
	declared map[string]bool // functions given to tool, resolve and their kind
	bound    map[string]bool // names that the file gives a meaning of its own
	problems []*engine.Problem
}

func (t *traps) collect(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.DefStmt:
		t.bound[n.Name.Name] = true
		t.bindParams(n.Params)
	case *syntax.LambdaExpr:
		t.bindParams(n.Params)
	case *syntax.AssignStmt:
		t.bind(n.LHS)
	case *syntax.ForStmt:
		t.bind(n.Vars)
	case *syntax.ForClause:
		t.bind(n.Vars)
	case *syntax.LoadStmt:
		for _, to := range n.To {
			t.bound[to.Name] = true
		}
	case *syntax.CallExpr:
		if fn, ok := n.Fn.(*syntax.Ident); ok && declares(fn.Name) {
			for _, arg := range n.Args {
				if id, ok := arg.(*syntax.Ident); ok {
					t.declared[id.Name] = true
				}
			}
		}
	}
	return true
}

func (t *traps) bindParams(params []syntax.Expr) {
	for _, p := range params {
		switch p := p.(type) {
		case *syntax.BinaryExpr:
			t.bind(p.X)
		case *syntax.UnaryExpr:
			if p.X != nil {
				t.bind(p.X)
			}
		default:
			t.bind(p)
		}
	}
}

func (t *traps) bind(lhs syntax.Expr) {
	switch lhs := lhs.(type) {
	case *syntax.Ident:
		t.bound[lhs.Name] = true
	case *syntax.ParenExpr:
		t.bind(lhs.X)
	case *syntax.TupleExpr:
		for _, x := range lhs.List {
			t.bind(x)
		}
	case *syntax.ListExpr:
		for _, x := range lhs.List {
			t.bind(x)
		}
	}
}

// params reports the traps of one function; annotatable is false for a lambda.
func (t *traps) params(params []syntax.Expr, function string, annotatable bool) {
	for _, p := range params {
		param, ok := p.(*syntax.BinaryExpr)
		if !ok || param.Op != syntax.EQ {
			continue
		}
		name := param.X.(*syntax.Ident).Name
		what, always := t.typeWord(param.Y)
		if what == "" || !always && !t.declared[function] {
			continue
		}
		help := fmt.Sprintf("write `%s: %s`", name, what)
		if !annotatable {
			help = fmt.Sprintf("a lambda takes no types; write a def with `%s: %s`", name, what)
		}
		t.problems = append(t.problems, &engine.Problem{
			Code:    "type-as-default",
			Message: fmt.Sprintf("`%s` has a type as its default value", name),
			At:      engine.Label{Span: engine.SpanOf(param)},
			Help:    help,
		})
	}
}

// typeWord is how to write the default value as a type, "" when it is none.
// always says that it can't be meant as a value.
func (t *traps) typeWord(x syntax.Expr) (text string, always bool) {
	switch x := x.(type) {
	case *syntax.Ident:
		if isTypeName(x.Name) && !t.bound[x.Name] {
			return x.Name, false
		}
	case *syntax.IndexExpr:
		if id, ok := x.X.(*syntax.Ident); ok && (id.Name == "list" || id.Name == "dict") && !t.bound[id.Name] {
			return id.Name + "[...]", false
		}
	case *syntax.BinaryExpr:
		if x.Op != syntax.PIPE {
			break
		}
		left, _ := t.typeWord(x.X)
		if right, _ := t.typeWord(x.Y); left != "" && right != "" {
			return left + " | " + right, false
		}
		if none, ok := x.Y.(*syntax.Ident); ok && left != "" && none.Name == "None" {
			return left + " | None", false
		}
	case *syntax.CallExpr:
		fn, ok := x.Fn.(*syntax.Ident)
		if !ok || t.bound[fn.Name] {
			break
		}
		switch fn.Name {
		case "resolve", "field":
			return fn.Name + "(" + firstArg(x) + ")", true
		case "enum", "schema", "model":
			return fn.Name + "(...)", false
		}
	}
	return "", false
}

// firstArg is a call's arguments for a message: the first name, and dots for
// what else there is.
func firstArg(call *syntax.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	id, ok := call.Args[0].(*syntax.Ident)
	switch {
	case !ok:
		return "..."
	case len(call.Args) > 1:
		return id.Name + ", ..."
	}
	return id.Name
}

func isTypeName(name string) bool {
	switch name {
	case "str", "int", "float", "bool", "list", "dict", "any":
		return true
	}
	return false
}

// declares reports whether a call of the function makes its arguments tools,
// prompts, resources or resolvers.
func declares(name string) bool {
	switch name {
	case "tool", "prompt", "resource", "resolve", "completion":
		return true
	}
	return false
}
