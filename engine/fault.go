package engine

import (
	"encoding/json"
	"errors"

	"go.starlark.net/starlark"
)

// A Failure ends a call with an error result that the model can read. Scripts
// make one with fail("text"), the engine makes one where a call can't go on.
type Failure struct{ Text string }

func (f *Failure) Error() string { return f.Text }

// A WrongResult is the [Failure] of a function whose value does not fit its -> T: a
// mistake in the script, where the text of a bare Failure may be what its author meant.
type WrongResult struct {
	Failure
	// At is the place of the function's name; zero for one that no script has.
	At Span
}

// Unwrap is the Failure: whoever only wants to know how a call ends needs no more.
func (w *WrongResult) Unwrap() error { return &w.Failure }

// A ProtocolError ends a call with a JSON-RPC error instead of a result.
// Scripts make one with protocol_error(code, message, data).
type ProtocolError struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil: no data member
}

func (e *ProtocolError) Error() string { return e.Message }

// An Interrupt ends a call because of a limit or a cancellation. attempt() never
// catches it.
type Interrupt struct {
	// Text is for the model: it names the limit and how to raise it.
	Text string
	// Stack is where the script was, outermost call first. Only [Interrupted] knows
	// it; it is nil where nothing ran.
	Stack starlark.CallStack
}

func (i *Interrupt) Error() string { return i.Text }

// Codes of JSON-RPC and of MCP that the engine and its users answer with.
const (
	CodeInvalidParams     = -32602
	CodeInternalError     = -32603
	CodeMissingCapability = -32021 // SEP-2575: a required client capability was not declared
)

// Catchable reports whether a script may handle err with attempt().
func Catchable(err error) bool {
	var protocol *ProtocolError
	var interrupt *Interrupt
	return !errors.As(err, &protocol) && !errors.As(err, &interrupt)
}

// FailureText is the bare text of an error that ended a script: what fail() was
// given, or the interpreter's words, never a stack trace.
func FailureText(err error) string {
	var failure *Failure
	if errors.As(err, &failure) {
		return failure.Text
	}
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		return withRemedy(eval.Msg)
	}
	return withRemedy(err.Error())
}
