// Package golden tests servers the way their clients see them: with transcripts,
// *.txtar, and with Starlark tests, *_test.star.
//
// A Go program that embeds servers runs both with its own tests:
//
//	func TestServers(t *testing.T) { golden.Run(t, "testdata", golden.Options{}) }
//
// and mcpstar test runs them from the command line.
//
//	find.go     which files there are
//	runner.go   one file: its outcomes, or why it can't be read
//	story.go    a transcript against the server that it names
//	world.go    the -- world -- section
//	run.go      subtests for Go
//
// The rooms below: transcript (the format), play (the client that plays it),
// script (Starlark tests), record (transcripts from live traffic), cover (what no
// test has reached).
//
// It reads and, to update, writes the test files; it opens no connection but to
// the servers under test. Start reading at [RunFile].
package golden
