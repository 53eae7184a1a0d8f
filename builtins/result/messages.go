package result

import (
	"encoding/json"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// Messages makes the messages of a prompt: text, a content block or any other
// value is one message of the user's, user(...) and assistant(...) are what they
// say, a list is one after the other.
func Messages(v starlark.Value, limits exactjson.Limits) (json.RawMessage, error) {
	if v == starlark.None {
		return nil, &engine.Failure{Text: "the prompt returned None; return the text of its message, or a list of user(...) and assistant(...)"}
	}
	list, err := toMessages([]any{}, v, limits, 0)
	if err != nil {
		return nil, err
	}
	return exactjson.Append(nil, list, "", limits)
}

func toMessages(list []any, v starlark.Value, limits exactjson.Limits, depth int) ([]any, error) {
	add := func(m *content.Message) []any {
		for _, each := range m.Each() {
			list = append(list, each)
		}
		return list
	}
	switch v := v.(type) {
	case engine.Question:
		return nil, asked("prompt", v)
	case *content.Message:
		return add(v), nil
	case content.Block:
		return add(content.User(v)), nil
	case starlark.String:
		return add(content.User(content.Text(string(v)))), nil
	case *starlark.List, starlark.Tuple:
		return flatten(list, v.(starlark.Indexable), depth, "messages; return fewer",
			func(list []any, elem starlark.Value) ([]any, error) { return toMessages(list, elem, limits, depth+1) })
	case *starlark.Dict:
		if _, ok, _ := v.Get(starlark.String("role")); ok {
			return nil, &engine.Failure{Text: `the prompt returned a dict with a role; write user("...") or assistant("...")`}
		}
	}
	text, err := exactjson.Append(nil, v, "  ", limits)
	if err != nil {
		return nil, err
	}
	return add(content.User(content.Text(string(text)))), nil
}
