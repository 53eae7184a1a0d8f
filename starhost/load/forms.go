package load

import (
	"fmt"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A form is what elicit() takes: see builtins/questions.
type form interface {
	engine.Type
	FormSchema() (exactjson.Object, error)
}

// forms checks every elicit(message, Model) whose model is a name of the file's:
// a form that clients refuse is found here, not when a person is waiting.
func (l *loader) forms(m *module) {
	syntax.Walk(m.file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		if fn, ok := call.Fn.(*syntax.Ident); !ok || fn.Name != "elicit" || scopeOf(fn) != resolve.Predeclared {
			return true
		}
		if name := formArgument(call); name != nil {
			l.checkForm(name, l.valueOf(m, name))
		}
		return true
	})
}

func (l *loader) checkForm(name *syntax.Ident, v starlark.Value) {
	f, ok := v.(form)
	if !ok {
		return
	}
	if _, err := f.FormSchema(); err != nil {
		message, help := splitRemedy(err.Error())
		l.report(&engine.Problem{
			Code:    "not-flat",
			Message: fmt.Sprintf("%s can't be asked for: %s", name.Name, message),
			At:      engine.Label{Span: engine.At(name.NamePos, name.Name)},
			Help:    help,
		})
	}
}

// valueOf is what a name at the top of a file means, its own or a loaded one; nil
// for other names.
func (l *loader) valueOf(m *module, name *syntax.Ident) starlark.Value {
	b, ok := name.Binding.(*resolve.Binding)
	if !ok {
		return nil
	}
	if b.Scope == resolve.Global {
		return m.globals[name.Name]
	}
	for _, stmt := range m.file.Stmts {
		ld, ok := stmt.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		for i, to := range ld.To {
			if to != b.First {
				continue
			}
			if path, bad := moduleName(m.path, ld.ModuleName()); bad == nil && l.modules[path] != nil {
				return l.modules[path].globals[ld.From[i].Name]
			}
		}
	}
	return nil
}

// scopeOf is where a name of a resolved file comes from.
func scopeOf(name *syntax.Ident) resolve.Scope {
	if b, ok := name.Binding.(*resolve.Binding); ok {
		return b.Scope
	}
	return resolve.Undefined
}

// formArgument is the model in elicit(message, Model), if it is a plain name.
func formArgument(call *syntax.CallExpr) *syntax.Ident {
	for i, arg := range call.Args {
		if named, ok := arg.(*syntax.BinaryExpr); ok && named.Op == syntax.EQ {
			if key, ok := named.X.(*syntax.Ident); ok && key.Name == "form" {
				name, _ := named.Y.(*syntax.Ident)
				return name
			}
			continue
		}
		if i == 1 {
			name, _ := arg.(*syntax.Ident)
			return name
		}
	}
	return nil
}
