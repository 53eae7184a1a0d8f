package content

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Message is something that the user or the assistant says: what a prompt is
// made of, and what sample() takes. It is immutable. Scripts read .role and
// .content, a list of blocks.
type Message struct {
	role   string // "user" or "assistant"
	blocks []Block
}

var (
	_ starlark.HasAttrs   = (*Message)(nil)
	_ starlark.Comparable = (*Message)(nil)
	_ exactjson.Encodable = (*Message)(nil)
)

// message is user(content) and assistant(content). content is text, a content
// block, or a list of them.
func message(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var held starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "content", &held); err != nil {
		return nil, err
	}
	m := &Message{role: b.Name()}
	list, many := held.(starlark.Indexable)
	if _, text := held.(starlark.String); text || !many {
		list = starlark.Tuple{held}
	}
	for i := range list.Len() {
		switch v := list.Index(i).(type) {
		case starlark.String:
			if !utf8.ValidString(string(v)) {
				return nil, fmt.Errorf("%s: the text is not valid UTF-8", b.Name())
			}
			m.blocks = append(m.blocks, Text(string(v)))
		case Block:
			m.blocks = append(m.blocks, v)
		default:
			return nil, fmt.Errorf("%s: got %s; want text or a content block (%s)", b.Name(), engine.Describe(v), "text, image, audio, embed, link")
		}
	}
	if len(m.blocks) == 0 {
		return nil, fmt.Errorf("%s: a message says something, got an empty list", b.Name())
	}
	return m, nil
}

// String is the call that makes the message.
func (m *Message) String() string {
	parts := make([]string, len(m.blocks))
	for i, b := range m.blocks {
		parts[i] = b.String()
		if b.kind == "text" && b.annotations == "" && b.meta == "" {
			parts[i] = syntax.Quote(b.text, false)
		}
	}
	if len(parts) == 1 {
		return m.role + "(" + parts[0] + ")"
	}
	return m.role + "([" + strings.Join(parts, ", ") + "])"
}

// Type is "message".
func (m *Message) Type() string { return "message" }

// Freeze does nothing: a message never changes.
func (m *Message) Freeze() {}

// Truth is true.
func (m *Message) Truth() starlark.Bool { return true }

// Hash refuses: nobody needs messages as keys.
func (m *Message) Hash() (uint32, error) { return 0, errors.New("unhashable: message") }

// AttrNames lists the fields.
func (m *Message) AttrNames() []string { return []string{"content", "role"} }

// Attr reads a field.
func (m *Message) Attr(name string) (starlark.Value, error) {
	switch name {
	case "role":
		return starlark.String(m.role), nil
	case "content":
		blocks := make(starlark.Tuple, len(m.blocks))
		for i, b := range m.blocks {
			blocks[i] = b
		}
		return blocks, nil
	}
	return nil, nil
}

// CompareSameType compares by value; messages have no order.
func (m *Message) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	other := y.(*Message)
	same := m.role == other.role && len(m.blocks) == len(other.blocks)
	for i := 0; same && i < len(m.blocks); i++ {
		same = m.blocks[i] == other.blocks[i]
	}
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, errors.New("messages have no order")
}

// JSON is the message as sampling has it: one block, or a list of them.
func (m *Message) JSON() any {
	list := m.Each()
	if len(list) == 1 {
		return list[0]
	}
	blocks := make([]any, len(m.blocks))
	for i, b := range m.blocks {
		blocks[i] = b.object()
	}
	return exactjson.Object{{Name: "role", Value: m.role}, {Name: "content", Value: blocks}}
}

// Each is the message as prompts have it: one message for each block.
func (m *Message) Each() []exactjson.Object {
	list := make([]exactjson.Object, len(m.blocks))
	for i, b := range m.blocks {
		list[i] = exactjson.Object{{Name: "role", Value: m.role}, {Name: "content", Value: b.object()}}
	}
	return list
}

// User is a message of the user's with one block.
func User(b Block) *Message { return &Message{role: "user", blocks: []Block{b}} }
