package frame

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// requestCancelled answers a cancelled request of a handshake session over HTTP,
// whose stream must end with a response.
const requestCancelled = -32800

// A fault is a JSON-RPC error that this package answers itself.
type fault struct {
	code    int64
	message string
	data    json.RawMessage // nil: no data member
}

func parseFault(why string) *fault {
	return &fault{code: jsonrpc.CodeParseError, message: "Parse error: " + why}
}

func invalidRequest(why string) *fault {
	return &fault{code: jsonrpc.CodeInvalidRequest, message: "Invalid Request: " + why}
}

// invalidParams is the one answer for parameters of the wrong shape.
func invalidParams() *fault {
	return &fault{code: jsonrpc.CodeInvalidParams, message: "Invalid request parameters", data: json.RawMessage(`""`)}
}

func methodNotFound(method string) *fault {
	return &fault{code: jsonrpc.CodeMethodNotFound, message: "Method not found", data: appendQuoted(nil, method)}
}

func headerMismatch(why string) *fault {
	return &fault{code: mcp.CodeHeaderMismatch, message: why}
}

// unsupportedVersion names what the envelope may say. requested is raw JSON, or nil.
func unsupportedVersion(message string, requested []byte) *fault {
	data := append([]byte(`{"supported":[`), appendQuoted(nil, modernVersion)...)
	data = append(data, ']')
	if requested != nil {
		data = append(append(data, `,"requested":`...), requested...)
	}
	return &fault{code: mcp.CodeUnsupportedProtocolVersion, message: message, data: append(data, '}')}
}

// appendError writes the whole error response. An id of "" is written as null.
func (f *fault) appendError(dst []byte, id string) []byte {
	if id == "" {
		id = "null"
	}
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	dst = append(dst, `,"error":`...)
	dst = f.appendObject(dst)
	return append(dst, '}')
}

func (f *fault) appendObject(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"code":`...), f.code, 10)
	dst = appendQuoted(append(dst, `,"message":`...), f.message)
	if len(f.data) > 0 {
		dst = append(append(dst, `,"data":`...), f.data...)
	}
	return append(dst, '}')
}

// exactMessage marks an error that the SDK carries for [ExactError].
const exactMessage = ownPrefix + "error"

// ExactError is the error that a handler or a middleware returns to have exactly
// this code, message and data (nil for none) reach the client.
//
// An unwrapped *jsonrpc.Error is enough for every code but -32601, whose message and
// data the SDK overwrites; for that one the error has to travel in disguise, which
// only transports of this package take off.
func ExactError(code int64, message string, data json.RawMessage) *jsonrpc.Error {
	if code != jsonrpc.CodeMethodNotFound {
		return &jsonrpc.Error{Code: code, Message: message, Data: data}
	}
	f := fault{code: code, message: message, data: data}
	return &jsonrpc.Error{Message: exactMessage, Data: f.appendObject(nil)}
}

// mend turns an error that the SDK sends into one that may go out: with a standard
// code, and without the SDK's Go types. method is the request's, if it is known.
func (f *fault) mend(method string) {
	switch f.code {
	case 0:
		f.mendUncoded()
	case jsonrpc.CodeMethodNotFound:
		if f.data == nil && strings.HasPrefix(f.message, "method not found") {
			if method == "" {
				_, quoted, _ := strings.Cut(f.message, ": ")
				method, _ = strconv.Unquote(quoted)
			}
			*f = *methodNotFound(method)
		}
	case jsonrpc.CodeInvalidRequest:
		if f.data == nil && strings.Contains(f.message, `missing required "params"`) {
			*f = *invalidParams()
		}
	case jsonrpc.CodeInvalidParams:
		if f.data == nil && isDecodeFailure(f.message) {
			*f = *invalidParams()
		}
	}
}

func isDecodeFailure(message string) bool {
	return message == "invalid params" || strings.Contains(message, "invalid params: unmarshaling ") ||
		strings.HasPrefix(message, "invalid _meta field") || strings.HasPrefix(message, "missing or invalid _meta field")
}

// mendUncoded gives a code to an error that has none: a plain Go error.
func (f *fault) mendUncoded() {
	switch {
	case f.message == exactMessage && isObject(f.data):
		if exact := parseError(f.data); exact != nil {
			*f = *exact
		}
	case strings.HasPrefix(f.message, "handling '") && (strings.Contains(f.message, "unmarshaling ") || strings.Contains(f.message, `missing required "params"`)),
		strings.HasSuffix(f.message, "is invalid during session initialization"):
		*f = *invalidParams()
		return
	case strings.HasPrefix(f.message, `duplicate "initialize"`):
		*f = *invalidRequest("this session is initialized already")
		return
	}
	if f.code == 0 {
		f.code = jsonrpc.CodeInternalError
	}
	switch f.message {
	case "":
		f.message = "Internal error"
	case "context canceled":
		f.message = "Request cancelled"
	case "context deadline exceeded":
		f.message = "Request timed out"
	}
}

// parseError reads an error object, or returns nil if raw is none.
func parseError(raw []byte) *fault {
	if !isObject(raw) {
		return nil
	}
	var code, message, data []byte
	ms := membersOf(raw, 0, 1)
	for ms.next() {
		switch string(ms.key) {
		case "code":
			code = ms.value
		case "message":
			message = ms.value
		case "data":
			data = ms.value
		}
	}
	n, err := strconv.ParseInt(string(code), 10, 64)
	if ms.err != nil || err != nil || !isString(message) {
		return nil
	}
	text, _ := unquote(message)
	return &fault{code: n, message: text, data: append(json.RawMessage(nil), data...)}
}
