package starhost_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// The two protocol revisions that everything is tried on.
const (
	handshake = "2025-11-25" // a question is a request of the server
	rounds    = "2026-07-28" // questions travel in results, answers in the next request
)

// The client of these tests writes and reads JSON itself, so that no mistake of an
// SDK on either side can hide one of the server. It judges every frame that comes.

// allCapabilities is what a client declares that can answer everything.
const allCapabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{"listChanged":true}}`

// patience is how long anything may take before it counts as hanging.
const patience = 60 * time.Second

// A message is one frame from the server, judged.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%s (%d) %s", e.Message, e.Code, e.Data) }

// judge takes a frame apart, or says how it breaks the protocol.
func judge(line []byte) (message, error) {
	var m message
	if !utf8.Valid(line) {
		return m, fmt.Errorf("not UTF-8: %q", line)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return m, fmt.Errorf("not a JSON object: %q", line)
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return m, fmt.Errorf("not JSON-RPC 2.0: %s", line)
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return m, fmt.Errorf("%w: %s", err, line)
	}
	_, result := members["result"]
	_, failure := members["error"]
	switch {
	case m.Method != "" && (result || failure):
		return m, fmt.Errorf("both a request and an answer: %s", line)
	case m.Method == "" && result == failure:
		return m, fmt.Errorf("an answer has a result or an error: %s", line)
	case m.Error != nil && (m.Error.Code == 0 || m.Error.Message == ""):
		return m, fmt.Errorf("an error has a code and a message: %s", line)
	case result && !bytes.HasPrefix(m.Result, []byte("{")):
		return m, fmt.Errorf("a result is an object: %s", line)
	}
	return m, nil
}

// A question is what the server asks.
type question struct {
	key    string // on [handshake] there is none
	method string
	params json.RawMessage
}

func (q question) String() string { return q.key + " " + q.method + " " + string(q.params) }

// An answerer answers a question with a result, or with an error member
// ({"error": {...}}); "" is no answer.
type answerer func(q question) string

// nobody answers nothing.
func nobody(question) string { return "" }

// answering answers a question whose method or params contain the first of a pair
// with the second.
func answering(pairs ...string) answerer {
	return func(q question) string {
		for i := 0; i < len(pairs); i += 2 {
			if strings.Contains(q.method+" "+string(q.params), pairs[i]) {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func accept(content string) string { return `{"action":"accept","content":` + content + `}` }

const (
	decline = `{"action":"decline"}`
	cancel  = `{"action":"cancel"}`
)

// said is a sampling result with that text.
func said(text string) string {
	return fmt.Sprintf(`{"role":"assistant","content":{"type":"text","text":%q},"model":"m","stopReason":"endTurn"}`, text)
}

// A connection is a client's side of a transport.
type connection interface {
	// request sends a request, answers what is asked on the way, and returns the
	// response.
	request(method string, params json.RawMessage, answer answerer) message
}

// A pipe is a connection of one JSON-RPC message a line, in memory.
type pipe struct {
	t      testing.TB
	conn   io.ReadWriteCloser
	served chan error
	frames chan message
	broken chan error // what was wrong with a frame
	ids    int
	notes  []message // notifications, in order
	asked  []message // requests of the server, in order
}

// dial connects to a host.
func dial(t testing.TB, host *starhost.Host) *pipe {
	t.Helper()
	conn, transport := frame.Pipe(frame.StdioOptions{})
	p := &pipe{t: t, conn: conn, served: make(chan error, 1), frames: make(chan message, 10_000), broken: make(chan error, 1)}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.served <- host.Serve(ctx, transport) })
	running.Go(p.read)
	t.Cleanup(func() {
		_ = conn.Close()
		stop()
		running.Wait()
	})
	return p
}

func (p *pipe) read() {
	defer close(p.frames)
	in := bufio.NewReader(p.conn)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		m, err := judge(line)
		if err != nil {
			p.broken <- err
			return
		}
		p.frames <- m
	}
}

// send writes one line as it is.
func (p *pipe) send(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.conn, line+"\n")
	require.NoError(p.t, err)
}

// next is the next frame.
func (p *pipe) next() message {
	p.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case m, ok := <-p.frames:
		if ok {
			return m
		}
	case <-limit.C:
		require.Fail(p.t, "the server says nothing")
	}
	select {
	case err := <-p.broken:
		require.NoError(p.t, err, "a broken frame")
	default:
	}
	require.Fail(p.t, "the server has ended the connection")
	return message{}
}

// write sends a request and returns its id.
func (p *pipe) write(method string, params json.RawMessage) string {
	p.t.Helper()
	p.ids++
	id := strconv.Itoa(p.ids)
	p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"` + optionalMember("params", params) + `}`)
	return id
}

func (p *pipe) notify(method string, params json.RawMessage) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","method":"` + method + `"` + optionalMember("params", params) + `}`)
}

