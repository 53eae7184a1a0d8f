package frame

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"
)

// A message is one JSON-RPC message from the client, taken apart as far as this
// package needs: argument values are passed over, not decoded.
type message struct {
	kind   kind
	id     string // canonical JSON text; "" if there is none
	method string
	params params
	size   int // bytes of the whole message

	result  []byte // of an answer
	failure []byte // its error member
}

type kind int

const (
	request kind = iota
	notification
	answer
	nothing // an answer that answers nothing: to be dropped without a word
)

// params are the members of params that this package judges or moves. Each is raw
// JSON, nil when absent; of a repeated one the last counts, as in the SDK.
type params struct {
	raw []byte // an object, or nil

	meta      []byte
	metaCount int
	envelope  envelope

	name, uri, arguments            []byte
	inputResponses, requestState    []byte
	version, capabilities, info     []byte // of initialize
	level, requestID, notifications []byte
	ref, argument                   []byte // of completion/complete
}

// envelope holds the members of _meta that this package judges.
type envelope struct {
	version, capabilities, info []byte
	logLevel, progressToken     []byte
	private                     bool // there are keys under our own prefix
}

// A rawMessage is what was seen of a message before it turned out good or bad.
type rawMessage struct {
	jsonrpc, id, method, result, failure []byte

	params  params
	noParam []byte // params that are no object
}

// parse takes one message apart. On a fault the id is the one to answer it with: ""
// unless the message was seen to be a request.
//
// With a fault m is nil, but for an empty message whose id may be that of a
// question: then m is the answer to it that it would be.
func parse(data []byte) (m *message, f *fault, id string) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))
	if len(data) == 0 {
		return nil, parseFault("an empty message"), ""
	}
	switch data[0] {
	case '[':
		return nil, invalidRequest("batches are not supported, send one message at a time"), ""
	case '{':
	default:
		if end := skipScalar(data, 0); end == len(data) && utf8.Valid(data) {
			return nil, invalidRequest("a message is a JSON object"), ""
		}
		return nil, parseFault(errSyntax.Error()), ""
	}
	var raw rawMessage
	m = &message{size: len(data)}
	err := raw.read(data)
	if err == nil && !utf8.Valid(data) {
		err = errors.New("not valid UTF-8")
	}
	if err != nil {
		return nil, scanFault(err), raw.visibleID()
	}
	f = m.fill(&raw)
	if f != nil && raw.isEmpty() && m.fillAnswer(&raw) == nil && m.kind == answer {
		m.failure = []byte(`"an answer that says nothing"`)
		return m, f, ""
	}
	if f != nil {
		return nil, f, raw.visibleID()
	}
	return m, nil, m.id
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func scanFault(err error) *fault {
	if err == errDeep {
		return invalidRequest("nested deeper than " + strconv.Itoa(maxDepth))
	}
	return parseFault(err.Error())
}

// read takes apart the one object that data must be, in one pass.
func (r *rawMessage) read(data []byte) error {
	ms := membersOf(data, 0, 0)
	for ms.nextKey() {
		if string(ms.key) == "params" {
			r.readParams(&ms)
			continue
		}
		if !ms.skip() {
			break
		}
		switch string(ms.key) {
		case "jsonrpc":
			r.jsonrpc = ms.value
		case "id":
			r.id = ms.value
		case "method":
			r.method = ms.value
		case "result":
			r.result = ms.value
		case "error":
			r.failure = ms.value
		}
	}
	if ms.err == nil && ms.at != len(data) {
		return errSyntax
	}
	return ms.err
}

func (r *rawMessage) readParams(ms *members) {
	r.params, r.noParam = params{}, nil
	if !ms.atObject() {
		if ms.skip() {
			r.noParam = ms.value
		}
		return
	}
	if ms.took(r.params.read(ms.data, ms.start)) {
		r.params.raw = ms.value
	}
}

