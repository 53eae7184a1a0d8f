package content

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Block is one content block. Blocks are immutable, equal by value, hashable,
// and safe for concurrent use. Scripts read .type, .text, .data (base64),
// .mime_type, .uri and .name; what a block does not have is None.
type Block struct {
	kind string // the wire's type: "text", "image", "audio", "resource", "resource_link"
	text string // of a text block, or of an embedded resource that is text
	data string // base64, of the others
	mime string // "" of a resource or link that says none
	uri  string // of a resource or link
	blob bool   // an embedded resource of bytes

	// Of a link; "" where nothing is said. size and icons are JSON.
	name, title, description, size, icons string
	// Of any block, as JSON; "" without.
	annotations, meta string
}

var (
	_ starlark.HasAttrs   = Block{}
	_ starlark.Comparable = Block{}
	_ exactjson.Encodable = Block{}
)

// Text is a text block.
func Text(text string) Block { return Block{kind: "text", text: text} }

// Noted is b with annotations and _meta, each nil or None where there is none.
func (b Block) Noted(annotations, meta starlark.Value) (Block, error) {
	var a, m jsonArgument
	if annotations != nil {
		if err := a.annotations().Unpack(annotations); err != nil {
			return b, err
		}
	}
	if meta != nil {
		if err := m.meta().Unpack(meta); err != nil {
			return b, err
		}
	}
	b.annotations, b.meta = a.text, m.text
	return b, nil
}

// Embedded is a block that holds a resource's text.
func Embedded(uri, text, mimeType string) Block {
	return Block{kind: "resource", uri: uri, text: text, mime: mimeType}
}

// EmbeddedBytes is a block that holds a resource's bytes.
func EmbeddedBytes(uri string, data []byte, mimeType string) Block {
	return Block{kind: "resource", uri: uri, blob: true, data: base64.StdEncoding.EncodeToString(data), mime: mimeType}
}

// Resource reports whether the block is an embedded resource, and what it holds
// as the protocol writes it in a result of resources/read.
func (b Block) Resource() (exactjson.Object, bool) {
	return b.contents(), b.kind == "resource"
}

// Held is the block as the contents of a resource with that URI: of a text block its
// text, of an image or audio its bytes. Of an embedded resource it is the block
// itself; a link holds nothing.
func (b Block) Held(uri, mimeType string) (Block, bool) {
	switch b.kind {
	case "resource":
		return b, true
	case "text":
		return Embedded(uri, b.text, mimeType), true
	case "image", "audio":
		return Block{kind: "resource", uri: uri, blob: true, data: b.data, mime: b.mime}, true
	}
	return b, false
}

// String is the call that makes the block, with long data cut.
func (b Block) String() string {
	quote := func(s string) string { return syntax.Quote(s, false) }
	switch b.kind {
	case "text":
		return "text(" + quote(b.text) + ")"
	case "resource_link":
		return "link(" + quote(b.uri) + ")"
	case "resource":
		held := quote(b.text)
		if b.blob {
			held = fmt.Sprintf("%q", cut(b.data))
		}
		return "embed(" + quote(b.uri) + ", " + held + ")"
	}
	return fmt.Sprintf("%s(%q, mime_type = %s)", b.kind, cut(b.data), quote(b.mime))
}

func cut(data string) string {
	const shown = 12
	if len(data) > shown {
		return data[:shown] + "…"
	}
	return data
}

// Type is "content".
func (b Block) Type() string { return "content" }

// Freeze does nothing: a block never changes.
func (b Block) Freeze() {}

// Truth is true for every block, also for one with empty text.
func (b Block) Truth() starlark.Bool { return true }

// Hash agrees with equality.
func (b Block) Hash() (uint32, error) {
	parts := []string{b.kind, b.text, b.data, b.mime, b.uri, b.name}
	return starlark.String(strings.Join(parts, "\x00")).Hash()
}

// CompareSameType compares by value; blocks have no order.
func (b Block) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	other, ok := y.(Block)
	switch op {
	case syntax.EQL:
		return ok && b == other, nil
	case syntax.NEQ:
		return !ok || b != other, nil
	}
	return false, errors.New("content blocks have no order")
}

// Attr reads a field of the block.
func (b Block) Attr(name string) (starlark.Value, error) {
	isResource := b.kind == "resource" || b.kind == "resource_link"
	switch name {
	case "type":
		return starlark.String(b.kind), nil
	case "text":
		return only(b.kind == "text" || b.kind == "resource" && !b.blob, b.text), nil
	case "data":
		return only(b.kind == "image" || b.kind == "audio" || b.blob, b.data), nil
	case "mime_type":
		return only(b.mime != "" || !isResource && b.kind != "text", b.mime), nil
	case "uri":
		return only(isResource, b.uri), nil
	case "name":
		return only(b.kind == "resource_link", b.name), nil
	}
	return nil, nil
}

// AttrNames lists the fields.
func (b Block) AttrNames() []string {
	return []string{"data", "mime_type", "name", "text", "type", "uri"}
}

func only(present bool, s string) starlark.Value {
	if !present {
		return starlark.None
	}
	return starlark.String(s)
}

// JSON is the block as the protocol writes it, an [exactjson.Object].
func (b Block) JSON() any { return b.object() }

func (b Block) object() exactjson.Object {
	o := exactjson.Object{{Name: "type", Value: b.kind}}
	switch b.kind {
	case "text":
		o = o.With("text", b.text)
	case "resource":
		o = o.With("resource", b.contents())
	case "resource_link":
		o = o.With("uri", b.uri).With("name", b.name)
		o = withText(o, "title", b.title)
		o = withText(o, "description", b.description)
		o = withText(o, "mimeType", b.mime)
		o = withJSON(o, "size", b.size)
		o = withJSON(o, "icons", b.icons)
	default:
		o = o.With("data", b.data).With("mimeType", b.mime)
	}
	return withJSON(withJSON(o, "annotations", b.annotations), "_meta", b.meta)
}

func withText(o exactjson.Object, name, text string) exactjson.Object {
	if text == "" {
		return o
	}
	return o.With(name, text)
}

func withJSON(o exactjson.Object, name, text string) exactjson.Object {
	if text == "" {
		return o
	}
	return o.With(name, json.RawMessage(text))
}

// contents are the contents of a resource.
func (b Block) contents() exactjson.Object {
	o := exactjson.Object{{Name: "uri", Value: b.uri}}
	o = withText(o, "mimeType", b.mime)
	if b.blob {
		return o.With("blob", b.data)
	}
	return o.With("text", b.text)
}

// Blocks is what v is on the wire when it is a content block, or a list or tuple
// made only of content blocks. Of anything else, an empty list too, it reports
// false.
func Blocks(v starlark.Value) ([]exactjson.Object, bool) {
	switch v := v.(type) {
	case Block:
		return []exactjson.Object{v.object()}, true
	case *starlark.List:
		return all(v)
	case starlark.Tuple:
		return all(v)
	}
	return nil, false
}

func all(list starlark.Indexable) ([]exactjson.Object, bool) {
	var objects []exactjson.Object
	for i := range list.Len() {
		block, ok := list.Index(i).(Block)
		if !ok {
			return nil, false
		}
		objects = append(objects, block.object())
	}
	return objects, len(objects) > 0
}
