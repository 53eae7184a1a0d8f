package engine

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A Revision is a protocol revision, as far as asking differs between them.
type Revision int

const (
	// Handshake is 2025-11-25 and everything before it: a question is a request
	// of the server in the middle of a call.
	Handshake Revision = iota
	// Rounds is 2026-07-28 and later: questions travel in an input_required
	// result, and the client calls again with the answers.
	Rounds
)

// A Question is what a resolver returns to ask: the person (elicitation), the
// client's model (sampling) or the client itself (roots).
//
// Questions are immutable once made and safe for concurrent use.
type Question interface {
	starlark.Value

	// Word is what the script wrote: "elicit", "elicit_url", "sample", "list_roots".
	Word() string

	// Pos is where the script made it.
	Pos() syntax.Position

	// Method is the protocol's request: "elicitation/create".
	Method() string

	// Params are the request's params on the given revision, complete JSON; nil
	// when the request has none there.
	Params(Revision) json.RawMessage

	// Rendering is the exact rendering an answer is pinned to: the same bytes
	// mean the same question. It holds no more and no less than what the
	// question's asker would call "the same question".
	Rendering() json.RawMessage

	// Needs is the client capability without which this can't be asked.
	Needs() Capability

	// Accept reads a client's answer: the result object of the request, as raw
	// JSON. A bad answer gives an *[AnswerError].
	Accept(answer json.RawMessage) (Outcome, error)

	// Answers is the type of what an accepted answer gives to its consumer, or
	// nil when it has none (a sampling result, roots, a raw schema).
	Answers() Type
}

// An Action is what the other side did with a question.
type Action string

const (
	Accepted  Action = "accept"
	Declined  Action = "decline"
	Cancelled Action = "cancel"
)

// An Outcome is what came of a resolver: the value it computed, or what the
// other side did with its question. Value is frozen; it is None unless the
// action is [Accepted].
type Outcome struct {
	Action Action
	Value  starlark.Value
}

// A Capability is something a client must have declared.
type Capability struct {
	// Name as errors say it: "form elicitation", "sampling.tools".
	Name string
	// Required is the requiredCapabilities object of the error, as JSON:
	// {"sampling":{"tools":{}}}.
	Required json.RawMessage
	// Declared reports whether the client's capabilities, as JSON, have it.
	Declared func(capabilities json.RawMessage) bool
}

// An AnswerError says why an answer can't be used.
type AnswerError struct {
	// Malformed: this is no answer of any kind, so the request that carried it
	// was invalid (-32602).
	Malformed bool
	// Text completes "Resolver 'K' …": "received a non-elicitation response".
	Text string
}

func (e *AnswerError) Error() string { return e.Text }

// Digest names a question's exact rendering: 22 characters that are the same in
// every process.
func Digest(q Question) string {
	sum := sha256.Sum256(append([]byte(q.Method()+"\n"), q.Rendering()...))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}