// reply answers a request of the server.
func (p *pipe) reply(to message, answer string) {
	p.t.Helper()
	p.send(oneLine(replyTo(to, answer)))
}

func replyTo(to message, answer string) string {
	if answer == "" {
		answer = `{"error":{"code":-32000,"message":"parity: no scripted answer"}}`
	}
	if strings.HasPrefix(answer, `{"error":`) {
		return `{"jsonrpc":"2.0","id":` + string(to.ID) + `,` + strings.TrimPrefix(answer, "{")
	}
	return `{"jsonrpc":"2.0","id":` + string(to.ID) + `,"result":` + answer + `}`
}

func (p *pipe) request(method string, params json.RawMessage, answer answerer) message {
	p.t.Helper()
	id := p.write(method, params)
	for {
		m := p.next()
		switch {
		case m.Method != "" && m.ID == nil:
			p.notes = append(p.notes, m)
		case m.Method != "":
			p.asked = append(p.asked, m)
			p.reply(m, answer(question{method: m.Method, params: m.Params}))
		default:
			require.Equal(p.t, id, string(m.ID), "the answer to another request")
			return m
		}
	}
}

func optionalMember(name string, value json.RawMessage) string {
	if value == nil {
		return ""
	}
	return `,"` + name + `":` + oneLine(string(value))
}

// oneLine takes the line breaks out of JSON written by hand.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", " ")
}

// A client speaks one revision over a connection.
type client struct {
	connection
	t        testing.TB
	revision string
	declares string // its capabilities
	meta     string // further members of _meta, each with a comma before it
}

// connect connects to a host with all capabilities.
func connect(t testing.TB, host *starhost.Host, revision string) *client {
	t.Helper()
	return connectWith(t, host, revision, allCapabilities)
}

// connectWith connects to a host and on [handshake] greets it.
func connectWith(t testing.TB, host *starhost.Host, revision, capabilities string) *client {
	t.Helper()
	c := &client{connection: dial(t, host), t: t, revision: revision, declares: capabilities}
	if revision != rounds {
		c.greet()
	}
	return c
}

func (c *client) greet() {
	c.t.Helper()
	m := c.request("initialize", json.RawMessage(fmt.Sprintf(
		`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"raw","version":"1.5"}}`, c.revision, c.declares)), nobody)
	require.Nil(c.t, m.Error)
	require.Contains(c.t, string(m.Result), `"protocolVersion":"`+c.revision+`"`)
	c.pipe().notify("notifications/initialized", nil)
}

// pipe is the connection of a client that has a pipe.
func (c *client) pipe() *pipe { return c.connection.(*pipe) }

// envelope is the _meta of a request, with a comma before it, or nothing.
func (c *client) envelope() string {
	if c.revision != rounds {
		if c.meta == "" {
			return ""
		}
		return `,"_meta":{` + strings.TrimPrefix(c.meta, ",") + `}`
	}
	return `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + rounds +
		`","io.modelcontextprotocol/clientCapabilities":` + c.declares +
		`,"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1.5"}` + c.meta + `}`
}

// params are the params of tools/call. Of the rest each member has a comma before it.
func (c *client) params(tool, arguments, rest string) json.RawMessage {
	name, err := json.Marshal(tool)
	require.NoError(c.t, err)
	if arguments != "" {
		rest = `,"arguments":` + arguments + rest
	}
	return json.RawMessage(`{"name":` + string(name) + rest + c.envelope() + `}`)
}

// A reply is what one request of tools/call came to.
type reply struct {
	t     testing.TB
	err   *rpcError
	raw   json.RawMessage
	asked []question // in an input_required result
	state string     // its requestState
}

// once sends one tools/call and takes what comes. rest are further members of the
// params, each with a comma before it.
func (c *client) once(tool, arguments, rest string, answer answerer) reply {
	c.t.Helper()
	m := c.request("tools/call", c.params(tool, arguments, rest), answer)
	r := reply{t: c.t, err: m.Error, raw: m.Result}
	if m.Error != nil {
		return r
	}
	var result struct {
		ResultType    *string
		InputRequests json.RawMessage
		RequestState  *string
	}
	require.NoError(c.t, json.Unmarshal(m.Result, &result))
	if c.revision != rounds {
		require.Nil(c.t, result.ResultType, "resultType on %s", c.revision)
		return r
	}
	require.NotNil(c.t, result.ResultType)
	if *result.ResultType == "complete" {
		return r
	}
	require.Equal(c.t, "input_required", *result.ResultType)
	require.NotNil(c.t, result.RequestState, "a round that asks has a state")
	r.state = *result.RequestState
	r.asked = questionsOf(c.t, result.InputRequests)
	require.NotEmpty(c.t, r.asked)
	return r
}

