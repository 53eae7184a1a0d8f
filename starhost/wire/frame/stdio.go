package frame

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// StdioOptions bound one connection. The zero value is fit for use.
type StdioOptions struct {
	// MaxLine is the longest message in bytes. Longer ones are answered with an
	// error; no more than this of one is ever held in memory. Default 16 MiB.
	MaxLine int

	// MaxInFlight is how many requests may wait for their answers, and
	// MaxInFlightBytes how long they may be together; further ones are answered
	// with an error. One request is always taken. Defaults 1024 and 64 MiB.
	MaxInFlight      int
	MaxInFlightBytes int

	// Drain is how long requests may go on after the end of the input, with none of
	// them coming to an end, before they are cancelled; and how long a client may
	// take to read the last answers. Default 500 ms; a negative value cancels at
	// once. The end of the context that the server runs under always does.
	Drain time.Duration

	// Stop asks the connection to end, when it is closed: further requests are
	// refused, those under way have Grace to finish, for which answers and
	// cancellations are still read, and are cancelled then. Nil: nobody asks.
	Stop  <-chan struct{}
	Grace time.Duration

	// LeaveAnswers keeps the client's answers where the SDK reads them, for a
	// server that does not look for [MetaInputResponses], [MetaRequestState] and
	// [MetaResult].
	LeaveAnswers bool
}

func (o StdioOptions) orDefault() StdioOptions {
	if o.MaxLine <= 0 {
		o.MaxLine = 16 << 20
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 1024
	}
	if o.MaxInFlightBytes <= 0 {
		o.MaxInFlightBytes = 64 << 20
	}
	if o.Drain == 0 {
		o.Drain = 500 * time.Millisecond
	}
	return o
}

// flush is how long the last answers may take to be written.
func (o StdioOptions) flush() time.Duration { return max(o.Drain, 100*time.Millisecond) }

// NewStdio is a transport of one message a line, for one connection: [mcp.Server.Run]
// or Connect. Reading r ends the connection at its end, never at a bad line. Closing
// the connection closes r if it is an io.Closer, so that a read which is under way
// ends; w is left open.
//
// The first good request decides the era: an initialize, or one with an envelope.
// Until then, and after it, requests that don't fit are answered and change nothing.
func NewStdio(r io.Reader, w io.Writer, opts StdioOptions) mcp.Transport {
	return &stdio{r: r, w: w, opts: opts.orDefault()}
}

type stdio struct {
	r      io.Reader
	w      io.Writer
	closeW io.Closer // of an in-memory pipe
	opts   StdioOptions
}

// Connect implements [mcp.Transport]. It may be called once.
func (t *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	c := &stdioConn{
		transport: t,
		rewriter:  rewriter{leaveAnswers: t.opts.LeaveAnswers},
		calls:     inflight{maxCalls: t.opts.MaxInFlight, maxBytes: t.opts.MaxInFlightBytes},
		out:       newOutbox(t.w),
		in:        make(chan jsonrpc.Message),
		ended:     make(chan struct{}),
		closed:    make(chan struct{}),
	}
	go c.readAll(newLineReader(t.r, t.opts.MaxLine))
	// When Run's context ends, the SDK refuses to send any more answers: to let
	// handlers go on would serve nobody.
	c.forget = context.AfterFunc(ctx, func() { c.end(nil, 0) })
	if t.opts.Stop != nil {
		go c.stop(t.opts.Stop, t.opts.Grace)
	}
	return c, nil
}

type stdioConn struct {
	transport *stdio
	rewriter  rewriter
	calls     inflight
	out       *outbox
	in        chan jsonrpc.Message
	forget    func() bool // stops waiting for the end of the context

	mu        sync.Mutex
	era       era
	questions map[string]bool // ids of requests to the client that have no answer yet

	stopping atomic.Bool // no more requests are taken

	endOnce sync.Once
	ended   chan struct{} // closed when there is no more input
	endErr  error         // why; set before ended is closed

	closeOnce sync.Once
	closed    chan struct{}
	closeErr  error
}

// era is where a connection stands.
type era int

const (
	undecided era = iota
	handshake     // initialize has been passed on
	modern
)

