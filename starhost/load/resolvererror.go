package load

import (
	"go.starlark.net/resolve"

	"github.com/mcpstar/mcpstar/engine"
)

// resolverProblem is what the resolver says besides undefined names.
func resolverProblem(e resolve.Error) *engine.Problem {
	p := &engine.Problem{Code: "name", Message: e.Msg, At: engine.Label{Span: engine.Span{Start: e.Pos, End: e.Pos}}}
	mend(p, e.Msg, resolverRemedies)
	return p
}

var resolverRemedies = []remedy{
	{says: "required parameter may not follow optional", code: "parameter-order", message: "a parameter without a default follows one that has one",
		help: "move it before the parameters that have a default, or put a `*` before it"},
	{says: "parameter may not follow **", code: "parameter-order", help: "`**kwargs` is the last parameter"},
	{says: "bare * must be followed", code: "parameter-order", help: "drop the `*`, or name the parameters that are given by name behind it"},
	{says: "duplicate parameter", code: "duplicate-parameter", help: "give one of them another name"},
	{says: "return statement not within a function", code: "misplaced", help: "a return belongs in a def"},
	{says: "not in a loop", code: "misplaced", help: "break and continue belong in a for or while"},
	{says: "load statement within", code: "misplaced", help: "load() stands at the top of the file"},
	{says: "leading underscores are not exported", code: "load-name", help: "a name with an underscore is its file's own: drop the underscore there"},
	{says: "empty identifier", code: "load-name", help: "name what to load: `load(\"lib/stock.star\", \"check\")`"},
	{says: "can't assign to", code: "assign", message: "this can't be assigned to", help: "assign to a name, an element (`x[i]`) or a field"},
	{says: "in augmented assignment", code: "assign", help: "write one assignment for each name"},
	{says: "may not follow", code: "argument-order", help: "arguments without a name come first, then named ones, then `*args` and `**kwargs`"},
	{says: "is repeated", code: "argument-order", help: "give it once"},
	{says: "arguments in call, limit is", code: "too-large", help: "pass a list: `f(*xs)`"},
}
