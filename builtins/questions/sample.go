package questions

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// sample is sample(prompt_or_messages, max_tokens =, ...), with every parameter
// of sampling/createMessage in snake case.
func sample(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	given, err := unpack(b, args, kwargs, 1, "prompt_or_messages", "max_tokens", "system_prompt", "include_context",
		"temperature", "stop_sequences", "metadata", "model_preferences", "tools", "tool_choice")
	if err != nil {
		return nil, err
	}
	conversation, err := given.conversation()
	if err != nil {
		return nil, err
	}
	params, err := given.samplingParams(conversation)
	if err != nil {
		return nil, err
	}
	withTools := given.optional("tools") != nil || given.optional("tool_choice") != nil
	q := &question{
		word:   "sample",
		text:   fmt.Sprintf("sample(%s)", starlark.String(shorten(opening(conversation)))),
		pos:    engine.CallerPos(thread),
		method: "sampling/createMessage",
		needs:  samplingCapability(withTools),
		accept: func(answer json.RawMessage) (engine.Outcome, error) { return acceptSampling(answer, withTools) },
	}
	if err := q.renderSampling(params); err != nil {
		return nil, err
	}
	return made(thread, q), nil
}

// The orders in which the reference sends the params of a sampling request.
var (
	handshakeOrder = []string{"messages", "modelPreferences", "systemPrompt", "includeContext", "temperature",
		"maxTokens", "stopSequences", "metadata", "tools", "toolChoice"}
	roundsOrder = []string{"includeContext", "maxTokens", "messages", "metadata", "modelPreferences",
		"stopSequences", "systemPrompt", "temperature", "toolChoice", "tools"}
)

func (q *question) renderSampling(params map[string]starlark.Value) error {
	full, err := exactjson.Marshal(inOrder(handshakeOrder, params))
	if err != nil {
		return fmt.Errorf("sample(): %w", err)
	}
	q.handshake, q.rendering = full, full
	q.rounds = exactjson.MustMarshal(inOrder(roundsOrder, params)) // the same members
	return nil
}

func inOrder(order []string, params map[string]starlark.Value) exactjson.Object {
	var o exactjson.Object
	for _, name := range order {
		if v := params[name]; v != nil {
			o = append(o, exactjson.Member{Name: name, Value: v})
		}
	}
	return o
}

// conversation is the prompt or the messages, checked.
func (a arguments) conversation() (*starlark.List, error) {
	switch v := a.given["prompt_or_messages"].(type) {
	case nil:
		return nil, errors.New(`sample() wants a prompt; write sample("Suggest a title", max_tokens = 50)`)
	case starlark.String:
		return userText(v), nil
	case *starlark.List, starlark.Tuple:
		clean, err := a.wire("prompt_or_messages", "messages", messages)
		if err != nil {
			return nil, err
		}
		list := clean.(*starlark.List)
		if list.Len() == 0 {
			return nil, errors.New("sample() wants at least one message, got none")
		}
		if err := unpaired(list); err != nil {
			return nil, err
		}
		return list, nil
	default:
		return nil, fmt.Errorf("sample() wants a prompt or a list of messages, got %s; write [%s]",
			engine.Describe(v), strings.TrimPrefix(messageExample, "a message such as "))
	}
}

// samplingParams are the request's params by wire name; what was not given is
// missing.
func (a arguments) samplingParams(conversation *starlark.List) (map[string]starlark.Value, error) {
	params := map[string]starlark.Value{"messages": conversation}
	for _, p := range []struct {
		name, wire string
		read       func(name string) (starlark.Value, error)
	}{
		{"max_tokens", "maxTokens", a.maxTokens},
		{"system_prompt", "systemPrompt", a.fitting(text("text"))},
		{"include_context", "includeContext", a.fitting(includeContext)},
		{"temperature", "temperature", a.temperature},
		{"stop_sequences", "stopSequences", a.fitting(listOf("a list of texts", text("text")))},
		{"metadata", "metadata", a.fitting(anyDict("a dict"))},
		{"model_preferences", "modelPreferences", a.fitting(modelPreferences)},
		{"tools", "tools", a.fitting(listOf("a list of tools", offeredTool))},
		{"tool_choice", "toolChoice", a.fitting(toolChoice)},
	} {
		if a.optional(p.name) == nil && p.name != "max_tokens" {
			continue
		}
		v, err := p.read(p.name)
		if err != nil {
			return nil, err
		}
		params[p.wire] = v
	}
	return params, nil
}

