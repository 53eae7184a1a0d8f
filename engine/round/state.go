package round

import (
	"encoding/json"
	"time"
)

// A State is what the rounds of one call hand on to each other. It travels
// through the client, sealed by engine/seal; the client can neither read nor
// change it.
type State struct {
	// Version of this form. Another version reads as "no progress".
	Version int `json:"v"`
	// Call names the call over all of its rounds.
	Call string `json:"c"`
	// Began is when its first round began, in nanoseconds since 1970. It is the
	// time that resolvers see.
	Began int64 `json:"b"`
	// Seed feeds the random generators of the resolvers.
	Seed uint64 `json:"s"`
	// Rounds counts the rounds that have ended.
	Rounds int `json:"r,omitempty"`
	// Trace is the traceparent of the first round, where calls are traced.
	Trace string `json:"p,omitempty"`
	// Code names the version of the scripts that asked last, so that a question
	// which a reload has reworded is told apart from one that never settles.
	Code string `json:"g,omitempty"`
	// Answers are the recorded answers, in the order in which they were used. It
	// is a list so that other recorded effects can join it.
	Answers []Recorded `json:"a,omitempty"`
	// Asked are the questions that are out: wire key and digest.
	Asked []Pin `json:"q,omitempty"`
	// Changed counts, for each wire key, the answers that came for a question
	// which had changed meanwhile.
	Changed map[string]int `json:"n,omitempty"`
	// Manual is the state of a body that drives its rounds by itself, as JSON.
	Manual json.RawMessage `json:"m,omitempty"`
}

// A Pin is a question as it was asked.
type Pin struct {
	Key    string `json:"k"`
	Digest string `json:"d"`
}

// A Recorded is an answer and the question it belongs to.
type Recorded struct {
	Pin
	// Answer is the client's result exactly as it came.
	Answer json.RawMessage `json:"r"`
}

const stateVersion = 1

// DecodeState reads a state that was unsealed. Text that is not a state of this
// version gives nil: no progress yet, as after an upgrade of the server.
func DecodeState(data []byte) *State {
	s := new(State)
	if err := json.Unmarshal(data, s); err != nil || s.Version != stateVersion || s.Call == "" {
		return nil
	}
	return s
}

// Encode writes the state for sealing.
func (s *State) Encode() ([]byte, error) { return json.Marshal(s) }

// Start is the time that resolvers see.
func (s *State) Start() time.Time { return time.Unix(0, s.Began).UTC() }

func (s *State) asked(key string) string {
	for _, p := range s.Asked {
		if p.Key == key {
			return p.Digest
		}
	}
	return ""
}

func (s *State) recorded(key string) *Recorded {
	for i := range s.Answers {
		if s.Answers[i].Key == key {
			return &s.Answers[i]
		}
	}
	return nil
}
