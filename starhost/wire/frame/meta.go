package frame

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ownPrefix begins every _meta key of this package. Keys that a client sends under
// it are dropped, so what is found there can be trusted.
const ownPrefix = "mcpstar/"

// The keys under which a handler finds in _meta what the SDK must not parse. Each
// value is a string that holds JSON text; [Moved] reads it.
const (
	// MetaRequestID holds the request's id. On tools/call, prompts/get,
	// resources/read, completion/complete and subscriptions/listen.
	MetaRequestID = ownPrefix + "requestId"

	// MetaInputResponses holds params.inputResponses, whatever its type. On
	// tools/call, prompts/get and resources/read that carried one.
	MetaInputResponses = ownPrefix + "inputResponses"

	// MetaRequestState holds params.requestState, whatever its type: the text null
	// means that the client sent null. On the same requests.
	MetaRequestState = ownPrefix + "requestState"

	// MetaResult holds the whole result with which a client answered
	// elicitation/create, sampling/createMessage or roots/list. It is in the _meta
	// of the SDK's result; the rest of that result is a placeholder.
	MetaResult = ownPrefix + "result"
)

// Moved is the JSON text that this package has put under key (one of the Meta
// constants) into a params' or a result's _meta. ok is false when there is none:
// the client sent none, or the message came over another transport.
func Moved(meta map[string]any, key string) (raw json.RawMessage, ok bool) {
	text, ok := meta[key].(string)
	return json.RawMessage(text), ok
}

// RequestID is the id of the request with these params' _meta as text: that of a
// string without its quotes, that of a number as it was written. It is empty when
// there is none.
func RequestID(meta map[string]any) string {
	raw, _ := Moved(meta, MetaRequestID)
	if isString(raw) {
		text, _ := unquote(raw)
		return text
	}
	return string(raw)
}

// Modern reports whether the request with these params' _meta speaks 2026-07-28.
// A transport of this package lets the envelope through on no other connection.
func Modern(meta map[string]any) bool {
	_, ok := meta[mcp.MetaKeyProtocolVersion]
	return ok
}

// ClientMeta is meta without what this package has added: what the client sent.
// It returns meta itself when there is nothing to leave out.
func ClientMeta(meta map[string]any) map[string]any {
	own := 0
	for key := range meta {
		if strings.HasPrefix(key, ownPrefix) {
			own++
		}
	}
	if own == 0 {
		return meta
	}
	clean := make(map[string]any, len(meta)-own)
	for key, value := range meta {
		if !strings.HasPrefix(key, ownPrefix) {
			clean[key] = value
		}
	}
	return clean
}
