package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/testing"
)

// An answerer answers the questions of a call: from --answer, at the terminal,
// or with a refusal.
type answerer struct {
	streams streams
	given   map[string]string // by wire key, or by what follows its last colon
	used    map[string]bool   // of those
	in      *bufio.Reader
}

func newAnswerer(s streams, pairs []string) (*answerer, error) {
	a := &answerer{streams: s, given: map[string]string{}, used: map[string]bool{}, in: bufio.NewReader(s.in)}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--answer wants KEY=JSON, got %q", pair)
		}
		if _, twice := a.given[key]; twice {
			return nil, fmt.Errorf("--answer %s is given twice", key)
		}
		a.given[key] = value
	}
	return a, nil
}

// shortKey is what follows the last colon of a wire key: a resolver's name.
func shortKey(key string) string { return key[strings.LastIndexByte(key, ':')+1:] }

func (a *answerer) answer(ctx context.Context, q testing.Question) (testing.Answer, error) {
	key := q.Key
	text, ok := a.given[key]
	if !ok {
		key = shortKey(key)
		text, ok = a.given[key]
	}
	var result json.RawMessage
	var err error
	switch {
	case ok:
		a.used[key] = true
		result, err = fromText(q, text)
		a.warnMisfit(q, result)
	case a.streams.terminal:
		result, err = a.atTerminal(ctx, q)
	case q.Method == "elicitation/create":
		fmt.Fprintf(a.streams.err, "mcpstar: declined the question of %s: there is no terminal; answer it with --answer '%s=...'\n", q.Key, q.Key)
		result = action("decline")
	}
	return testing.Answer{Result: result}, err
}

// warnMisfit says which fields of an answer the server is going to refuse.
func (a *answerer) warnMisfit(q testing.Question, result json.RawMessage) {
	var asked struct{ RequestedSchema json.RawMessage }
	var given struct {
		Action  string
		Content json.RawMessage
	}
	if q.Method != "elicitation/create" || json.Unmarshal(q.Params, &asked) != nil || json.Unmarshal(result, &given) != nil {
		return
	}
	if asked.RequestedSchema == nil || given.Action != "accept" {
		return
	}
	for _, wrong := range misfits(asked.RequestedSchema, given.Content) {
		fmt.Fprintf(a.streams.err, "mcpstar: --answer %s does not fit the form: %s\n", q.Key, wrong)
	}
}

// warnUnused says which answers no question was asked for. keys are those of the
// tool's resolvers: one that did not ask this time is no mistake.
func (a *answerer) warnUnused(keys []string) {
	var names []string
	known := map[string]bool{}
	for _, key := range keys {
		names = append(names, shortKey(key))
		known[key], known[shortKey(key)] = true, true
	}
	for _, key := range slices.Sorted(maps.Keys(a.given)) {
		if a.used[key] || known[key] {
			continue
		}
		hint := ""
		if near := engine.DidYouMean(shortKey(key), names); near != "" {
			hint = "; " + near
		}
		fmt.Fprintf(a.streams.err, "mcpstar: --answer %s: no question of that key was asked%s\n", key, hint)
	}
}

func action(word string) json.RawMessage {
	return exactjson.MustMarshal(exactjson.Object{{Name: "action", Value: word}})
}

// fromText is the result that --answer means: a whole result object, or the part
// of it that matters.
func fromText(q testing.Question, text string) (json.RawMessage, error) {
	if word := strings.TrimSpace(text); word == "decline" || word == "cancel" {
		return action(word), nil
	}
	var members map[string]json.RawMessage
	isObject := json.Unmarshal([]byte(text), &members) == nil && members != nil
	switch q.Method {
	case "elicitation/create":
		if _, whole := members["action"]; whole {
			return json.RawMessage(text), nil
		}
		if text == "accept" {
			return exactjson.MustMarshal(exactjson.Object{{Name: "action", Value: "accept"}, {Name: "content", Value: exactjson.Object{}}}), nil
		}
		if !isObject {
			return nil, fmt.Errorf("--answer of %s wants the form's content as a JSON object, or accept, decline or cancel; got %s", q.Key, text)
		}
		return exactjson.MustMarshal(exactjson.Object{
			{Name: "action", Value: "accept"}, {Name: "content", Value: json.RawMessage(text)},
		}), nil
	case "sampling/createMessage":
		if isObject {
			return json.RawMessage(text), nil
		}
		return sampled(unquoted(text)), nil
	case "roots/list":
		if isObject {
			return json.RawMessage(text), nil
		}
		return roots(text)
	}
	return nil, fmt.Errorf("no way to answer %s", q.Method)
}

// unquoted is the text that a JSON string stands for, or the text itself.
func unquoted(text string) string {
	var s string
	if json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

func sampled(text string) json.RawMessage {
	return exactjson.MustMarshal(exactjson.Object{
		{Name: "role", Value: "assistant"},
		{Name: "content", Value: exactjson.Object{{Name: "type", Value: "text"}, {Name: "text", Value: text}}},
		{Name: "model", Value: "person"},
		{Name: "stopReason", Value: "endTurn"},
	})
}

// roots is the result for a JSON list of URIs, or URIs separated by spaces.
func roots(text string) (json.RawMessage, error) {
	var uris []string
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		if err := json.Unmarshal([]byte(text), &uris); err != nil {
			return nil, fmt.Errorf("roots are a list of file: URIs: %w", err)
		}
	} else {
		uris = strings.Fields(text)
	}
	list := make([]any, len(uris))
	for i, uri := range uris {
		list[i] = exactjson.Object{{Name: "uri", Value: uri}}
	}
	return exactjson.MustMarshal(exactjson.Object{{Name: "roots", Value: list}}), nil
}

// errNoAnswer ends a call whose person has gone.
var errNoAnswer = errors.New("no answer: the input has ended")

// line asks for one line, until ctx ends.
func (a *answerer) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(a.streams.err, prompt)
	type read struct {
		text string
		err  error
	}
	lines := make(chan read, 1)
	go func() { // a read of a terminal can't be cut short; it ends with the process
		text, err := a.in.ReadString('\n')
		lines <- read{text, err}
	}()
	var got read
	select {
	case got = <-lines:
	case <-ctx.Done():
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(a.streams.err)
		return "", context.Cause(ctx)
	case got.err != nil && got.text == "" && errors.Is(got.err, io.EOF):
		return "", errNoAnswer
	case got.err != nil && got.text == "":
		return "", got.err
	}
	return strings.TrimRight(got.text, "\r\n"), nil
}