func (a arguments) maxTokens(name string) (starlark.Value, error) {
	const most = 1<<53 - 1 // what every JSON reader keeps exact
	v := a.given[name]
	if v == nil {
		return nil, errors.New("sample() wants max_tokens, the most tokens that the model may write; add max_tokens = 200")
	}
	i, ok := v.(starlark.Int)
	if !ok {
		return nil, a.wants(name, "a whole number", v)
	}
	if n, ok := i.Int64(); !ok || n < 1 || n > most {
		return nil, a.wants(name, "a whole number from 1 to 2^53-1", v)
	}
	return i, nil
}

// temperature is always written as a float: 1 and 1.0 are one question.
func (a arguments) temperature(name string) (starlark.Value, error) {
	v := a.given[name]
	f, ok := starlark.AsFloat(v)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, a.wants(name, "a number", v)
	}
	return starlark.Float(f), nil
}

// fitting reads an argument of that shape.
func (a arguments) fitting(s shape) func(string) (starlark.Value, error) {
	return func(name string) (starlark.Value, error) { return a.wire(name, name, s) }
}

// wire takes a copy of an argument as the JSON that it stands for, so that values
// with a wire form (text("..."), an answer's blocks) count as their dicts, and
// checks it. label is the argument's name in errors.
func (a arguments) wire(name, label string, s shape) (starlark.Value, error) {
	data, err := exactjson.Marshal(a.given[name])
	if err != nil {
		return nil, fmt.Errorf("sample(): %s%s", label, unwritable(err))
	}
	decoded, err := exactjson.Decode(data, exactjson.Limits{})
	if err != nil {
		return nil, fmt.Errorf("sample(): %s: %w", label, err)
	}
	clean, m := s(decoded, writing)
	if m != nil {
		return nil, fmt.Errorf("sample(): %s%s: %s", label, m.path, m.text)
	}
	return clean, nil
}

// unwritable turns "at [0].text: a function has no JSON form" into what follows
// the name of the argument.
func unwritable(err error) string {
	text, inside := strings.CutPrefix(err.Error(), "at ")
	switch {
	case !inside:
		text = ": " + text
	case !strings.HasPrefix(text, "["):
		text = "." + text
	}
	if strings.HasSuffix(text, "has no JSON form") {
		text += "; write it with dicts, lists, text and numbers"
	}
	return text
}

// opening is the first text of a conversation.
func opening(conversation *starlark.List) string {
	for i := range conversation.Len() {
		for _, b := range blocksOf(conversation.Index(i).(*starlark.Dict)) {
			if typeOf(b) == "text" {
				return string(get(b, "text").(starlark.String))
			}
		}
	}
	return ""
}

// acceptSampling takes a list of blocks, and the use of tools, only from a model
// that was given tools or told whether to use them.
func acceptSampling(answer json.RawMessage, withTools bool) (engine.Outcome, error) {
	result, err := readAnswer(answer, samplingResult, wrongKind)
	if err != nil {
		return engine.Outcome{}, err
	}
	if !withTools {
		if _, m := plainBlock(get(result, "content"), reading); m != nil {
			return engine.Outcome{}, &engine.AnswerError{Text: wrongKind}
		}
	}
	return engine.Outcome{Action: engine.Accepted, Value: newSamplingAnswer(result)}, nil
}
