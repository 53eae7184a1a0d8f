package questions

import (
	"encoding/json"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// question is what all four words make. Everything is rendered when it is made:
// a question that can't be rendered is the mistake of the line that made it.
type question struct {
	word   string
	text   string // the call as its author would recognise it
	pos    syntax.Position
	method string

	handshake json.RawMessage // params, nil for none
	rounds    json.RawMessage
	rendering json.RawMessage
	needs     engine.Capability
	answers   engine.Type
	accept    func(answer json.RawMessage) (engine.Outcome, error)
}

var _ engine.Question = (*question)(nil)

func (q *question) Word() string             { return q.word }
func (q *question) Pos() syntax.Position     { return q.pos }
func (q *question) Method() string           { return q.method }
func (q *question) Needs() engine.Capability { return q.needs }
func (q *question) Answers() engine.Type     { return q.answers }

// Params is nil for a request without params. The bytes are the caller's own.
func (q *question) Params(r engine.Revision) json.RawMessage {
	if r == engine.Handshake {
		return slices.Clone(q.handshake)
	}
	return slices.Clone(q.rounds)
}

// Rendering holds the params as they are before a revision leaves some out:
// renaming a model is another question on every revision, though a client of
// 2026-07-28 is not shown the name.
func (q *question) Rendering() json.RawMessage { return slices.Clone(q.rendering) }

// Accept takes the same answers on every revision.
func (q *question) Accept(answer json.RawMessage) (engine.Outcome, error) {
	outcome, err := q.accept(answer)
	if err != nil {
		return engine.Outcome{}, err
	}
	if outcome.Value == nil {
		outcome.Value = starlark.None
	}
	outcome.Value.Freeze()
	return outcome, nil
}

func (q *question) String() string       { return q.text }
func (q *question) Type() string         { return "question" }
func (q *question) Freeze()              {}
func (q *question) Truth() starlark.Bool { return true }

// shorten cuts a text that is only there to recognise something by.
func shorten(s string) string {
	const longest = 60
	for i := range s {
		if i > longest {
			return s[:i] + "…"
		}
	}
	return s
}
