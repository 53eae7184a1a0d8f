package frame

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// mirrored compares the headers that repeat parts of a modern message with the
// message: a proxy acts on the ones, the server on the other.
func mirrored(header http.Header) func(*message) *fault {
	return func(m *message) *fault {
		version, _ := stringOf(m.params.envelope.version)
		if f := compareHeader(header, "mcp-protocol-version", version, "the request envelope's protocol version", false); f != nil {
			return f
		}
		if f := compareHeader(header, "mcp-method", m.method, "the request body's method", false); f != nil {
			return f
		}
		var name []byte
		key := "name"
		switch m.method {
		case "tools/call", "prompts/get":
			name = m.params.name
		case "resources/read":
			name, key = m.params.uri, "uri"
		}
		if !isString(name) {
			return nil // missing or of another type: that is judged with the params
		}
		text, _ := unquote(name)
		return compareHeader(header, "mcp-name", text, "the request body's '"+key+"' parameter", true)
	}
}

// repeatedHeader is the fault of two values under one name.
func repeatedHeader(header http.Header) *fault {
	for _, name := range []string{"mcp-protocol-version", "mcp-method", "mcp-name"} {
		if len(header.Values(name)) > 1 {
			return headerMismatch(name + " header appears more than once")
		}
	}
	return nil
}

func compareHeader(header http.Header, name, want, what string, encoded bool) *fault {
	values := header.Values(name)
	if len(values) == 0 {
		return headerMismatch(name + " header is missing: it must repeat " + what)
	}
	got, ok := values[0], true
	if encoded {
		got, ok = decodeHeader(got)
	}
	if !ok || got != want {
		return headerMismatch(name + " header does not match " + what)
	}
	return nil
}

// decodeHeader takes =?base64?…?= off a value. ok is false if what is inside is not
// the one canonical base64 of some UTF-8 text.
func decodeHeader(value string) (text string, ok bool) {
	payload, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value, true
	}
	payload, ok = strings.CutSuffix(payload, "?=")
	if !ok {
		return value, true
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(payload)
	if err != nil || !utf8.Valid(raw) || base64.StdEncoding.EncodeToString(raw) != payload {
		return "", false
	}
	return string(raw), true
}
