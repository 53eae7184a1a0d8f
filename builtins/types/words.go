package types

import (
	"go.starlark.net/starlark"
)

// Words are the names of this package that a script may use. They hold no state;
// the map is the caller's.
func Words() starlark.StringDict { return WordsCalling(starlark.Universe) }

// WordsCalling is [Words] in which calls of str, int, float, bool, list and dict
// go to the values of those names in calls, for a host that bounds what
// Starlark's own can do. A name that is missing there stays Starlark's.
func WordsCalling(calls starlark.StringDict) starlark.StringDict {
	words := starlark.StringDict{
		"any":        newWord("any", anyType, calls),
		"enum":       starlark.NewBuiltin("enum", makeEnum),
		"schema":     starlark.NewBuiltin("schema", makeSchema),
		"field":      starlark.NewBuiltin("field", makeField),
		"model":      starlark.NewBuiltin("model", makeModel),
		"describe":   starlark.NewBuiltin("describe", describe),
		"isinstance": starlark.NewBuiltin("isinstance", isinstance),
		"replace":    starlark.NewBuiltin("replace", replace),
		"to_dict":    starlark.NewBuiltin("to_dict", toDict),
	}
	for name, t := range map[string]ownShape{
		"str": strType, "int": intType, "float": floatType, "bool": boolType, "list": bareList, "dict": bareDict,
	} {
		words[name] = newWord(name, t, calls)
	}
	return words
}

// A word is a type with a name that Starlark can call: int("5").
type word struct {
	ownShape
	name string
	call starlark.Callable
}

var _ starlark.Callable = (*word)(nil)

// An ownShape is a shape of this package, with all that scripts may do to it.
type ownShape interface {
	shape
	starlark.Mapping
	starlark.HasBinary
	starlark.HasAttrs
	starlark.Comparable
}

func newWord(name string, t ownShape, calls starlark.StringDict) *word {
	call, ok := calls[name].(starlark.Callable)
	if !ok {
		call, _ = starlark.Universe[name].(starlark.Callable)
	}
	return &word{ownShape: t, name: name, call: call}
}

func (w *word) Name() string { return w.name }

func (w *word) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return w.call.CallInternal(thread, args, kwargs)
}
