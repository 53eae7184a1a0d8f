package testing

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// The protocol revisions that a [Client] can speak.
const (
	Rounds    = "2026-07-28" // questions travel in results, answers in the next request
	Handshake = "2025-11-25" // questions are requests of the server
)

// A Server is what a [Client] connects to; *starhost.Host is one.
type Server interface {
	Serve(ctx context.Context, transport mcp.Transport) error
}

// Options say what kind of client to be.
type Options struct {
	// Revision is [Rounds] or [Handshake]; "" is Rounds.
	Revision string
	// Capabilities are what the client declares, as JSON; nil declares all that
	// questions can need.
	Capabilities json.RawMessage
	// Answer answers the server's questions. Nil answers none.
	Answer func(context.Context, Question) (Answer, error)
	// Notify gets the server's notifications. It may be called from another
	// goroutine than the caller's. Nil drops them.
	Notify func(method string, params json.RawMessage)
}

// A Question is what a server asks.
type Question struct {
	// Key is the resolver's wire key; "" on [Handshake], where none is sent.
	Key    string
	Method string
	Params json.RawMessage // nil when there are none
}

// An Answer is the answer to a question: a result, or on [Handshake] an error.
// The zero Answer is none: on [Rounds] the question stays open.
type Answer struct {
	Result json.RawMessage
	Error  *Error
}

// An Error is a JSON-RPC error as it came.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// A Reply is the answer to a request: one of Result and Error.
type Reply struct {
	Result json.RawMessage
	Error  *Error
}

// everything is what a client declares that says nothing else.
const everything = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`

// A Client is one connection to a server. It is safe for concurrent use.
type Client struct {
	options Options
	conn    io.ReadWriteCloser
	ended   chan struct{} // closed when the reader has ended
	served  chan error    // what Serve returned
	cancel  context.CancelFunc

	mu      sync.Mutex // guards what follows, and writes
	next    int
	waiting map[string]chan Reply
}

// Connect connects to a server in memory, and on [Handshake] greets it. The
// server runs until the client is closed.
func Connect(ctx context.Context, server Server, options Options) (*Client, error) {
	if options.Revision == "" {
		options.Revision = Rounds
	}
	if options.Capabilities == nil {
		options.Capabilities = json.RawMessage(everything)
	}
	conn, transport := frame.Pipe(frame.StdioOptions{})
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &Client{
		options: options, conn: conn, cancel: cancel,
		ended: make(chan struct{}), served: make(chan error, 1), waiting: map[string]chan Reply{},
	}
	go func() { c.served <- server.Serve(run, transport) }()
	go c.read(run)
	if options.Revision == Rounds {
		return c, nil
	}
	if err := c.greet(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Client) greet(ctx context.Context) error {
	params, err := json.Marshal(map[string]any{
		"protocolVersion": c.options.Revision,
		"capabilities":    c.options.Capabilities,
		"clientInfo":      clientInfo(),
	})
	if err != nil {
		return err
	}
	reply, err := c.Request(ctx, "initialize", params)
	if err != nil {
		return err
	}
	if reply.Error != nil {
		return reply.Error
	}
	return c.send(message{Method: "notifications/initialized"})
}

func clientInfo() map[string]string { return map[string]string{"name": "mcpstar", "version": "1"} }

// Close ends the connection and waits for the server to see it.
func (c *Client) Close() error {
	err := c.conn.Close()
	c.cancel()
	<-c.ended
	<-c.served
	return err
}

// message is any JSON-RPC message.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *Error
}

func (c *Client) send(m message) error {
	var line bytes.Buffer
	line.WriteString(`{"jsonrpc":"2.0"`)
	member := func(name string, value json.RawMessage) {
		if value != nil {
			line.WriteString(`,"` + name + `":`)
			line.Write(value)
		}
	}
	member("id", m.ID)
	if m.Method != "" {
		name, err := json.Marshal(m.Method)
		if err != nil {
			return err
		}
		member("method", name)
	}
	member("params", oneLine(m.Params))
	member("result", oneLine(m.Result))
	if m.Error != nil {
		text, err := json.Marshal(m.Error)
		if err != nil {
			return err
		}
		member("error", text)
	}
	line.WriteString("}\n")
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.conn.Write(line.Bytes())
	return err
}

// oneLine takes line breaks out of JSON written by hand; one message is one line.
func oneLine(text json.RawMessage) json.RawMessage {
	if !bytes.ContainsAny(text, "\r\n") {
		return text
	}
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return text
	}
	return out.Bytes()
}

// Send writes a line as it is, without waiting for anything.
func (c *Client) Send(line []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.conn.Write(append(bytes.TrimRight(line, "\n"), '\n'))
	return err
}

// Request sends a request with params as they are and waits for its reply.
func (c *Client) Request(ctx context.Context, method string, params json.RawMessage) (Reply, error) {
	c.mu.Lock()
	c.next++
	id := strconv.Itoa(c.next)
	reply := make(chan Reply, 1)
	c.waiting[id] = reply
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	if err := c.send(message{ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return Reply{}, err
	}
	select {
	case r := <-reply:
		return r, nil
	case <-ctx.Done():
		return Reply{}, context.Cause(ctx)
	case <-c.ended:
		return Reply{}, errors.New("the server has ended the connection")
	}
}

// read takes what the server sends until the connection ends.
func (c *Client) read(ctx context.Context) {
	defer close(c.ended)
	in := bufio.NewReader(c.conn)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch {
		case m.Method == "":
			c.mu.Lock()
			reply := c.waiting[string(m.ID)]
			c.mu.Unlock()
			if reply != nil {
				reply <- Reply{Result: m.Result, Error: m.Error}
			}
		case m.ID == nil:
			if c.options.Notify != nil {
				c.options.Notify(m.Method, m.Params)
			}
		default:
			go c.asked(ctx, m)
		}
	}
}

// asked answers a request of the server.
func (c *Client) asked(ctx context.Context, m message) {
	answer, err := c.answer(ctx, Question{Method: m.Method, Params: m.Params})
	switch {
	case err != nil:
		answer = Answer{Error: &Error{Code: -32603, Message: err.Error()}}
	case answer.Result == nil && answer.Error == nil:
		answer = Answer{Error: &Error{Code: -32601, Message: "nobody answers " + m.Method}}
	}
	_ = c.send(message{ID: m.ID, Result: answer.Result, Error: answer.Error}) // the connection may have ended
}

func (c *Client) answer(ctx context.Context, q Question) (Answer, error) {
	if c.options.Answer == nil {
		return Answer{}, nil
	}
	return c.options.Answer(ctx, q)
}
