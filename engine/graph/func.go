package graph

import (
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A Func is a function as its author declared it: a tool's body or a resolver,
// written in Starlark or in Go.
type Func struct {
	// Name is the function's own name, "lambda" for a lambda.
	Name string
	// Key is the wire key that follows from where the function stands, or ""
	// when nothing stable follows (a lambda, a closure, a Go function).
	Key string
	// Call is the function itself. Its identity is the resolver's identity.
	Call starlark.Callable
	// Span is the place of its name.
	Span engine.Span
	// Params are its parameters from left to right.
	Params []Param
	// Returns is the type after ->, or nil when none is written.
	Returns engine.Type
}

// A Param is one parameter of a [Func].
type Param struct {
	Name string
	// Span is the place of the name, TypeSpan that of the annotation (a point
	// at the name when there is none).
	Span, TypeSpan engine.Span
	// Type is the annotation's type, or nil.
	Type engine.Type
	// Resolve is set for `name: resolve(fn)`.
	Resolve *Marker
	// Rest marks *args and **kwargs.
	Rest bool
	// Named marks the **kwargs among them.
	Named bool
	// KeywordOnly marks what follows a * in the parameter list.
	KeywordOnly bool
}

// A Marker is resolve(fn): this parameter is filled by fn.
type Marker struct {
	Target  starlark.Callable
	Outcome bool   // hand over the outcome instead of the value
	Key     string // the author's own wire key, or ""
	Span    engine.Span
}
