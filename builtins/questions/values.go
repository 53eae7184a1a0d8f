package questions

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// answerKind is a kind of value that an answer is made of.
type answerKind struct {
	name       string
	attributes []attribute
}

// An attribute is a member under the name that scripts read it by. One without a
// wire name is computed.
type attribute struct{ name, wire string }

var (
	samplingAnswer = &answerKind{"sampling_answer", []attribute{
		{"text", ""}, {"role", "role"}, {"content", "content"}, {"model", "model"}, {"stop_reason", "stopReason"},
	}}
	contentBlock = &answerKind{"content_block", []attribute{
		{"type", "type"}, {"text", "text"}, {"name", "name"}, {"input", "input"}, {"mime_type", "mimeType"},
		{"id", "id"}, {"data", "data"}, {"tool_use_id", "toolUseId"}, {"content", "content"},
	}}
	elicitAnswer = &answerKind{"elicitation_answer", []attribute{{"action", "action"}, {"content", "content"}}}
	rootsAnswer  = &answerKind{"roots_answer", []attribute{{"roots", "roots"}}}
	rootEntry    = &answerKind{"root", []attribute{{"uri", "uri"}, {"name", "name"}}}
)

// An answerValue is a part of a client's answer as scripts see it. It is
// immutable, equal to another by value, and written as JSON the way it came,
// without the members that nobody knows.
type answerValue struct {
	kind  *answerKind
	wire  *starlark.Dict
	views map[string]starlark.Value // attributes that are not simply their member
}

var (
	_ exactjson.Encodable = (*answerValue)(nil)
	_ starlark.HasAttrs   = (*answerValue)(nil)
	_ starlark.Comparable = (*answerValue)(nil)
)

// newSamplingAnswer is the value for the result of a sampling request. Its .text
// joins the text blocks as they are, with nothing between them.
func newSamplingAnswer(wire *starlark.Dict) *answerValue {
	var text strings.Builder
	for _, block := range blocksOf(wire) {
		if typeOf(block) == "text" {
			text.WriteString(string(get(block, "text").(starlark.String)))
		}
	}
	return newAnswerValue(samplingAnswer, wire, map[string]starlark.Value{
		"text":    starlark.String(text.String()),
		"content": viewContent(get(wire, "content")),
	})
}

// viewContent shows one block as a value and a list of blocks as a list.
func viewContent(content starlark.Value) starlark.Value {
	list, many := content.(*starlark.List)
	if !many {
		return newBlock(content.(*starlark.Dict))
	}
	values := make([]starlark.Value, list.Len())
	for i := range values {
		values[i] = newBlock(list.Index(i).(*starlark.Dict))
	}
	return starlark.NewList(values)
}

func newBlock(wire *starlark.Dict) *answerValue {
	var views map[string]starlark.Value
	if content := get(wire, "content"); content != nil { // a tool_result
		views = map[string]starlark.Value{"content": viewContent(content)}
	}
	return newAnswerValue(contentBlock, wire, views)
}

func newRootsAnswer(wire *starlark.Dict) *answerValue {
	list := get(wire, "roots").(*starlark.List)
	roots := make([]starlark.Value, list.Len())
	for i := range roots {
		roots[i] = newAnswerValue(rootEntry, list.Index(i).(*starlark.Dict), nil)
	}
	return newAnswerValue(rootsAnswer, wire, map[string]starlark.Value{"roots": starlark.NewList(roots)})
}

// newAnswerValue freezes what it is given.
func newAnswerValue(kind *answerKind, wire *starlark.Dict, views map[string]starlark.Value) *answerValue {
	wire.Freeze()
	for _, v := range views {
		v.Freeze()
	}
	return &answerValue{kind: kind, wire: wire, views: views}
}

// JSON is the wire form, which sample() takes back in a later message.
func (a *answerValue) JSON() any { return a.wire }

// Attr is None for what the answer does not have.
func (a *answerValue) Attr(name string) (starlark.Value, error) {
	if v, ok := a.views[name]; ok {
		return v, nil
	}
	for _, attr := range a.kind.attributes {
		if attr.name != name {
			continue
		}
		if v := get(a.wire, attr.wire); v != nil {
			return v, nil
		}
		return starlark.None, nil
	}
	return nil, nil // Starlark says what was probably meant
}

// AttrNames are the same for all values of a kind.
func (a *answerValue) AttrNames() []string {
	names := make([]string, len(a.kind.attributes))
	for i, attr := range a.kind.attributes {
		names[i] = attr.name
	}
	return names
}

// String shows what is there. The bytes of an image are only counted.
func (a *answerValue) String() string {
	var parts []string
	for _, attr := range a.kind.attributes {
		v, _ := a.Attr(attr.name)
		switch {
		case v == starlark.None, attr.wire == "":
			continue
		case attr.name == "data":
			parts = append(parts, fmt.Sprintf("data = %d bytes of base64", len(v.(starlark.String))))
		default:
			parts = append(parts, attr.name+" = "+v.String())
		}
	}
	return a.kind.name + "(" + strings.Join(parts, ", ") + ")"
}

func (a *answerValue) Type() string         { return a.kind.name }
func (a *answerValue) Freeze()              {} // always is
func (a *answerValue) Truth() starlark.Bool { return true }

// Hash refuses: an answer holds lists and dicts.
func (a *answerValue) Hash() (uint32, error) {
	return 0, fmt.Errorf("unhashable: %s", a.kind.name)
}

// CompareSameType knows == and !=.
func (a *answerValue) CompareSameType(op syntax.Token, other starlark.Value, depth int) (bool, error) {
	b := other.(*answerValue)
	if op != syntax.EQL && op != syntax.NEQ {
		return false, fmt.Errorf("%s %s %s not implemented", a.Type(), op, b.Type())
	}
	equal := a.kind == b.kind
	if equal {
		var err error
		if equal, err = starlark.EqualDepth(a.wire, b.wire, depth-1); err != nil {
			return false, err
		}
	}
	return equal == (op == syntax.EQL), nil
}

// blocksOf are the content blocks of a message or of a sampling result: one, or
// a list.
func blocksOf(message *starlark.Dict) []*starlark.Dict {
	content := get(message, "content")
	list, many := content.(*starlark.List)
	if !many {
		return []*starlark.Dict{content.(*starlark.Dict)}
	}
	blocks := make([]*starlark.Dict, list.Len())
	for i := range blocks {
		blocks[i] = list.Index(i).(*starlark.Dict)
	}
	return blocks
}

func typeOf(block *starlark.Dict) string { return string(get(block, "type").(starlark.String)) }
