package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/testing"
)

// An answerer answers the questions of a call: from --answer, at the terminal,
// or with a refusal.
type answerer struct {
	streams streams
	given   map[string]string // by wire key, or by what follows its last colon
	in      *bufio.Reader
}

func newAnswerer(s streams, pairs []string) (*answerer, error) {
	a := &answerer{streams: s, given: map[string]string{}, in: bufio.NewReader(s.in)}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--answer wants KEY=JSON, got %q", pair)
		}
		a.given[key] = value
	}
	return a, nil
}

func (a *answerer) answer(_ context.Context, q testing.Question) (testing.Answer, error) {
	text, ok := a.given[q.Key]
	if !ok {
		text, ok = a.given[q.Key[strings.LastIndexByte(q.Key, ':')+1:]]
	}
	var result json.RawMessage
	var err error
	switch {
	case ok:
		result, err = fromText(q, text)
	case a.streams.terminal:
		result, err = a.atTerminal(q)
	case q.Method == "elicitation/create":
		fmt.Fprintf(a.streams.err, "mcpstar: declined the question of %s: there is no terminal; answer it with --answer '%s=...'\n", q.Key, q.Key)
		result = action("decline")
	}
	return testing.Answer{Result: result}, err
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

// line asks for one line.
func (a *answerer) line(prompt string) (string, error) {
	fmt.Fprint(a.streams.err, prompt)
	text, err := a.in.ReadString('\n')
	if err != nil && text == "" {
		if errors.Is(err, io.EOF) {
			return "", errNoAnswer
		}
		return "", err
	}
	return strings.TrimRight(text, "\r\n"), nil
}
