package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/testing"
)

// atTerminal asks the person at the terminal.
func (a *answerer) atTerminal(ctx context.Context, q testing.Question) (json.RawMessage, error) {
	switch q.Method {
	case "elicitation/create":
		return a.elicit(ctx, q)
	case "sampling/createMessage":
		return a.sample(ctx, q)
	case "roots/list":
		text, err := a.line(ctx, "The server asks for the open folders. file: URIs, separated by spaces: ")
		if err != nil {
			return nil, err
		}
		return roots(text)
	}
	return nil, fmt.Errorf("no way to answer %s", q.Method)
}

// A form is what an elicitation asks for.
type form struct {
	Message         string
	Mode            string
	URL             string
	RequestedSchema struct {
		Properties json.RawMessage
		Required   []string
	}
}

func (a *answerer) elicit(ctx context.Context, q testing.Question) (json.RawMessage, error) {
	var f form
	if err := json.Unmarshal(q.Params, &f); err != nil {
		return nil, err
	}
	fmt.Fprintf(a.streams.err, "\n%s\n", f.Message)
	if f.Mode == "url" {
		fmt.Fprintf(a.streams.err, "  %s\n", f.URL)
	}
	for {
		word, err := a.line(ctx, "[a]ccept, [d]ecline or [c]ancel? ")
		if err != nil {
			return nil, err
		}
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "d", "decline":
			return action("decline"), nil
		case "c", "cancel":
			return action("cancel"), nil
		case "", "a", "accept", "y", "yes":
			return a.fill(ctx, &f)
		}
		fmt.Fprintln(a.streams.err, "type a, d or c, and press Enter")
	}
}

// fill asks for the fields of a form one by one.
func (a *answerer) fill(ctx context.Context, f *form) (json.RawMessage, error) {
	if f.Mode == "url" {
		return action("accept"), nil
	}
	members, err := objectMembers(string(f.RequestedSchema.Properties))
	if err != nil {
		return nil, err
	}
	content := exactjson.Object{}
	for _, m := range members {
		field, err := newFormField(m.Name, m.Value.(json.RawMessage), slices.Contains(f.RequestedSchema.Required, m.Name))
		if err != nil {
			return nil, err
		}
		value, given, err := a.field(ctx, field)
		if err != nil {
			return nil, err
		}
		if given {
			content = content.With(m.Name, value)
		}
	}
	return exactjson.MustMarshal(exactjson.Object{
		{Name: "action", Value: "accept"}, {Name: "content", Value: content},
	}), nil
}

// field asks for one field until the line fits. given is false for an optional
// one that was left empty.
func (a *answerer) field(ctx context.Context, f *formField) (value json.RawMessage, given bool, err error) {
	for {
		text, err := a.line(ctx, "  "+f.prompt()+": ")
		if err != nil {
			return nil, false, err
		}
		if text == "" && !f.required {
			return nil, false, nil
		}
		value, wrong := f.read(text)
		if wrong == "" {
			return value, true, nil
		}
		fmt.Fprintf(a.streams.err, "  %s\n", wrong)
	}
}

// sample shows what the server would ask a model, and lets the person be it.
func (a *answerer) sample(ctx context.Context, q testing.Question) (json.RawMessage, error) {
	var params struct {
		SystemPrompt string
		Messages     []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(q.Params, &params); err != nil {
		return nil, err
	}
	fmt.Fprintln(a.streams.err, "\nThe server asks the client's model:")
	if params.SystemPrompt != "" {
		fmt.Fprintf(a.streams.err, "  system: %s\n", params.SystemPrompt)
	}
	for _, m := range params.Messages {
		var block struct{ Text string }
		if json.Unmarshal(m.Content, &block) != nil || block.Text == "" {
			block.Text = string(m.Content)
		}
		fmt.Fprintf(a.streams.err, "  %s: %s\n", m.Role, block.Text)
	}
	text, err := a.line(ctx, "Answer in its place: ")
	if err != nil {
		return nil, err
	}
	return sampled(text), nil
}
