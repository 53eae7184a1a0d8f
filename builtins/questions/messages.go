package questions

import (
	"errors"
	"maps"

	"go.starlark.net/starlark"
)

const messageExample = `a message such as {"role": "user", "content": {"type": "text", "text": "..."}}`

var messages = listOf("a list of messages", record(messageExample,
	required("role", role),
	required("content", oneOrMany(sampledBlock, listOf("a list of content blocks", sampledBlock))),
	meta))

// userText is the conversation of a plain prompt.
func userText(prompt starlark.String) *starlark.List {
	block := dictOf("type", starlark.String("text"), "text", prompt)
	return starlark.NewList([]starlark.Value{dictOf("role", starlark.String("user"), "content", block)})
}

func dictOf(pairs ...any) *starlark.Dict {
	d := new(starlark.Dict)
	for i := 0; i < len(pairs); i += 2 {
		// A fresh dict takes any text as a key.
		_ = d.SetKey(starlark.String(pairs[i].(string)), pairs[i+1].(starlark.Value))
	}
	return d
}

// unpaired says how the end of a conversation, which is not empty, breaks the
// rule that every use of a tool is answered, alone, by the next message. Earlier
// turns are the author's own business.
func unpaired(conversation *starlark.List) error {
	n := conversation.Len()
	last := blocksOf(conversation.Index(n - 1).(*starlark.Dict))
	var previous []*starlark.Dict
	if n > 1 {
		previous = blocksOf(conversation.Index(n - 2).(*starlark.Dict))
	}
	results := idsOf(last, "tool_result", "toolUseId")
	uses := idsOf(previous, "tool_use", "id")
	if len(results) > 0 {
		switch {
		case countOf(last, "tool_result") != len(last):
			//lint:ignore ST1005 the reference's own words
			return errors.New("The last message must contain only tool_result content if any is present")
		case n == 1:
			return errors.New("tool_result requires a previous message containing tool_use")
		case len(uses) == 0:
			return errors.New("tool_result blocks do not match any tool_use in the previous message")
		}
	}
	if len(uses) > 0 && !maps.Equal(uses, results) {
		return errors.New("ids of tool_result blocks and tool_use blocks from previous message do not match")
	}
	return nil
}

func idsOf(blocks []*starlark.Dict, kind, member string) map[string]bool {
	ids := map[string]bool{}
	for _, b := range blocks {
		if typeOf(b) == kind {
			ids[string(get(b, member).(starlark.String))] = true
		}
	}
	return ids
}

func countOf(blocks []*starlark.Dict, kind string) int {
	n := 0
	for _, b := range blocks {
		if typeOf(b) == kind {
			n++
		}
	}
	return n
}