// SessionID implements [mcp.Connection]: stdio has no session ids.
func (c *stdioConn) SessionID() string { return "" }

// readAll turns lines into messages until the input ends.
func (c *stdioConn) readAll(lines *lineReader) {
	for {
		line, err := lines.next()
		if errors.Is(err, errLong) {
			_, _, id := parse(line)
			c.refuse(invalidRequest("longer than "+itoa(c.transport.opts.MaxLine)+" bytes"), id)
			continue
		}
		if err != nil {
			c.end(err, c.transport.opts.Drain)
			return
		}
		msg := c.accept(line)
		if msg == nil {
			continue
		}
		select {
		case c.in <- msg:
		case <-c.closed:
			return
		}
	}
}

// accept judges one line. It returns nil when the SDK has nothing to do with it.
func (c *stdioConn) accept(line []byte) jsonrpc.Message {
	m, f, id := parse(line)
	if f != nil {
		if m != nil {
			if msg := c.acceptAnswer(m); msg != nil {
				return msg
			}
		}
		c.refuse(f, id)
		return nil
	}
	switch m.kind {
	case answer:
		return c.acceptAnswer(m)
	case notification:
		return c.acceptNotification(m)
	case request:
		return c.acceptRequest(m)
	}
	return nil
}

func (c *stdioConn) acceptAnswer(m *message) jsonrpc.Message {
	if !c.asked(m.id) {
		return nil
	}
	result, failure := c.rewriter.sdkAnswer(m)
	resp := &jsonrpc.Response{ID: serverID(m.id), Result: result}
	if failure != nil {
		resp.Error = failure
	}
	return resp
}

func (c *stdioConn) acceptNotification(m *message) jsonrpc.Message {
	if m.method == "notifications/cancelled" {
		if !isString(m.params.requestID) && !isNumber(m.params.requestID) {
			return nil
		}
		call := c.calls.cancel(canonicalID(m.params.requestID))
		if call == nil {
			return nil
		}
		params := append(appendQuoted([]byte(`{"requestId":`), call.sdk), '}')
		return &jsonrpc.Request{Method: m.method, Params: params}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.era != handshake {
		return nil // the envelope's era has no other notification to a server
	}
	return &jsonrpc.Request{Method: m.method, Params: c.rewriter.forSDK(m)}
}

func (c *stdioConn) acceptRequest(m *message) jsonrpc.Message {
	if c.stopping.Load() {
		c.refuse(&fault{code: jsonrpc.CodeInternalError, message: "the server is stopping"}, m.id)
		return nil
	}
	f := c.admit(m)
	if f != nil {
		c.refuse(f, m.id)
		return nil
	}
	call, f := c.calls.begin(m)
	if f != nil {
		id := m.id
		if f.code == jsonrpc.CodeInvalidRequest {
			id = "" // or it would be taken for the answer to the first request of that id
		}
		c.refuse(f, id)
		return nil
	}
	id, err := jsonrpc.MakeID(call.sdk)
	if err != nil {
		return nil
	}
	return &jsonrpc.Request{ID: id, Method: m.method, Params: c.rewriter.forSDK(m)}
}

// admit judges a request by the era, and lets it decide the era.
func (c *stdioConn) admit(m *message) *fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.era == handshake && m.method == "initialize":
		return invalidRequest("this session is initialized already")
	case c.era == handshake:
		return m.legacyFault()
	case c.era == modern && m.method == "initialize":
		var requested []byte
		if isString(m.params.version) {
			requested = m.params.version
		}
		return unsupportedVersion(handshakeOnModern, requested)
	case c.era == modern || m.modern() && m.method != "initialize":
		f := m.modernFault(nil)
		if f == nil {
			c.era = modern
		}
		return f
	}
	f := m.earlyFault()
	if f == nil && m.method == "initialize" {
		c.era = handshake
	}
	return f
}

func (c *stdioConn) refuse(f *fault, id string) {
	// An error here means that the connection is over, which reading will show.
	_ = c.out.put(append(f.appendError(nil, id), '\n'))
}

