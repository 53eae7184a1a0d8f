package record

import (
	"sync"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// A Recorder remembers what a client and a server say. It is safe for concurrent
// use; make it with [New].
type Recorder struct {
	options Options

	mu       sync.Mutex
	messages []message
	inflight map[string]bool
}

// Options say what to write beside the traffic.
type Options struct {
	// Server is the path of the server's script, relative to the transcript.
	Server string
	// Command is the server's command, for a server of another make.
	Command []string
	// Transport is "stdio" or "http".
	Transport string
	// Secrets are values that are never written, whatever they look like.
	Secrets []string
	// Changed is told when nothing is under way, so that a recording survives
	// whatever ends the process. It is called while the recorder is locked. May be
	// nil.
	Changed func(text []byte)
}

type message struct {
	fromClient bool
	value      *transcript.Value
	status     int
}

// New is an empty recorder.
func New(o Options) *Recorder { return &Recorder{options: o, inflight: map[string]bool{}} }

// Client records a message of the client. Text that is no message is passed over.
func (r *Recorder) Client(text []byte) { r.add(text, true, 0) }

// Server records a message of the server; status is that of HTTP, or 0.
func (r *Recorder) Server(text []byte, status int) { r.add(text, false, status) }

func (r *Recorder) add(text []byte, fromClient bool, status int) {
	v, err := transcript.ParseJSON(text)
	if err != nil || v.Kind != transcript.Object {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, message{fromClient, v, status})
	id := v.Get("id")
	switch {
	case id != nil && v.Get("method") != nil && fromClient:
		r.inflight[string(id.Compact())] = true
	case id != nil && v.Get("method") == nil && !fromClient:
		delete(r.inflight, string(id.Compact()))
		if len(r.inflight) == 0 && r.options.Changed != nil {
			r.options.Changed(r.write())
		}
	}
}

// Transcript is what has been recorded so far, or nil when nothing was said.
func (r *Recorder) Transcript() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.messages) == 0 {
		return nil
	}
	return r.write()
}
