package declare

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// A Registry collects what the files of one load declare, in the order in which
// they say it. It is used by one load, which runs one file at a time.
type Registry struct {
	Tools       []*Tool
	Prompts     []*Prompt
	Resources   []*Resource
	Completions []*Completion
	Servers     []*Server
	Lifespan    []*Lifespan
	Timers      []*Timer
	// Functions are the annotated functions in the order of their defs.
	Functions []*Annotated
	// Mistakes are the declarations that could not be taken. The file runs on, so
	// that its author is told of all of them at once.
	Mistakes []Mistake
}

// A Mistake is a declaration that can't be taken.
type Mistake struct {
	Span engine.Span // of the call
	// Option is the name of the argument that is wrong, "" for another mistake.
	Option string
	Err    error
}

// declaration is a word that declares something: what it can't take is a mistake in
// the registry, not the end of the file.
func declaration(name string, take func(*Registry, *starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) error) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		r, err := registry(thread, name)
		if err != nil {
			return nil, err
		}
		if err := take(r, thread, b, args, kwargs); err != nil {
			for _, err := range each(err) {
				m := Mistake{Span: callSpan(thread), Err: err}
				var option *optionError
				if errors.As(err, &option) {
					m.Option = option.name
				}
				r.Mistakes = append(r.Mistakes, m)
			}
		}
		return starlark.None, nil
	})
}

// An Annotated is a function with the annotations written on it, not yet
// evaluated: each is a function without parameters, to be called when its file
// has run.
type Annotated struct {
	Func   *starlark.Function
	Names  []string // parameter names, or "return"
	Thunks []starlark.Callable
	Pos    syntax.Position // of the def
}

const registryKey = "mcpstar.registry"

// Attach makes r collect what runs on thread from now on.
func (r *Registry) Attach(thread *starlark.Thread) { thread.SetLocal(registryKey, r) }

// registry is the one that collects on thread, or an error for an author who
// declares while a call runs.
func registry(thread *starlark.Thread, word string) (*Registry, error) {
	if r, ok := thread.Local(registryKey).(*Registry); ok {
		return r, nil
	}
	return nil, fmt.Errorf("%s() declares what the server offers, so it works only while the file loads; move it to the top of the file", word)
}

// Words are the declarations, as predeclared names.
func Words() starlark.StringDict {
	return starlark.StringDict{
		"tool":         declaration("tool", declareTool),
		"prompt":       declaration("prompt", declarePrompt),
		"resource":     declaration("resource", declareResource),
		"completion":   declaration("completion", declareCompletion),
		"every":        declaration("every", declareTimer),
		"server":       declaration("server", declareServer),
		"lifespan":     declaration("lifespan", declareLifespan),
		"resolve":      starlark.NewBuiltin("resolve", makeMarker),
		"__annotate__": starlark.NewBuiltin("__annotate__", annotate),
	}
}

// annotate is what the loader writes after a def: __annotate__(f, "title",
// lambda: str, ..., "return", lambda: str). During a call it does nothing, so a
// def inside a tool costs little.
func annotate(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	r, ok := thread.Local(registryKey).(*Registry)
	if !ok || len(args) < 1 {
		return starlark.None, nil
	}
	fn, ok := args[0].(*starlark.Function)
	if !ok {
		return starlark.None, nil
	}
	a := &Annotated{Func: fn, Pos: fn.Position()}
	for i := 1; i+1 < len(args); i += 2 {
		name, _ := starlark.AsString(args[i])
		thunk, ok := args[i+1].(starlark.Callable)
		if !ok {
			continue
		}
		a.Names = append(a.Names, name)
		a.Thunks = append(a.Thunks, thunk)
	}
	if len(r.Functions) >= maxFunctions {
		return nil, fmt.Errorf("this file makes more than %d functions with types while it loads; move the def out of the loop", maxFunctions)
	}
	r.Functions = append(r.Functions, a)
	return starlark.None, nil
}

// maxFunctions is how many annotated functions a file may make.
const maxFunctions = 100_000

// callSpan is where the running builtin was called: a point that the loader
// widens to the whole call.
func callSpan(thread *starlark.Thread) engine.Span {
	pos := engine.CallerPos(thread)
	return engine.Span{Start: pos, End: pos}
}
