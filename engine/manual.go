package engine

import (
	"encoding/json"

	"go.starlark.net/starlark"
)

// An InputRequired is what a body returns that drives the rounds of its call by
// itself, in place of resolvers: questions under keys of its own, and a state that
// it gets back together with the answers.
//
// Implementations are immutable.
type InputRequired interface {
	starlark.Value

	// Requests are the questions, in order.
	Requests() []InputRequest

	// Kept is the state, as JSON, or nil when there is none: then the next round
	// brings nothing that could be verified, and may as well be a first one.
	Kept() json.RawMessage
}

// An InputRequest is one question of an [InputRequired].
type InputRequest struct {
	Key      string
	Question Question
}
