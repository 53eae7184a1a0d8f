package load

import (
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
)

// freezeAll makes everything that a file made immutable, before anyone else sees
// it: its globals, and the functions it declared, which need not be among them. It
// reports whether that worked.
func (l *loader) freezeAll(m *module) bool {
	before := l.errors
	for _, name := range m.globals.Keys() {
		l.freeze(m.globals[name], m.globalSpan(name), "the global "+name)
		if model, ok := m.globals[name].(*types.Model); ok {
			for _, f := range model.Fields() {
				if f.Field.Factory != nil {
					l.freeze(f.Field.Factory, m.globalSpan(name), "a factory of "+name)
				}
			}
		}
	}
	for _, t := range m.declared.Tools {
		l.freeze(t.Func, t.Span, "what tool() is given")
	}
	l.freezeDeclared(m)
	for _, s := range m.declared.Lifespan {
		l.freeze(s.Start, s.Span, "what lifespan() is given")
		if s.Stop != nil {
			l.freeze(s.Stop, s.Span, "what lifespan() is given")
		}
	}
	for _, a := range m.declared.Functions {
		l.freeze(a.Func, engine.At(a.Pos, "def"), "this function")
	}
	return l.errors == before
}

func (l *loader) freeze(v starlark.Value, at engine.Span, what string) {
	err := l.freezer.Freeze(v)
	if err == nil {
		return
	}
	message, help := splitRemedy(err.Error())
	if help == "" {
		help = "build less of it while the file loads"
	}
	l.report(&engine.Problem{
		Code:    "freeze",
		Message: what + " can't be shared by calls: " + message,
		At:      engine.Label{Span: l.whole(at)},
		Help:    help,
	})
}

// globalSpan is where a global is first assigned.
func (m *module) globalSpan(name string) engine.Span {
	if info, ok := m.file.Module.(*resolve.Module); ok {
		for _, b := range info.Globals {
			if b.First != nil && b.First.Name == name {
				return engine.At(b.First.NamePos, name)
			}
		}
	}
	return startOf(m.path)
}
