package gates_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/gates"
)

func dialect() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
}

// program compiles a script in guarded form.
func program(t testing.TB, script string) (*starlark.Program, error) {
	file, err := dialect().Parse("x.star", script, 0)
	require.NoError(t, err)
	return gates.Compile(file, builtins.Words().Has)
}

// guarded runs a script with guards and limits, and calls its function f if there
// is a call.
func guarded(t testing.TB, script string, limits engine.Limits, call ...starlark.Value) (starlark.Value, error) {
	thread := &starlark.Thread{Name: "guarded", Print: func(*starlark.Thread, string) {}}
	defer limits.Apply(thread)()
	p, err := program(t, script)
	if err != nil {
		return nil, err
	}
	globals, err := gates.Init(p, thread, builtins.Words())
	return finish(thread, globals, err, call)
}

// errPanic says that the interpreter panics.
var errPanic = errors.New("panic")

// bare runs a script as the interpreter does. Only what ended with guards may be
// run so.
func bare(script string, call ...starlark.Value) (v starlark.Value, err error) {
	defer func() {
		if recover() != nil {
			v, err = nil, errPanic
		}
	}()
	thread := &starlark.Thread{Name: "bare", Print: func(*starlark.Thread, string) {}}
	words := builtins.Words()
	for name, v := range starlark.Universe {
		if _, ours := words[name].(*starlark.Builtin); ours && name != "print" && name != "fail" {
			words[name] = v
		}
	}
	_, p, err := starlark.SourceProgramOptions(dialect(), "x.star", script, words.Has)
	if err != nil {
		return nil, err
	}
	globals, err := p.Init(thread, words)
	return finish(thread, globals, err, call)
}

func finish(thread *starlark.Thread, globals starlark.StringDict, err error, call []starlark.Value) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	if f, ok := globals["f"].(starlark.Callable); ok && len(call) > 0 {
		return starlark.Call(thread, f, call, nil)
	}
	all := new(starlark.Dict)
	for _, name := range globals.Keys() {
		_ = all.SetKey(starlark.String(name), globals[name])
	}
	return all, nil
}
