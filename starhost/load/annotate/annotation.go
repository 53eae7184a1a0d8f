package annotate

import (
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// Builtin is the name that the statements added by [Weave] call. Whoever runs
// the file must predeclare it:
//
//	__annotate__(function, name, type, name, type, ...)
//
// name is a parameter's, without its stars, or [Return]; type is a function
// without parameters whose result is the annotation, to be called once the file
// has run. It is called once for each execution of an annotated def, right after
// it.
const Builtin = "__annotate__"

// Return is the name that the annotation of the result goes by. No parameter can
// be called so.
const Return = "return"

// An Annotation is one annotation as it was written.
type Annotation struct {
	// Def is the place of the keyword def, which is the Position of the
	// function when it runs.
	Def syntax.Position
	// Func is the name of the function.
	Func string
	// Param is the parameter's name without its stars; "" for the result.
	Param string
	// Text is the type, from its first to its last token.
	Text string
	// Pos is the place of the colon, or of the arrow.
	Pos syntax.Position
	// Span is the place of Text.
	Span engine.Span

	// inner is Text with what stands before it, from behind the colon or the
	// arrow, whose last rune is at line and col.
	inner     string
	line, col int32
}

// portion is "(TYPE)", its bracket on the colon or on the arrow's head.
func (a Annotation) portion() syntax.FilePortion {
	return syntax.FilePortion{Content: []byte("(" + a.inner + ")"), FirstLine: a.line, FirstCol: a.col}
}

// Key is the annotation's key in [Places].
func (a Annotation) Key() Key { return KeyOf(a.Def, a.Param) }

// Key names an annotation within its file: the place of its def and the
// parameter, "" for the result.
type Key struct {
	Line, Col int32
	Param     string
}

// KeyOf is the key of a parameter of the function whose def is at the position,
// as starlark.Function.Position tells it. Return and "" both mean the result.
func KeyOf(def syntax.Position, param string) Key {
	if param == Return {
		param = ""
	}
	return Key{Line: def.Line, Col: def.Col, Param: param}
}

// A Place is where an annotation stands in its file.
type Place struct {
	Span engine.Span
	// Expr is the parsed type, for a caret at a part of it. Nodes belong to the
	// tree that Weave was given.
	Expr syntax.Expr
}

// Places finds the annotations of a file.
type Places map[Key]Place
