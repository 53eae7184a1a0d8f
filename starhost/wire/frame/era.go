package frame

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The eras of the protocol. Up to 2025-11-25 a connection begins with a handshake
// (initialize); from 2026-07-28 on every request carries an envelope in its _meta.
const (
	modernVersion = "2026-07-28"
	latestLegacy  = "2025-11-25"

	metaVersion      = mcp.MetaKeyProtocolVersion
	metaCapabilities = mcp.MetaKeyClientCapabilities
	metaClientInfo   = mcp.MetaKeyClientInfo
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
)

// isLegacy reports whether version is spoken after a handshake.
func isLegacy(version string) bool {
	switch version {
	case "2024-11-05", "2025-03-26", "2025-06-18", latestLegacy:
		return true
	}
	return false
}

// methods tells in which era a method of the protocol exists.
var methods = struct{ legacyOnly, modernOnly, both []string }{
	legacyOnly: []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"},
	modernOnly: []string{"server/discover", "subscriptions/listen"},
	both: []string{"tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/templates/list",
		"resources/read", "completion/complete"},
}

const envelopeOnLegacy = "this connection serves the handshake protocol era; " +
	"requests carrying the 2026-07-28 envelope are not accepted on it"

const handshakeOnModern = "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted"

// modern reports whether the message claims the era of the envelope. The version key
// alone is the sign, so that half an envelope is told what it lacks.
func (m *message) modern() bool { return m.params.envelope.version != nil }

// legacyFault judges a request on an initialized handshake connection, or nil.
func (m *message) legacyFault() *fault {
	switch {
	case m.method == "initialize":
		return m.paramsFault()
	case m.modern():
		return &fault{code: -32600, message: envelopeOnLegacy}
	case slices.Contains(methods.modernOnly, m.method), strings.HasPrefix(m.method, "notifications/"):
		return methodNotFound(m.method)
	}
	return m.paramsFault()
}

// earlyFault judges a request before the handshake, or nil for the two that may come.
func (m *message) earlyFault() *fault {
	switch {
	case m.method == "initialize" || m.method == "ping":
		return m.paramsFault()
	case slices.Contains(methods.both, m.method) || slices.Contains(methods.legacyOnly, m.method):
		return invalidParams()
	}
	return methodNotFound(m.method)
}

// modernFault judges a request of the envelope's era, or nil. headers, if not nil,
// compares what the transport says with the envelope, before that is judged itself.
func (m *message) modernFault(headers func(*message) *fault) *fault {
	if f := m.envelopeMissing(); f != nil {
		return f
	}
	if headers != nil {
		if f := headers(m); f != nil {
			return f
		}
	}
	e := &m.params.envelope
	if !isString(e.version) {
		return &fault{code: -32602, message: "the protocol-version envelope value must be a string"}
	}
	if version, _ := unquote(e.version); version != modernVersion {
		return unsupportedVersion("Unsupported protocol version", e.version)
	}
	if slices.Contains(methods.legacyOnly, m.method) || strings.HasPrefix(m.method, "notifications/") {
		return methodNotFound(m.method)
	}
	if !goodCapabilities(e.capabilities) || e.info != nil && !isObject(e.info) || e.logLevel != nil && !isLogLevel(e.logLevel) {
		return invalidParams()
	}
	return m.paramsFault()
}

func (m *message) envelopeMissing() *fault {
	if !isObject(m.params.meta) {
		return &fault{code: -32602, message: "params._meta must be an object carrying the required '" +
			metaVersion + "' and '" + metaCapabilities + "' envelope keys"}
	}
	var missing []string
	if m.params.envelope.version == nil {
		missing = append(missing, metaVersion)
	}
	if m.params.envelope.capabilities == nil {
		missing = append(missing, metaCapabilities)
	}
	if len(missing) > 0 {
		return &fault{code: -32602, message: "params._meta is missing the required envelope key(s): " + strings.Join(missing, ", ")}
	}
	return nil
}

// goodCapabilities reports whether raw is an object and so is each capability in it.
func goodCapabilities(raw []byte) bool {
	if !isObject(raw) {
		return false
	}
	ms := membersOf(raw, 0, 3)
	for ms.next() {
		switch string(ms.key) {
		case "elicitation", "sampling", "roots", "experimental", "extensions", "tasks":
			if !isObject(ms.value) && !isNull(ms.value) {
				return false
			}
		}
	}
	return true
}

func isLogLevel(raw []byte) bool {
	switch string(raw) {
	case `"debug"`, `"info"`, `"notice"`, `"warning"`, `"error"`, `"critical"`, `"alert"`, `"emergency"`:
		return true
	}
	return false
}

// paramsFault judges the types of what every revision requires of the method, where
// the SDK would not, or would answer with its own Go types.
func (m *message) paramsFault() *fault {
	p := &m.params
	ok := p.meta == nil || isObject(p.meta) || isNull(p.meta)
	if token := p.envelope.progressToken; token != nil {
		ok = ok && (isString(token) || isNumber(token) || isNull(token))
	}
	switch m.method {
	case "tools/call", "prompts/get":
		ok = ok && isString(p.name) && (p.arguments == nil || isObject(p.arguments) || isNull(p.arguments))
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		ok = ok && isString(p.uri)
	case "logging/setLevel":
		ok = ok && isLogLevel(p.level)
	case "completion/complete":
		ok = ok && isObject(p.ref) && isObject(p.argument)
	case "subscriptions/listen":
		ok = ok && isObject(p.notifications)
	case "initialize":
		ok = ok && isString(p.version) && (p.capabilities == nil || goodCapabilities(p.capabilities)) &&
			(p.info == nil || isObject(p.info))
	}
	if !ok {
		return invalidParams()
	}
	return nil
}
