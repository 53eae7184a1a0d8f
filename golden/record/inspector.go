package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// An entry is one of a protocol export of the MCP Inspector: a list of these, a
// request with the answer that it got.
type entry struct {
	Timestamp string          `json:"timestamp"`
	Direction string          `json:"direction"` // request, response, notification
	Origin    string          `json:"origin"`    // client or server; older ones say nothing
	Message   json.RawMessage `json:"message"`
	Response  json.RawMessage `json:"response"`
	Duration  float64         `json:"duration"` // of the answer, in milliseconds
}

// fromServer are the requests that only a server makes, for exports without an
// origin.
var fromServer = []string{"sampling/createMessage", "elicitation/create", "roots/list"}

// Inspector turns a protocol export of the MCP Inspector into a transcript.
func Inspector(export []byte, o Options) ([]byte, error) {
	var entries []entry
	if err := json.Unmarshal(export, &entries); err != nil {
		var wrapped struct{ Messages, Entries, History []entry }
		if json.Unmarshal(export, &wrapped) != nil {
			return nil, fmt.Errorf("no protocol export of the MCP Inspector: %w", err)
		}
		entries = slices.Concat(wrapped.Messages, wrapped.Entries, wrapped.History)
	}
	if len(entries) == 0 {
		return nil, errors.New("the export holds no messages")
	}
	events, err := eventsOf(entries)
	if err != nil {
		return nil, err
	}
	r := New(o)
	for _, e := range events {
		r.add(e.text, e.fromClient, 0)
	}
	return r.Transcript(), nil
}

// An event is one message of an export, and when it was said.
type event struct {
	at         time.Time
	text       json.RawMessage
	fromClient bool
}

// eventsOf are the messages in the order in which they were said: an answer comes
// after whatever was asked meanwhile.
func eventsOf(entries []entry) ([]event, error) {
	var events []event
	for i, e := range entries {
		v, err := transcript.ParseJSON(e.Message)
		if err != nil || v.Kind != transcript.Object {
			return nil, fmt.Errorf("entry %d of the export has no message", i+1)
		}
		at, err := time.Parse(time.RFC3339Nano, e.Timestamp)
		if err != nil {
			return nil, fmt.Errorf("entry %d of the export has no timestamp: %w", i+1, err)
		}
		client := e.byClient(v)
		events = append(events, event{at, e.Message, client})
		if len(e.Response) > 0 && string(e.Response) != "null" {
			after := time.Duration(e.Duration * float64(time.Millisecond))
			events = append(events, event{at.Add(after), e.Response, !client})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	return events, nil
}

// byClient reports whether the client has said a message.
func (e *entry) byClient(v *transcript.Value) bool {
	if e.Origin != "" {
		return e.Origin == "client"
	}
	method := v.Get("method")
	switch {
	case method == nil:
		return false
	case slices.Contains(fromServer, method.Text):
		return false
	case strings.HasPrefix(method.Text, "notifications/"):
		return slices.Contains([]string{"notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed"}, method.Text)
	}
	return true
}