// resume is the next round of a call: its answers by wire key (each key as the
// server gave it) and the state.
func (c *client) resume(tool, arguments, state string, answers map[string]string) reply {
	c.t.Helper()
	given := map[string]json.RawMessage{}
	for key, answer := range answers {
		given[key] = json.RawMessage(answer)
	}
	text, err := json.Marshal(given)
	require.NoError(c.t, err)
	token, err := json.Marshal(state)
	require.NoError(c.t, err)
	return c.once(tool, arguments, `,"inputResponses":`+string(text)+`,"requestState":`+string(token), nobody)
}

// A played is a call from its first request to its end.
type played struct {
	reply
	rounds int
	asked  [][]question // by round; on [handshake] there is one
}

const mostRounds = 12

// call calls a tool and answers its questions, round by round.
func (c *client) call(tool, arguments string, answer answerer) played {
	c.t.Helper()
	if c.revision != rounds {
		var asked []question
		r := c.once(tool, arguments, "", func(q question) string {
			asked = append(asked, q)
			return answer(q)
		})
		p := played{reply: r, rounds: 1}
		if asked != nil {
			p.asked = [][]question{asked}
		}
		return p
	}
	p := played{reply: c.once(tool, arguments, "", nobody), rounds: 1}
	for p.reply.asked != nil {
		p.asked = append(p.asked, p.reply.asked)
		answers := map[string]string{}
		for _, q := range p.reply.asked {
			if a := answer(q); a != "" {
				answers[q.key] = a
			}
		}
		if len(answers) == 0 || p.rounds == mostRounds {
			return p
		}
		p.reply = c.resume(tool, arguments, p.state, answers)
		p.rounds++
	}
	return p
}

// questionsOf are the questions of inputRequests in the order of the text.
func questionsOf(t testing.TB, requests json.RawMessage) []question {
	t.Helper()
	var list []question
	for _, m := range membersOf(t, requests) {
		var q struct {
			Method string
			Params json.RawMessage
		}
		require.NoError(t, json.Unmarshal(m.value, &q))
		list = append(list, question{key: m.key, method: q.Method, params: q.Params})
	}
	return list
}

type member struct {
	key   string
	value json.RawMessage
}

// membersOf are the members of a JSON object in the order of the text.
func membersOf(t testing.TB, object json.RawMessage) []member {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(object))
	open, err := dec.Token()
	require.NoError(t, err)
	require.Equal(t, json.Delim('{'), open)
	var list []member
	for dec.More() {
		key, err := dec.Token()
		require.NoError(t, err)
		m := member{key: key.(string)}
		require.NoError(t, dec.Decode(&m.value))
		list = append(list, m)
	}
	return list
}

// wireKeys are the keys of questions.
func wireKeys(asked []question) []string {
	keys := make([]string, len(asked))
	for i, q := range asked {
		keys[i] = q.key
	}
	return keys
}

// text is the text of a result that is no error and has one text block.
func (r reply) text() string {
	r.t.Helper()
	isError, text := r.content()
	require.Falsef(r.t, isError, "an error result: %s", text)
	return text
}

// failure is the text of an error result.
func (r reply) failure() string {
	r.t.Helper()
	isError, text := r.content()
	require.Truef(r.t, isError, "no error result: %s", r.raw)
	require.NotContains(r.t, string(r.raw), "structuredContent")
	require.NotContains(r.t, text, "goroutine", "a stack trace")
	require.NotContains(r.t, text, "Traceback", "a stack trace")
	return text
}

// texts are the texts of a result whose blocks are all text.
func (r reply) texts() []string {
	r.t.Helper()
	isError, texts := r.contents()
	require.Falsef(r.t, isError, "an error result: %s", texts)
	return texts
}

func (r reply) content() (isError bool, text string) {
	r.t.Helper()
	isError, texts := r.contents()
	require.Lenf(r.t, texts, 1, "one block: %s", r.raw)
	return isError, texts[0]
}

func (r reply) contents() (isError bool, texts []string) {
	r.t.Helper()
	require.Nil(r.t, r.err)
	require.Nilf(r.t, r.asked, "still asks: %v", r.asked)
	var result struct {
		IsError *bool
		Content []struct{ Type, Text string }
	}
	require.NoError(r.t, json.Unmarshal(r.raw, &result))
	require.NotNil(r.t, result.IsError, "isError is always there")
	for _, block := range result.Content {
		require.Equal(r.t, "text", block.Type)
		texts = append(texts, block.Text)
	}
	return *result.IsError, texts
}

// member is a member of the result, as its JSON text; "" when it is not there.
func (r reply) member(name string) string {
	r.t.Helper()
	require.Nil(r.t, r.err)
	for _, m := range membersOf(r.t, r.raw) {
		if m.key == name {
			return string(m.value)
		}
	}
	return ""
}

// refused is the protocol error of the reply.
func (r reply) refused(code int, message, data string) {
	r.t.Helper()
	require.NotNilf(r.t, r.err, "no error but %s", r.raw)
	require.Equal(r.t, message, r.err.Message)
	require.Equal(r.t, code, r.err.Code)
	require.Equal(r.t, data, string(r.err.Data))
}

// atoi is a number from a text.
func atoi(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}
