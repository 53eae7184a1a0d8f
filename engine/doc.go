// Package engine is the resolver graph: what a tool's parameters depend on, in
// which order that runs, what is asked on the way and what is remembered
// between the rounds of a call.
//
// This package holds the words that every other room shares: a [Type] checks a
// value, a [Question] is what a resolver returns to ask, an [Outcome] is what
// came of it, a [Problem] is a mistake of an author with its place, a [Scope]
// is what a running function can reach. The work is done one level down:
//
//   - engine/graph compiles a tool's resolvers into a plan, and refuses bad ones
//   - engine/round runs a plan: once for each round of a call
//   - engine/seal turns the state of a call into the opaque text a client echoes
//   - engine/exactjson reads and writes JSON without losing order or integers
//
// The engine knows Starlark and JSON. It knows no MCP SDK, no files and no
// network: builtins implements its interfaces, starhost drives it.
//
// Start reading at [Question], then engine/graph, then engine/round.
package engine
