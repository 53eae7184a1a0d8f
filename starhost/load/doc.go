// Package load turns a folder of scripts into a [Snapshot]: everything one
// version of a server offers, compiled, checked and immutable. Or it turns it
// into a report of everything that is wrong, so that an author mends a file once
// and not once a mistake.
//
// A file goes through these steps, one file of this package each:
//
//	source.go     read it, without following anything out of the root
//	module.go     take it through the steps, and its loads before it
//	grammar.go    every Python habit, one grammar error a statement
//	names.go      all undefined and doubly defined names
//	runtime.go    the first error of running it
//	signature.go  what its annotations mean
//
// and then, over all files together: tools.go makes the tools, and engine/graph
// refuses what doesn't fit. The packages below do the careful work on text:
// tokens scans, annotate makes annotations real, habits knows Python's, report
// shows problems.
//
// It reads files and runs scripts at load time; it serves nothing. Start reading
// at [Load].
package load
