package frame

import "sync"

// A call is one request that the SDK has not answered yet.
type call struct {
	id     string // canonical
	sdk    string // how the SDK calls it
	method string
	size   int
	// cancelled calls are not answered.
	cancelled bool
}

// inflight keeps the calls of one connection.
type inflight struct {
	maxCalls, maxBytes int

	mu     sync.Mutex
	serial uint64
	byID   map[string]*call // without the cancelled ones: their ids are free again
	bySDK  map[string]*call
	held   int           // calls whose answer has not gone out, answered ones among them
	bytes  int           // how long those are together
	ended  int           // calls so far that have been answered
	ending int           // calls that will end by themselves
	idle   chan struct{} // closed when ending becomes 0; nil: nobody waits
}

// begin registers a request, or says why it can't be taken.
func (f *inflight) begin(m *message) (*call, *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byID[m.id] != nil {
		return nil, invalidRequest("this id is in use by a request that is not answered yet")
	}
	if f.held > 0 && (f.held >= f.maxCalls || f.bytes+m.size > f.maxBytes) {
		return nil, &fault{code: -32603, message: "too many requests in flight: wait for answers before sending more"}
	}
	if f.byID == nil {
		f.byID, f.bySDK = map[string]*call{}, map[string]*call{}
	}
	f.serial++
	c := &call{id: m.id, sdk: sdkID(m.id, f.serial), method: m.method, size: m.size}
	f.byID[c.id], f.bySDK[c.sdk] = c, c
	f.held++
	f.bytes += c.size
	if c.ends() {
		f.ending++
	}
	return c, nil
}

// ends reports whether the call will end by itself: a listening one waits to be told.
func (c *call) ends() bool { return c.method != "subscriptions/listen" }

// cancel marks the call with that id as one whose answer nobody wants. It returns nil
// when there is none, or none that may be cancelled.
func (f *inflight) cancel(id string) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.byID[id]
	if c == nil || c.method == "initialize" {
		return nil
	}
	c.cancelled = true
	delete(f.byID, id)
	return c
}

// end forgets the call that the SDK answers, so that its id may be used again. It
// returns nil when there is none. Once the answer is on its way, settle must follow.
func (f *inflight) end(sdk string) (c *call, cancelled bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c = f.bySDK[sdk]
	if c == nil {
		return nil, false
	}
	delete(f.bySDK, sdk)
	if !c.cancelled {
		delete(f.byID, c.id)
	}
	return c, c.cancelled
}

// settle says that nothing is left to do for a call that end has returned. Only
// then is there room for another: an answer that waits for a client which does not
// read would else be joined by any number of others.
func (f *inflight) settle(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended++
	f.held--
	f.bytes -= c.size
	if c.ends() {
		f.ending--
	}
	if f.ending == 0 && f.idle != nil {
		close(f.idle)
		f.idle = nil
	}
}

// finish is end and settle at once, for answers that don't wait for one another: each
// is the response to an HTTP request of its own.
func (f *inflight) finish(sdk string) {
	if c, _ := f.end(sdk); c != nil {
		f.settle(c)
	}
}

// isCancelled reports whether c has been cancelled.
func (f *inflight) isCancelled(c *call) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return c.cancelled
}

// cancelAll cancels every call and returns those that were not cancelled yet.
func (f *inflight) cancelAll() []*call {
	f.mu.Lock()
	defer f.mu.Unlock()
	var calls []*call
	for id, c := range f.byID {
		c.cancelled = true
		calls = append(calls, c)
		delete(f.byID, id)
	}
	return calls
}

// progress is how many calls have ended so far.
func (f *inflight) progress() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}

// done is closed once every call that ends by itself has been answered.
func (f *inflight) done() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	ch := make(chan struct{})
	if f.ending == 0 {
		close(ch)
		return ch
	}
	if f.idle == nil {
		f.idle = ch
	}
	return f.idle
}
