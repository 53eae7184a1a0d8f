package load

import (
	"fmt"

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

// forms checks every elicit(message, Model) whose model is named: a form that
// clients refuse is found here, not when a person is waiting.
func (l *loader) forms(m *module) {
	loaded := loadedNames(m)
	syntax.Walk(m.file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return n != nil
		}
		if fn, ok := call.Fn.(*syntax.Ident); !ok || fn.Name != "elicit" {
			return true
		}
		name := formArgument(call)
		if name == nil {
			return true
		}
		v := m.globals[name.Name]
		if from, ok := loaded[name.Name]; ok && v == nil {
			if dep := l.modules[from.module]; dep != nil {
				v = dep.globals[from.name]
			}
		}
		l.checkForm(m, name, v)
		return true
	})
}

func (l *loader) checkForm(m *module, name *syntax.Ident, v starlark.Value) {
	f, ok := v.(form)
	if !ok {
		return
	}
	if _, err := f.FormSchema(); err != nil {
		l.report(&engine.Problem{
			Code:    "not-flat",
			Message: fmt.Sprintf("%s can't be asked for: %v", name.Name, err),
			At:      engine.Label{Span: engine.At(name.NamePos, name.Name)},
			Help:    "a form has only flat fields: str, int, float, bool, enum(...) and list[enum(...)]; ask for less, or in two questions",
		})
	}
}

// formArgument is the model in elicit(message, Model), if it is a plain name.
func formArgument(call *syntax.CallExpr) *syntax.Ident {
	for i, arg := range call.Args {
		if named, ok := arg.(*syntax.BinaryExpr); ok && named.Op == syntax.EQ {
			if key, ok := named.X.(*syntax.Ident); ok && (key.Name == "model" || key.Name == "form") {
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

// An origin is where a loaded name comes from.
type origin struct{ module, name string }

func loadedNames(m *module) map[string]origin {
	names := map[string]origin{}
	for _, stmt := range m.file.Stmts {
		ld, ok := stmt.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		path, err := moduleName(m.path, ld.ModuleName())
		if err != nil {
			continue
		}
		for i, to := range ld.To {
			names[to.Name] = origin{path, ld.From[i].Name}
		}
	}
	return names
}
