package types

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// Naming tells under which name the value of a call is assigned: for
// `Stock = model(...)` it is "Stock". The loader knows, from the syntax tree.
type Naming interface {
	// AssignedName is the name for the call whose opening parenthesis is at pos
	// (that is where the interpreter says a call is), or "". In
	// `Stock = describe(model(...), "...")` both calls may have the name.
	AssignedName(pos syntax.Position) string
}

const namingKey = "mcpstar.types.naming"

// SetNaming makes n the one that models made on thread ask for their names.
func SetNaming(thread *starlark.Thread, n Naming) { thread.SetLocal(namingKey, n) }

// assignedName is the name of what the builtin that runs on thread makes, or "".
func assignedName(thread *starlark.Thread) string {
	n, ok := thread.Local(namingKey).(Naming)
	if !ok {
		return ""
	}
	return n.AssignedName(engine.CallerPos(thread))
}
