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

// A Mistake is something wrong with a call of model or field.
type Mistake struct {
	Pos    syntax.Position // of the call's opening parenthesis
	Option string          // the argument that is wrong, "" for another mistake
	Err    error
}

const mistakesKey = "mcpstar.types.mistakes"

// CollectMistakes makes model and field go on after a mistake while a file loads on
// thread, so that its author is told of all of them: tell gets each, and what is
// wrong is taken for any. Who collects them does not use what the file made. A nil
// tell ends that.
func CollectMistakes(thread *starlark.Thread, tell func(Mistake)) {
	thread.SetLocal(mistakesKey, tell)
}

// mistaken tells a mistake of the running builtin, or gives the error to end with
// where nobody collects them.
func mistaken(thread *starlark.Thread, option string, err error) error {
	tell, ok := thread.Local(mistakesKey).(func(Mistake))
	if !ok || tell == nil {
		return err
	}
	tell(Mistake{Pos: engine.CallerPos(thread), Option: option, Err: err})
	return nil
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
