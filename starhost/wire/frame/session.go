package frame

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// sessions are the open handshake sessions of one handler. The SDK keeps its own;
// this is what it takes to bound them, and to end one whose handlers wait for
// answers that will never come.
type sessions struct {
	max  int
	idle time.Duration
	end  func(*session) // ends the SDK's side; called once a session

	mu     sync.Mutex
	open   map[string]*session
	coming int // being opened
	closed bool
	gone   map[string]bool // ended by the client, not long ago
	order  []string        // of gone
}

// goneSessions is how many ended sessions are remembered, to be told from unknown ones.
const goneSessions = 256

// A session is one client's handshake connection over HTTP.
type session struct {
	id    string
	ctx   context.Context // the values of the request that opened it
	user  string          // who that was, if it had to say
	calls inflight

	mu    sync.Mutex
	asked map[string]bool // ids of requests to the client that have no answer yet
	uses  int             // requests under way
	timer *time.Timer
	ended bool
}

// reserve makes room for one more session, or reports that there is none. The room is
// used by add or given back by giveBack.
func (ss *sessions) reserve() bool {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.closed || len(ss.open)+ss.coming >= ss.max {
		return false
	}
	ss.coming++
	return true
}

func (ss *sessions) giveBack() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.coming--
}

// add opens the session of that id, with one use, in room that was reserved.
func (ss *sessions) add(id string, ctx context.Context) *session {
	s := &session{id: id, ctx: context.WithoutCancel(ctx), user: userOf(ctx), uses: 1}
	s.calls.maxCalls, s.calls.maxBytes = 1024, 64<<20
	s.timer = time.AfterFunc(ss.idle, func() { ss.expire(s) })
	s.timer.Stop()
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.open == nil {
		ss.open = map[string]*session{}
	}
	ss.coming--
	ss.open[id] = s
	return s
}

// use finds the session of that id for one request, whose user must be the one who has
// opened the session. The caller lets go with release.
func (ss *sessions) use(ctx context.Context, id string) (s *session, f *fault) {
	ss.mu.Lock()
	s, gone := ss.open[id], ss.gone[id]
	ss.mu.Unlock()
	if gone {
		return nil, &fault{code: -32600, message: "Not Found: Session has been terminated"}
	}
	if s == nil || s.user != userOf(ctx) || !s.acquire() {
		return nil, &fault{code: -32600, message: "Session not found"}
	}
	return s, nil
}

// asks notes that a request to the client waits for its answer.
func (s *session) asks(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[string]bool{}
	}
	s.asked[id] = true
}

// settles ends the wait for the answer to a request to the client. It reports
// whether there was one.
func (s *session) settles(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked[id]
	delete(s.asked, id)
	return asked
}

func (s *session) acquire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	if s.uses++; s.uses == 1 {
		s.timer.Stop()
	}
	return true
}

func (ss *sessions) release(s *session) {
	ss.mu.Lock()
	closed := ss.closed
	ss.mu.Unlock()
	s.mu.Lock()
	s.uses--
	unused := s.uses == 0 && !s.ended
	if unused {
		s.timer.Reset(ss.idle)
	}
	s.mu.Unlock()
	if unused && closed {
		ss.expire(s)
	}
}

// userOf is the user that an authorizing middleware has found, or "".
func userOf(ctx context.Context) string {
	if info := auth.TokenInfoFromContext(ctx); info != nil {
		return info.UserID
	}
	return ""
}

// expire ends a session that nobody has used for long.
func (ss *sessions) expire(s *session) {
	s.mu.Lock()
	used := s.uses > 0
	s.mu.Unlock()
	if !used {
		ss.terminate(s, false)
	}
}

// terminate ends a session. told says that its client has asked for it.
func (ss *sessions) terminate(s *session, told bool) {
	s.mu.Lock()
	first := !s.ended
	s.ended = true
	s.timer.Stop()
	s.mu.Unlock()
	if !first {
		return
	}
	ss.mu.Lock()
	delete(ss.open, s.id)
	if told {
		ss.remember(s.id)
	}
	ss.mu.Unlock()
	ss.end(s)
}

func (ss *sessions) remember(id string) {
	if ss.gone == nil {
		ss.gone = map[string]bool{}
	}
	ss.gone[id] = true
	ss.order = append(ss.order, id)
	if len(ss.order) > goneSessions {
		delete(ss.gone, ss.order[0])
		ss.order = ss.order[1:]
	}
}

// close opens no more sessions and ends those that no request holds; release ends the
// others.
func (ss *sessions) close() {
	ss.mu.Lock()
	ss.closed = true
	var all []*session
	for _, s := range ss.open {
		all = append(all, s)
	}
	ss.mu.Unlock()
	var wait sync.WaitGroup
	for _, s := range all {
		wait.Go(func() { ss.expire(s) })
	}
	wait.Wait()
}

// answered is told of every response that the SDK sends in the session of that id.
func (ss *sessions) answered(id, sdk string) {
	ss.mu.Lock()
	s := ss.open[id]
	ss.mu.Unlock()
	if s != nil {
		s.calls.finish(sdk)
	}
}
