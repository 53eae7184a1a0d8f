package gates

import (
	"maps"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/guard"
)

// Compile is starlark.FileProgram for the guarded copy of a file. The names of
// the file are bound as if it had been compiled itself.
func Compile(file *syntax.File, isWord func(string) bool) (*starlark.Program, error) {
	hidden := guard.Hidden()
	guarded := Rewrite(file)
	program, err := starlark.FileProgram(guarded, func(name string) bool { return hidden.Has(name) || isWord(name) })
	file.Module = guarded.Module
	return program, err
}

// Init is program.Init for a program of [Compile]: it runs the file and gives its
// globals.
func Init(program *starlark.Program, thread *starlark.Thread, words starlark.StringDict) (starlark.StringDict, error) {
	all := maps.Clone(words)
	maps.Copy(all, guard.Hidden())
	globals, err := program.Init(thread, all)
	maps.DeleteFunc(globals, func(name string, _ starlark.Value) bool {
		return strings.HasPrefix(name, guard.Local) // no other file can load it then
	})
	return globals, err
}
