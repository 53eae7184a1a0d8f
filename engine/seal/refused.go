package seal

import (
	"encoding/json"

	"github.com/mcpstar/mcpstar/engine"
)

// A Refused error says that a requestState can't be used. It unwraps to the
// [engine.ProtocolError] of [Answer], which is all a client may learn.
type Refused struct {
	// Reason is a short phrase for the operator's log: "expired",
	// "made for another tool". It holds nothing that a client sent, and no secret.
	Reason string
}

func (r *Refused) Error() string { return "requestState refused: " + r.Reason }

// Unwrap is the answer to the client.
func (r *Refused) Unwrap() error { return Answer() }

// Answer is what a client gets for every requestState that can't be used,
// whatever the cause.
func Answer() *engine.ProtocolError {
	return &engine.ProtocolError{
		Code:    engine.CodeInvalidParams,
		Message: "Invalid or expired requestState",
		Data:    json.RawMessage(`{"reason":"invalid_request_state"}`),
	}
}

func refuse(reason string) error { return &Refused{Reason: reason} }
