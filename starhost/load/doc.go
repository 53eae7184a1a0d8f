// Package load turns a folder of scripts into a [Snapshot]: everything one
// version of a server offers, compiled, checked and immutable. Or it turns it
// into a report of everything that is wrong, so that an author mends a file once
// and not once a mistake.
//
// A file goes through these steps, one file of this package each:
//
//	source.go     read it, without following anything out of the root
//	module.go     take it through the steps
//	grammar.go    every Python habit, one grammar error a statement; bounds.go
//	              refuses what would overflow the interpreter's stack
//	names.go      all undefined and doubly defined names; assigned.go refuses what
//	              a function can't assign to
//	loads.go      what it loads, before it is run
//	runtime.go    the first error of running it
//	frozen.go     what it made is frozen
//	signature.go  what its annotations mean; noreturn.go warns of a result that
//	              never comes
//
// and then, over all files together: tools.go makes the tools, forms.go looks at
// questions, and engine/graph refuses what doesn't fit. The packages below do the
// careful work on text: tokens scans, annotate makes annotations real, habits
// knows Python's, report shows problems.
//
// It reads files and runs scripts at load time; it serves nothing. Start reading
// at [Load]. The problems it can report are in testdata, each beside the line that
// causes it.
package load
