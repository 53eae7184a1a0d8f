// Package guard bounds what go.starlark.net does in one step. A step can't be
// cancelled, and some of its steps have no end: [0] * n, s.replace("", s),
// max(range(n)), str(x) of a list that holds itself a thousand times. An honest
// author writes them, and the model supplies n.
//
// A loader rewrites scripts so that such operations come by here first
// (starhost/load/gates). What they are about to make is charged to the budget of
// the thread (engine.Budget), and what would take long is done in loops that end
// when the call does. Each guard gives the very result and the very error that
// the interpreter gives, or stops the call with an engine.Interrupt.
//
//   - [Gate] is what the rewritten operations are handed to
//   - [Words] are the hidden names that rewritten scripts use, and the guarded
//     forms of Starlark's own functions
//   - methods are guarded when they are taken from their value, so that a method
//     that is kept and called later is guarded too
//
// The package may use Starlark and the engine. Start reading at [Gate].
package guard