// end says that there is no more input: after some grace for the requests that are
// under way, Read tells the SDK, which cancels them.
func (c *stdioConn) end(err error, grace time.Duration) {
	if grace > 0 {
		c.drain(grace)
	}
	c.endOnce.Do(func() {
		c.endErr = io.EOF
		if err != nil && !endOfInput(err) {
			c.endErr = err
		}
		close(c.ended)
		// A handler that hangs in a write to a client which doesn't read would
		// keep the session for ever.
		go func() { _ = c.out.close(c.transport.opts.flush()) }()
	})
}

// stop ends the connection after it was asked to.
func (c *stdioConn) stop(asked <-chan struct{}, grace time.Duration) {
	select {
	case <-asked:
	case <-c.ended:
		return
	case <-c.closed:
		return
	}
	c.stopping.Store(true)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.calls.done():
	case <-timer.C:
	case <-c.ended:
	case <-c.closed:
	}
	c.end(nil, 0)
}

// drain waits for the calls under way, as long as they do come to an end.
func (c *stdioConn) drain(grace time.Duration) {
	ticker := time.NewTicker(grace)
	defer ticker.Stop()
	for before := c.calls.progress(); ; {
		select {
		case <-c.calls.done():
			return
		case <-c.ended:
			return
		case <-c.closed:
			return
		case <-ticker.C:
		}
		now := c.calls.progress()
		if now == before {
			return
		}
		before = now
	}
}

func endOfInput(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}

// Read implements [mcp.Connection].
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-c.in:
		return msg, nil
	case <-c.ended:
		return nil, c.endErr
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection].
func (c *stdioConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	var line []byte
	switch msg := msg.(type) {
	case *jsonrpc.Response:
		sdk, _ := msg.ID.Raw().(string)
		call, cancelled := c.calls.end(sdk)
		if call == nil {
			return nil
		}
		defer c.calls.settle(call)
		if cancelled {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if call.method == "initialize" && msg.Error != nil {
			c.retract()
		}
		line = appendResponse(make([]byte, 0, len(msg.Result)+64), call.id, call.method, msg)
	case *jsonrpc.Request:
		if err := ctx.Err(); err != nil {
			return err // a cancelled request has nothing to ask or tell any more
		}
		if msg.Method == "notifications/cancelled" && !c.asked(string(memberOf(msg.Params, "requestId"))) {
			return nil // of a question that was never sent, its call being cancelled
		}
		if send, err := c.sendable(msg); !send {
			return err
		}
		line = appendRequest(make([]byte, 0, len(msg.Params)+96), msg)
	}
	return c.out.put(append(oneLine(line), '\n'))
}

// retract takes back the era that a failed initialize had decided.
func (c *stdioConn) retract() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.era = undecided
}

// sendable reports whether a request or notification of the server's may go out.
func (c *stdioConn) sendable(req *jsonrpc.Request) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.era != handshake && !(c.era == undecided && req.Method == "ping") {
		return modernSendable(req)
	}
	if id, ok := req.ID.Raw().(int64); ok {
		if c.questions == nil {
			c.questions = map[string]bool{}
		}
		c.questions[strconv.FormatInt(id, 10)] = true
	}
	return true, nil
}

// asked reports whether a request of that id waits for its answer, and ends the wait.
func (c *stdioConn) asked(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.questions[id]
	delete(c.questions, id)
	return asked
}

// oneLine makes sure that a message is one line, whatever a handler marshalled.
func oneLine(message []byte) []byte {
	if bytes.IndexByte(message, '\n') < 0 {
		return message
	}
	var out bytes.Buffer
	if err := json.Compact(&out, message); err != nil {
		return bytes.ReplaceAll(message, []byte("\n"), []byte(" "))
	}
	return out.Bytes()
}

// Close implements [mcp.Connection]: it writes what waits and ends reading.
func (c *stdioConn) Close() error {
	c.closeOnce.Do(func() {
		c.forget()
		c.closeErr = c.out.close(c.transport.opts.flush())
		close(c.closed)
		if closer, ok := c.transport.r.(io.Closer); ok {
			_ = closer.Close()
		}
		if c.transport.closeW != nil {
			_ = c.transport.closeW.Close()
		}
	})
	return c.closeErr
}
