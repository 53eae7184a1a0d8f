package frame

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
)

// What a session may keep for a client that comes back for the rest of a stream, and
// all of them together.
const (
	replaySession = 256 << 10
	replayTotal   = 32 << 20
	replayStreams = 32
)

var errPurged = errors.New("these events are not kept any more")

// A replayStore is the SDK's event store, bounded by sessions and streams as well as
// by bytes: every request opens a stream in it. It also is the place where every
// response of a session comes by, whether its client still listens or not.
type replayStore struct {
	answered func(session, sdk string)

	mu       sync.Mutex
	sessions map[string]*replaySessionState
	bytes    int
}

type replaySessionState struct {
	streams map[string]*replayStream
	order   []string // of streams, by age
	bytes   int
}

// A replayStream keeps the last events of a stream.
type replayStream struct {
	first    int // the index of events[0]
	events   [][]byte
	bytes    int
	complete bool // the response is among its events
}

func newReplayStore(answered func(session, sdk string)) *replayStore {
	return &replayStore{answered: answered, sessions: map[string]*replaySessionState{}}
}

// Open implements the SDK's EventStore.
func (r *replayStore) Open(_ context.Context, session, stream string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessions[session]
	if s == nil {
		s = &replaySessionState{streams: map[string]*replayStream{}}
		r.sessions[session] = s
	}
	if s.streams[stream] != nil {
		return nil
	}
	s.streams[stream] = &replayStream{}
	s.order = append(s.order, stream)
	if len(s.order) > replayStreams {
		r.evict(s)
	}
	return nil
}

// evict gives up one stream of a session: the oldest that is complete, or else the
// oldest that some request has opened. It does not come back, for its events would
// have other indices.
func (r *replayStore) evict(s *replaySessionState) {
	at := slices.IndexFunc(s.order, func(name string) bool { return s.streams[name].complete })
	if at < 0 {
		at = slices.IndexFunc(s.order, func(name string) bool { return name != "" })
	}
	name := s.order[at]
	r.forget(s, s.streams[name], len(s.streams[name].events))
	delete(s.streams, name)
	s.order = slices.Delete(s.order, at, at+1)
}

// forget drops the first n events of a stream.
func (r *replayStore) forget(s *replaySessionState, st *replayStream, n int) {
	for _, event := range st.events[:n] {
		st.bytes -= len(event)
		s.bytes -= len(event)
		r.bytes -= len(event)
	}
	st.first += n
	st.events = slices.Delete(st.events, 0, n)
}

// Append implements the SDK's EventStore.
func (r *replayStore) Append(_ context.Context, session, stream string, data []byte) error {
	sdk, complete := responseTo(data)
	if complete {
		r.answered(session, sdk)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessions[session]
	if s == nil || s.streams[stream] == nil {
		return errPurged // the session is over, or the stream given up
	}
	st := s.streams[stream]
	st.complete = st.complete || complete
	for _, old := range s.order {
		if s.bytes+len(data) <= replaySession && r.bytes+len(data) <= replayTotal {
			break
		}
		r.forget(s, s.streams[old], len(s.streams[old].events))
	}
	if s.bytes+len(data) > replaySession || r.bytes+len(data) > replayTotal {
		r.forget(s, st, len(st.events))
		st.first++ // this event has an index, and is gone
		return errPurged
	}
	st.events = append(st.events, data)
	st.bytes += len(data)
	s.bytes += len(data)
	r.bytes += len(data)
	return nil
}

// responseTo is the SDK's id of the request that a message answers.
func responseTo(data []byte) (sdk string, ok bool) {
	if len(data) == 0 {
		return "", false
	}
	var raw rawMessage
	if err := raw.read(data); err != nil || raw.method != nil {
		return "", false
	}
	return stringOf(raw.id)
}

// After implements the SDK's EventStore.
func (r *replayStore) After(_ context.Context, session, stream string, index int) iter.Seq2[[]byte, error] {
	events, err := r.after(session, stream, index)
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (r *replayStore) after(session, stream string, index int) ([][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessions[session]
	if s == nil || s.streams[stream] == nil {
		return nil, errPurged
	}
	st := s.streams[stream]
	start := index + 1 - st.first
	if start < 0 {
		return nil, errPurged
	}
	return slices.Clone(st.events[min(start, len(st.events)):]), nil
}

// SessionClosed implements the SDK's EventStore.
func (r *replayStore) SessionClosed(_ context.Context, session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sessions[session]; s != nil {
		r.bytes -= s.bytes
		delete(r.sessions, session)
	}
	return nil
}
