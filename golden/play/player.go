package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// Options say how to play.
type Options struct {
	// Transport is [Memory], [Stdio] or [HTTP]; "" is Memory.
	Transport string
	// Timeout is how long the server may be silent while an answer is due. 0 is
	// 10 seconds.
	Timeout time.Duration
	// Asked is the wire key of the resolver that has asked last, or "". It names
	// the resolver on revisions whose questions do not. May be nil.
	Asked func() string
	// Dial connects to something else than the server that is given. May be nil.
	Dial func(ctx context.Context) (Lines, error)
}

// A Difference is a place in which a play is not what is written.
type Difference struct {
	// Line is that of the file, 0 for what stands nowhere.
	Line int
	Text string
}

// A Result is one section as it was played.
type Result struct {
	Section *transcript.Section
	// Written are its lines as they would be written now.
	Written []string
	// Differences are in the order of the play; without any, Written is what
	// stands in the file.
	Differences []Difference
}

// OK reports whether the section is what the file says.
func (r *Result) OK() bool { return len(r.Differences) == 0 }

// everything is what a client declares that says nothing else.
const everything = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`

// Section plays one section to a server. An error says that it could not be
// played at all.
func Section(ctx context.Context, t *transcript.Transcript, s *transcript.Section, server Server, o Options) (*Result, error) {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	c, err := dial(ctx, server, o)
	if err != nil {
		return nil, err
	}
	defer c.close()
	bound := transcript.Bindings{}
	p := &player{
		options: o, file: t, section: s, conn: c,
		bound:    bound,
		captures: transcript.Captures{Bound: bound},
		inflight: map[string]bool{}, given: map[string]string{},
		labels: map[string]string{}, taken: map[*transcript.Entry]bool{},
		used: map[string]int{},
	}
	p.findNames()
	if err := p.greet(ctx); err != nil {
		return nil, err
	}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	r := &Result{Section: s, Written: t.Rewrite(s, p.said), Differences: p.differences}
	if len(r.Differences) == 0 && !slices.Equal(r.Written, t.Text(s)) {
		r.Differences = append(r.Differences, Difference{s.Line, "what is said comes in another order"})
	}
	return r, nil
}

func dial(ctx context.Context, server Server, o Options) (conn, error) {
	if o.Dial == nil {
		return connect(ctx, server, o.Transport)
	}
	far, err := o.Dial(ctx)
	if err != nil {
		return nil, err
	}
	l := &lines{out: far.In, in: far.Out, half: far.In.Close, cancel: far.Stop}
	l.start(far.Wait)
	return l, nil
}

// player is one section on its way.
type player struct {
	options Options
	file    *transcript.Transcript
	section *transcript.Section
	conn    conn
	bound   transcript.Bindings

	captures    transcript.Captures // of what is bound
	said        []transcript.Said
	differences []Difference
	inflight    map[string]bool   // wire ids of requests without an answer
	given       map[string]string // wire id to id as written
	labels      map[string]string // s1 to the wire id of the server's request
	taken       map[*transcript.Entry]bool
	used        map[string]int // how often an answer line was used
	silent      bool           // the server has been waited for in vain
	over        bool           // nothing more can come
	lastID      int
}

func (p *player) modern() bool { return p.section.Revision >= transcript.Rounds }

func (p *player) differs(line int, format string, args ...any) {
	p.differences = append(p.differences, Difference{line, fmt.Sprintf(format, args...)})
}

// greet does the handshake, unless the file writes it itself.
func (p *player) greet(ctx context.Context) error {
	if p.modern() || p.file.Envelope {
		return nil
	}
	hello := `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"` + p.section.Revision +
		`","capabilities":` + string(p.capabilities().Compact()) + `,"clientInfo":{"name":"mcpstar","version":"1"}}}`
	if err := p.conn.send([]byte(hello)); err != nil {
		return fmt.Errorf("the server can't be greeted: %w", err)
	}
	m, ok := p.next(ctx)
	if !ok {
		return errors.New("the server did not answer initialize")
	}
	v, err := transcript.ParseJSON(m.text)
	if err != nil || v.Get("result") == nil {
		return fmt.Errorf("the server refused initialize: %s", m.text)
	}
	return p.conn.send([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
}

func (p *player) capabilities() *transcript.Value {
	if c := p.file.Client.Capabilities; c != nil {
		return c
	}
	v, _ := transcript.ParseJSON([]byte(everything)) // a constant
	return v
}

// run walks through the section.
func (p *player) run(ctx context.Context) error {
	for _, e := range p.section.Entries {
		switch e.Direction {
		case transcript.Send:
			if err := p.say(ctx, e); err != nil {
				return fmt.Errorf("%s:%d: %w", p.file.Name, e.Line, err)
			}
		case transcript.Receive:
			for !p.taken[e] && p.mayCome(e) {
				if !p.step(ctx) {
					break
				}
			}
		}
	}
	for p.waiting() && p.step(ctx) {
	}
	p.conn.finish()
	p.silent = false
	for p.step(ctx) {
	}
	for _, e := range p.section.Entries {
		if e.Direction != transcript.Send && !p.taken[e] {
			p.differs(e.Line, "%s does not come", describe(e))
		}
	}
	return ctx.Err()
}

func describe(e *transcript.Entry) string {
	switch {
	case e.Request():
		return "the question " + e.ID + " (" + e.Method + ")"
	case e.Notification():
		return e.Method
	}
	return "the answer to " + e.ID
}

// mayCome reports whether it makes sense to wait for what is written.
func (p *player) mayCome(e *transcript.Entry) bool {
	if e.Answer() {
		return p.inflight[transcript.WireID(e.ID)] || e.ID == "null"
	}
	return p.waiting()
}

// waiting reports whether the server owes an answer.
func (p *player) waiting() bool { return len(p.inflight) > 0 }

// step takes the next message. It is false when nothing comes.
func (p *player) step(ctx context.Context) bool {
	m, ok := p.next(ctx)
	if ok {
		p.take(m)
	}
	return ok
}

func (p *player) next(ctx context.Context) (message, bool) {
	if p.silent || p.over {
		return message{}, false
	}
	timer := time.NewTimer(p.options.Timeout)
	defer timer.Stop()
	select {
	case m, ok := <-p.conn.messages():
		p.over = !ok
		return m, ok
	case <-ctx.Done():
		return message{}, false
	case <-timer.C:
		p.silent = true
		return message{}, false
	}
}

// say sends what is written.
func (p *player) say(ctx context.Context, e *transcript.Entry) error {
	if !e.Answer() && e.Method != "notifications/cancelled" {
		p.catchUp(ctx)
	}
	p.said = append(p.said, transcript.Said{Entry: e, Written: e, Same: true})
	return p.send(e)
}

// catchUp waits for the answers that no line waits for, so that a story which has
// only --> lines is told in order.
func (p *player) catchUp(ctx context.Context) {
	for {
		due := false
		for id := range p.inflight {
			written := slices.ContainsFunc(p.section.Entries, func(e *transcript.Entry) bool {
				return e.Direction == transcript.Receive && e.Answer() && transcript.WireID(e.ID) == id
			})
			due = due || !written
		}
		if !due || !p.step(ctx) {
			return
		}
	}
}

func (p *player) send(e *transcript.Entry) error {
	if e.Raw != "" {
		p.noteRaw(e.Raw)
		return p.put([]byte(e.Raw))
	}
	params, err := transcript.Fill(e.Params, p.bound)
	if err != nil {
		return err
	}
	text := []byte(`{"jsonrpc":"2.0"`)
	member := func(name string, value []byte) {
		text = append(append(append(append(text, `,"`...), name...), `":`...), value...)
	}
	switch {
	case e.Answer():
		id, asked := p.labels[e.ID]
		if !asked {
			return nil // the question did not come, which is a difference already
		}
		member("id", []byte(id))
		if e.Error {
			code := &transcript.Value{Kind: transcript.Number, Text: fmt.Sprint(e.Code)}
			failure := &transcript.Value{Kind: transcript.Object, Members: []transcript.Member{{Name: "code", Value: code}}}
			failure.Members = append(failure.Members, params.Members...)
			member("error", failure.Compact())
		} else {
			member("result", params.Compact())
		}
		return p.put(append(text, '}'))
	case e.Request():
		wire := transcript.WireID(e.ID)
		member("id", []byte(wire))
		p.given[wire] = e.ID
		if e.Method != "subscriptions/listen" { // it stays open
			p.inflight[wire] = true
		}
	}
	member("method", transcript.Text(e.Method).Compact())
	p.noteToken(params)
	p.noteCancelled(e.Method, params)
	if params = p.envelope(e, params); params != nil {
		member("params", params.Compact())
	}
	return p.put(append(text, '}'))
}

func (p *player) put(text []byte) error {
	if err := p.conn.send(text); err != nil && !p.over {
		p.over = true
		p.differs(0, "the server has ended the connection: %v", err)
	}
	return nil
}

// envelope adds what every request of the revision carries.
func (p *player) envelope(e *transcript.Entry, params *transcript.Value) *transcript.Value {
	if !p.modern() || p.file.Envelope || !e.Request() {
		return params
	}
	meta := params.Get("_meta")
	if meta == nil {
		meta = &transcript.Value{Kind: transcript.Object}
	}
	meta = meta.With("io.modelcontextprotocol/protocolVersion", transcript.Text(p.section.Revision)).
		With("io.modelcontextprotocol/clientCapabilities", p.capabilities()).
		With("io.modelcontextprotocol/clientInfo", &transcript.Value{Kind: transcript.Object, Members: []transcript.Member{
			{Name: "name", Value: transcript.Text("mcpstar")}, {Name: "version", Value: transcript.Text("1")},
		}})
	return params.With("_meta", meta)
}

// noteRaw remembers that a line which is sent as it is wants an answer: a request
// one of its id, and what is no message one without.
func (p *player) noteRaw(raw string) {
	v, err := transcript.ParseJSON([]byte(raw))
	switch {
	case err != nil || v.Kind != transcript.Object:
		p.inflight["null"] = true
	case v.Get("method") != nil && v.Get("id") != nil:
		p.inflight[string(v.Get("id").Compact())] = true
	}
}

// noteToken remembers a progress token of the client's own.
func (p *player) noteToken(params *transcript.Value) {
	p.captures.Token(params.Get("_meta").Get("progressToken"))
}

// noteCancelled expects no answer any more to a request that is cancelled.
func (p *player) noteCancelled(method string, params *transcript.Value) {
	if id := params.Get("requestId"); method == "notifications/cancelled" && id != nil {
		delete(p.inflight, string(id.Compact()))
	}
}
