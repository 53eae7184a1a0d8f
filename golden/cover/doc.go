// Package cover collects what tests reach of the scripts under test: lines,
// tools, and what resolvers did.
//
// Starlark has no hook for lines, so each statement gets a call of a word of our
// own before it, in the tree that the loader compiles. Start reading at
// [Coverage.Watch].
package cover
