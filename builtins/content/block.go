package content

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Block is one content block. Blocks are immutable, equal by value, hashable,
// and safe for concurrent use. Scripts read .type, .text, .data (base64) and
// .mime_type; what a block does not have is None.
type Block struct {
	kind string // the wire's type: "text", "image", "audio"
	text string // of a text block
	data string // base64, of the others
	mime string
}

var (
	_ starlark.HasAttrs   = Block{}
	_ starlark.Comparable = Block{}
	_ exactjson.Encodable = Block{}
)

// Text is a text block.
func Text(text string) Block { return Block{kind: "text", text: text} }

// String is the call that makes the block, with long data cut.
func (b Block) String() string {
	if b.kind == "text" {
		return "text(" + syntax.Quote(b.text, false) + ")"
	}
	const shown = 12
	data := b.data
	if len(data) > shown {
		data = data[:shown] + "…"
	}
	return fmt.Sprintf("%s(%q, mime_type = %s)", b.kind, data, syntax.Quote(b.mime, false))
}

// Type is "content".
func (b Block) Type() string { return "content" }

// Freeze does nothing: a block never changes.
func (b Block) Freeze() {}

// Truth is true for every block, also for one with empty text.
func (b Block) Truth() starlark.Bool { return true }

// Hash agrees with equality.
func (b Block) Hash() (uint32, error) {
	return starlark.Tuple{
		starlark.String(b.kind), starlark.String(b.text), starlark.String(b.data), starlark.String(b.mime),
	}.Hash()
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
	switch name {
	case "type":
		return starlark.String(b.kind), nil
	case "text":
		return b.only(b.kind == "text", b.text), nil
	case "data":
		return b.only(b.kind != "text", b.data), nil
	case "mime_type":
		return b.only(b.kind != "text", b.mime), nil
	}
	return nil, nil
}

// AttrNames lists the fields.
func (b Block) AttrNames() []string { return []string{"data", "mime_type", "text", "type"} }

func (b Block) only(present bool, s string) starlark.Value {
	if !present {
		return starlark.None
	}
	return starlark.String(s)
}

// JSON is the block as the protocol writes it, an [exactjson.Object].
func (b Block) JSON() any { return b.object() }

func (b Block) object() exactjson.Object {
	if b.kind == "text" {
		return exactjson.Object{{Name: "type", Value: b.kind}, {Name: "text", Value: b.text}}
	}
	return exactjson.Object{
		{Name: "type", Value: b.kind}, {Name: "data", Value: b.data}, {Name: "mimeType", Value: b.mime},
	}
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
