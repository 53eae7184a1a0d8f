package round

import "github.com/mcpstar/mcpstar/engine"

// An Event is something that a resolver or the tool has done.
type Event struct {
	Key  string // the resolver's wire key; "" for the tool
	What Deed
	// Action is what came of a question that was answered.
	Action engine.Action
}

// A Deed is what can be done.
type Deed string

// A resolver computes its value, or asks; a question may be answered. In the end
// the tool itself runs.
const (
	Ran      Deed = "ran"
	Computed Deed = "computed"
	Asks     Deed = "asked"
	Answered Deed = "answered"
)

func (r *run) observe(key string, what Deed, action engine.Action) {
	if r.Observe != nil {
		r.Observe(Event{Key: key, What: what, Action: action})
	}
}
