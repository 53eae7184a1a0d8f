// Package startest runs the .star files in which words are tested, for tests
// only. A file is cut at its lines of three dashes; each piece is a script of its
// own that must run to its end, or stop where it says so:
//
//	assert.eq(round(2.5), 2)
//	---
//	round("x") ### "got .* want a number"
//
// Scripts have the words under test and starlarktest's assert. Start reading at
// [Run].
package startest
