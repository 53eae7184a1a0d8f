package frame

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// sdkAnswer is what the SDK gets for a client's answer: its result, or its error.
func (rw rewriter) sdkAnswer(m *message) (result json.RawMessage, failure *jsonrpc.Error) {
	if m.failure != nil && !isNull(m.failure) {
		f := parseError(m.failure)
		if f == nil {
			f = &fault{code: jsonrpc.CodeInternalError, message: "the client answered with a malformed error"}
		}
		return nil, &jsonrpc.Error{Code: f.code, Message: f.message, Data: f.data}
	}
	if rw.leaveAnswers {
		return append(json.RawMessage(nil), m.result...), nil
	}
	return placeholder(m.result), nil
}

// placeholder is a result that the SDK takes for each of elicitation, sampling and
// roots, and that carries the exact text of the real one. Its action is cancel, since
// for accept the SDK would judge the content.
func placeholder(result []byte) json.RawMessage {
	out := append(make([]byte, 0, len(result)+len(result)/4+192),
		`{"action":"cancel","role":"assistant","model":"","content":{"type":"text","text":""},"roots":[],"_meta":{"`...)
	out = append(append(out, MetaResult...), `":`...)
	return append(appendQuoted(out, string(result)), "}}"...)
}
