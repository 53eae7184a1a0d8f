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

// A ProtocolError ends a call with a JSON-RPC error instead of a result.
// Scripts make one with protocol_error(code, message, data).
type ProtocolError struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil: no data member
}

func (e *ProtocolError) Error() string { return e.Message }

// An Interrupt ends a call because of a limit or a cancellation. attempt() never
// catches it. Text is for the model: it names the limit and how to raise it.
type Interrupt struct{ Text string }

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
