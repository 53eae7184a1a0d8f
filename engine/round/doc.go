// Package round runs a compiled plan: one round of a call.
//
// A call is one tools/call as its author sees it. Before 2026-07-28 it has one
// round, in which each question is a request that waits for its answer. From
// 2026-07-28 on a round ends at the questions that could be reached, they all
// travel to the client, and the next round runs the graph again with the answers.
// The script can't tell the two apart.
//
// What makes that safe is here, one concept a file: the walk (run.go), what
// happens to a question (ask.go), what a later round remembers (state.go),
// bodies that drive their rounds by themselves (manual.go), and the clock that
// stands still in a resolver (clock.go).
package round
