// Package habits finds what people who come from Python (and from C and
// JavaScript) write and Starlark can't do: f-strings, try, class, import, chained
// comparisons and their kind. The parser would stop at the first and say only
// what it had expected; this package finds all of a file at once, each with its
// place and what to write instead.
//
// It reads tokens, not the tree, since a file with a habit in it has none. It
// reports only what is certainly wrong: match, print, assert, format and all
// other words that Starlark lets an author use for a name are left alone where
// they are one. Where a line holds a string without an end, nothing on it can be
// told, and the parser has the word.
//
// It may use the tokens of starhost/load/tokens and the engine's Problem. Start
// reading at [Find]; then each file is one kind of habit.
package habits
