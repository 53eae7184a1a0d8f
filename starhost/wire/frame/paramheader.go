package frame

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// paramHeaders checks the Mcp-Param-* headers of a tools/call, which repeat those
// arguments that the tool's schema marks with x-mcp-header.
type paramHeaders struct {
	schema func(tool string) ([]byte, bool)
	probe  func(context.Context) map[string]json.RawMessage // instead of schema

	mu     sync.Mutex
	probed time.Time
	known  map[string]json.RawMessage
}

// probeEvery is how long the answer to the server's own tools/list is believed.
const probeEvery = 2 * time.Second

// A paramBinding says that the argument at path is repeated in a header.
type paramBinding struct {
	path   []string
	header string // Mcp-Param-…
	kind   string // string, integer or boolean
}

func (p *paramHeaders) fault(ctx context.Context, header http.Header, m *message) *fault {
	name, _ := unquote(m.params.name)
	schema, ok := p.lookup(ctx, name)
	if !ok {
		return nil // the call itself says that there is no such tool
	}
	for _, b := range paramBindings(schema, nil) {
		if f := b.fault(header, m.params.arguments); f != nil {
			return f
		}
	}
	return nil
}

func (p *paramHeaders) lookup(ctx context.Context, tool string) ([]byte, bool) {
	if p.schema != nil {
		return p.schema(tool)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || time.Since(p.probed) > probeEvery {
		if known := p.probe(ctx); known != nil {
			p.known, p.probed = known, time.Now()
		}
	}
	schema, ok := p.known[tool]
	return schema, ok
}

// paramBindings finds the marked properties: those reached by way of properties alone.
func paramBindings(schema []byte, path []string) []paramBinding {
	if !bytes.Contains(schema, []byte("x-mcp-header")) {
		return nil
	}
	var s struct {
		Type       json.RawMessage            `json:"type"`
		Header     json.RawMessage            `json:"x-mcp-header"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var found []paramBinding
	var header, kind string
	if len(path) > 0 && json.Unmarshal(s.Header, &header) == nil && json.Unmarshal(s.Type, &kind) == nil && header != "" &&
		slices.Contains([]string{"string", "integer", "boolean"}, kind) {
		found = append(found, paramBinding{path: path, header: "Mcp-Param-" + header, kind: kind})
	}
	for name, property := range s.Properties {
		found = append(found, paramBindings(property, append(slices.Clone(path), name))...)
	}
	return found
}

func (b paramBinding) fault(header http.Header, arguments []byte) *fault {
	argument := "the request body's '" + strings.Join(b.path, ".") + "' argument"
	value := arguments
	for _, name := range b.path {
		value = memberOf(value, name)
	}
	values := header.Values(b.header)
	switch {
	case len(values) > 1:
		return headerMismatch(b.header + " header appears more than once")
	case len(values) == 0 && (value == nil || isNull(value)):
		return nil
	case len(values) == 0:
		return headerMismatch(b.header + " header is missing but " + argument + " is present")
	case value == nil || isNull(value):
		return headerMismatch(b.header + " header is present but " + argument + " is absent")
	}
	text, ok := decodeHeader(values[0])
	if !ok {
		return headerMismatch(b.header + " header carries a malformed base64 value")
	}
	if !b.matches(text, value) {
		return headerMismatch(b.header + " header does not match " + argument)
	}
	return nil
}

// matches compares integers by value, all else by text.
func (b paramBinding) matches(text string, value []byte) bool {
	if s, ok := stringOf(value); ok {
		return s == text
	}
	if b.kind == "integer" && len(text) < 400 && len(value) < 400 {
		said, ok1 := decimal(text)
		is, ok2 := decimal(string(value))
		return ok1 && ok2 && said.Cmp(is) == 0
	}
	return text == string(value) && !isObject(value) && value[0] != '['
}

// decimal is the value of a JSON number without exponent.
func decimal(text string) (*big.Rat, bool) {
	if skipNumber([]byte(text), 0) != len(text) || strings.ContainsAny(text, "eE") {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// memberOf is the value of an object's member, or nil.
func memberOf(object []byte, name string) []byte {
	if !isObject(object) {
		return nil
	}
	var value []byte
	ms := membersOf(object, 0, 0)
	for ms.next() {
		if string(ms.key) == name {
			value = ms.value
		}
	}
	return value
}
