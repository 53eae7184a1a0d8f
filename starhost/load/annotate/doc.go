// Package annotate gives scripts annotations, which go.starlark.net does not
// parse yet, without moving a single name: the line and column of everything in
// an error are those of the author's file.
//
// It works in two steps around the parser:
//
//   - [Rewrite] replaces each annotation by spaces, rune for rune, and hands the
//     annotations back. What is left is plain Starlark.
//   - [Weave] parses each annotation at its own place and adds, after every
//     annotated def, the statement
//     __annotate__(f, "title", lambda: str, ..., "return", lambda: str)
//     to the tree. The lambdas keep the scope of the def and can be called when
//     the whole file has run, so an annotation may use what is defined below it.
//
// [DefaultTraps] refuses what looks like an annotation but was written as a
// default value.
//
// When go.starlark.net learns the syntax, this package is deleted and nothing
// else changes. It may use Starlark's syntax tree, the engine's Problem and the
// tokens of starhost/load/tokens; it runs nothing and reads no file. Start
// reading at [Rewrite].
package annotate
