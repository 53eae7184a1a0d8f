// Package script runs Starlark tests: the functions test_* of a *_test.star file.
//
// A test file is a script like any other, with a few words more: call() plays a
// call of a tool the way a client does, and what Starlark itself can say (accept,
// decline, assert.eq, ...) is said in scripts/testing. Each function gets a server
// of its own, loaded and started anew, so that no test sees what another left.
//
//	run.go      the functions of a file, one after another
//	words.go    the words of test files
//	call.go     call(): a tool, its answers, its overrides
//	result.go   what call() gives
//
// It reads the scripts and opens connections in memory. Start reading at [Run].
package script