// isEmpty reports whether there is an id and nothing else: a bad request, or an
// answer that forgot to say anything.
func (r *rawMessage) isEmpty() bool {
	return r.method == nil && r.result == nil && r.failure == nil && r.params.raw == nil && isNumber(r.id)
}

// visibleID is the id to answer a bad message with. Without a method the message may
// be an answer, and its id one of ours: not to be used.
func (r *rawMessage) visibleID() string {
	if r.method == nil || !(isNumber(r.id) || isString(r.id)) || !utf8.Valid(r.id) {
		return ""
	}
	return canonicalID(r.id)
}

// fill judges the envelope of JSON-RPC and takes the params apart.
func (m *message) fill(raw *rawMessage) *fault {
	if raw.method == nil && (raw.result != nil || raw.failure != nil) {
		return m.fillAnswer(raw)
	}
	if string(raw.jsonrpc) != `"2.0"` {
		return invalidRequest(`"jsonrpc" must be "2.0"`)
	}
	if !isString(raw.method) {
		return invalidRequest(`"method" must be a string`)
	}
	m.method, _ = unquote(raw.method)
	switch {
	case raw.id == nil:
		m.kind = notification
	case isNumber(raw.id) || isString(raw.id):
		m.id = canonicalID(raw.id)
	default:
		return invalidRequest(`"id" must be a string or a number`)
	}
	if raw.noParam != nil && !isNull(raw.noParam) {
		return invalidParams()
	}
	m.params = raw.params
	return nil
}

// fillAnswer never faults: what can't be an answer to anything is dropped, because
// an error for it could be taken for the answer to a request of the client's.
func (m *message) fillAnswer(raw *rawMessage) *fault {
	m.kind, m.result, m.failure = answer, raw.result, raw.failure
	n, err := strconv.ParseInt(string(raw.id), 10, 64)
	if err != nil || string(raw.jsonrpc) != `"2.0"` {
		m.kind = nothing // our own ids are integers
		return nil
	}
	m.id = strconv.FormatInt(n, 10)
	return nil
}

// read takes apart the object at data[i] and returns the index after it.
func (p *params) read(data []byte, i int) (end int, err error) {
	ms := membersOf(data, i, 1)
	for ms.nextKey() {
		if string(ms.key) == "_meta" {
			p.readMeta(&ms)
			continue
		}
		if !ms.skip() {
			break
		}
		if field := p.field(string(ms.key)); field != nil {
			*field = ms.value
		}
	}
	return ms.at, ms.err
}

// field is where the member of that name is kept, or nil.
func (p *params) field(name string) *[]byte {
	switch name {
	case "name":
		return &p.name
	case "uri":
		return &p.uri
	case "arguments":
		return &p.arguments
	case "inputResponses":
		return &p.inputResponses
	case "requestState":
		return &p.requestState
	case "protocolVersion":
		return &p.version
	case "capabilities":
		return &p.capabilities
	case "clientInfo":
		return &p.info
	case "level":
		return &p.level
	case "requestId":
		return &p.requestID
	case "notifications":
		return &p.notifications
	case "ref":
		return &p.ref
	case "argument":
		return &p.argument
	}
	return nil
}

func (p *params) readMeta(ms *members) {
	p.envelope = envelope{}
	p.metaCount++
	if !ms.atObject() {
		ms.skip()
	} else {
		ms.took(p.envelope.read(ms.data, ms.start))
	}
	p.meta = ms.value
}

func (e *envelope) read(data []byte, i int) (end int, err error) {
	ms := membersOf(data, i, 2)
	for ms.next() {
		switch string(ms.key) {
		case metaVersion:
			e.version = ms.value
		case metaCapabilities:
			e.capabilities = ms.value
		case metaClientInfo:
			e.info = ms.value
		case metaLogLevel:
			e.logLevel = ms.value
		case "progressToken":
			e.progressToken = ms.value
		default:
			e.private = e.private || bytes.HasPrefix(ms.key, []byte(ownPrefix))
		}
	}
	return ms.at, ms.err
}
