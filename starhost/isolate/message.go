package isolate

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// A message is what goes over a link: a request, the reply to one, a request taken
// back, or the news that something else is offered. One of the pointers says what it
// is about. Both ends are the same binary, so there are no versions of it.
type message struct {
	Kind kind
	// ID numbers the requests of a side; its reply, and what takes it back, have the
	// same. News have none.
	ID uint64
	// Of is the ID of the call, or of the watch, in whose course a worker says something.
	Of uint64

	// The host's requests.
	Begin  *begin
	Call   *calls.Request
	Reload *reloading
	Close  bool
	Ping   bool
	// The worker's requests.
	Said    *said
	Updated *updated
	Tell    *telling
	Changed *changed
	// News of the worker's.
	Offer   *calls.Offer
	Leaving string // why the worker ends now
	// Replies.
	Ready  *ready
	Answer *answer
	Raw    json.RawMessage
	Error  *failure
}

type kind byte

const (
	request kind = iota + 1
	reply
	cancel
	news
)

// begin asks a worker to load its scripts.
type begin struct {
	// Memory is how many bytes it may have beside what it has now; 0: no limit.
	Memory int64
}

// ready is the reply: the scripts are loaded, and what they offer has been told.
type ready struct {
	// Bounded says that the worker can't exceed the limit. Else the host watches it.
	Bounded bool
}

// reloading asks a worker to reload now, or with Watch whenever a file changes.
type reloading struct{ Watch, Tell bool }

// changed is what came of a reload.
type changed struct {
	Change *reload.Change
	Error  *failure
}

// updated says that a resource has changed.
type updated struct{ URI string }

// telling is for the clients that want messages of that level.
type telling struct{ Level, Text string }

// said is what a call says to its client while it runs: [calls.Client].
type said struct {
	What     word
	Question calls.Question
	Level    string
	Logger   string
	Data     json.RawMessage
	Done     float64
	Total    *float64
	Text     string // a message, an id or a wire key
	Retry    time.Duration
	Failed   bool
}

type word byte

const (
	asks word = iota + 1
	logs
	progresses
	elicited
	closesSSE
	resolves
	resolved
)

// An answer is a [calls.Answer] with its members as JSON.
type answer struct {
	Members []member
	State   []byte
	Report  calls.Report
}

type member struct {
	Name string
	JSON json.RawMessage
}

// outgoing is an answer as it crosses.
func outgoing(a *calls.Answer) (*answer, error) {
	out := &answer{State: a.State, Report: a.Report}
	for _, m := range a.Members {
		text, raw := m.Value.(json.RawMessage)
		if !raw {
			var err error
			if text, err = exactjson.Append(nil, m.Value, "", exactjson.Limits{Bytes: 1 << 30}); err != nil {
				return nil, fmt.Errorf("the result: %w", err)
			}
		}
		out.Members = append(out.Members, member{m.Name, text})
	}
	return out, nil
}

// incoming is an answer that has crossed.
func incoming(a *answer) *calls.Answer {
	in := &calls.Answer{State: a.State, Report: a.Report}
	for _, m := range a.Members {
		in.Members = in.Members.With(m.Name, m.JSON)
	}
	return in
}
