package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// appendResponse writes the SDK's response to the request of that id and method.
func appendResponse(dst []byte, id, method string, resp *jsonrpc.Response) []byte {
	if resp.Error != nil {
		return faultOf(resp.Error, method).appendError(dst, id)
	}
	result := []byte(resp.Result)
	if len(result) == 0 {
		result = []byte("{}")
	}
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	dst = append(append(dst, `,"result":`...), restoreResult(result)...)
	return append(dst, '}')
}

// faultOf is what the client is told of an error that the SDK sends.
func faultOf(err error, method string) *fault {
	f := &fault{message: err.Error()}
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		f.code, f.data = coded.Code, coded.Data
	}
	f.mend(method)
	if !json.Valid(f.data) {
		f.data = nil
	}
	return f
}

// appendRequest writes a request or a notification of the SDK's.
func appendRequest(dst []byte, req *jsonrpc.Request) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if id, ok := req.ID.Raw().(int64); ok {
		dst = appendMemberJSON(dst, "id", id)
	}
	dst = appendQuoted(append(dst, `,"method":`...), req.Method)
	if len(req.Params) > 0 && !isNull(req.Params) {
		dst = append(append(dst, `,"params":`...), restoreParams(req.Method, req.Params)...)
	}
	return append(dst, '}')
}

func appendMemberJSON(dst []byte, key string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return dst
	}
	return append(append(append(append(dst, ',', '"'), key...), `":`...), text...)
}

// restoreResult gives a result the ids back that it holds: subscriptions/listen tells
// in _meta which request it answers.
func restoreResult(result []byte) []byte {
	if bytes.Contains(result, []byte(idPrefix)) {
		result = restoreMember(result, "_meta", restoreMeta)
	}
	return validText(result)
}

// restoreParams does so for what goes out by itself.
func restoreParams(method string, params []byte) []byte {
	switch method {
	case "notifications/progress":
		params = restoreMember(params, "progressToken", restoreToken)
	case "notifications/cancelled":
		params = restoreMember(params, "reason", func(raw []byte) []byte {
			switch string(raw) {
			case `"context canceled"`:
				return []byte(`"caller cancelled"`)
			case `"context deadline exceeded"`:
				return []byte(`"timed out"`)
			}
			return raw
		})
	}
	return restoreResult(params)
}

func restoreMeta(meta []byte) []byte {
	return restoreMember(meta, mcp.MetaKeySubscriptionID, func(raw []byte) []byte {
		if text, ok := stringOf(raw); ok {
			if id, ok := clientID(text); ok {
				return []byte(id)
			}
		}
		return raw
	})
}

func restoreToken(raw []byte) []byte {
	if text, ok := stringOf(raw); ok && len(text) > len(tokenPrefix) && text[:len(tokenPrefix)] == tokenPrefix {
		return []byte(text[len(tokenPrefix):])
	}
	return raw
}

func stringOf(raw []byte) (string, bool) {
	if !isString(raw) {
		return "", false
	}
	return unquote(raw)
}

// restoreMember is object with the member of that name changed by f. It returns
// object itself where nothing changes, and copes with what is no object.
func restoreMember(object []byte, name string, f func([]byte) []byte) []byte {
	if !isObject(object) || !bytes.Contains(object, []byte(name)) {
		return object
	}
	ms := membersOf(object, 0, 0)
	for ms.next() {
		if string(ms.key) != name {
			continue
		}
		value := f(ms.value)
		if bytes.Equal(value, ms.value) {
			return object
		}
		start := ms.at - len(ms.value)
		out := make([]byte, 0, len(object)+len(value))
		out = append(append(out, object[:start]...), value...)
		return append(out, object[ms.at:]...)
	}
	return object
}

// validText makes sure that what a handler wrote by hand is UTF-8.
func validText(data []byte) []byte {
	if utf8.Valid(data) {
		return data
	}
	return bytes.ToValidUTF8(data, []byte("\ufffd"))
}
