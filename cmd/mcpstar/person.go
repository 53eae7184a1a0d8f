package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/testing"
)

// atTerminal asks the person at the terminal.
func (a *answerer) atTerminal(q testing.Question) (json.RawMessage, error) {
	switch q.Method {
	case "elicitation/create":
		return a.elicit(q)
	case "sampling/createMessage":
		return a.sample(q)
	case "roots/list":
		text, err := a.line("The server asks for the open folders. file: URIs, separated by spaces: ")
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

// A formField is one property of a form.
type formField struct {
	Title, Description, Type string
	Default                  json.RawMessage
	Enum                     []string
	OneOf                    []struct{ Const, Title string }
}

func (a *answerer) elicit(q testing.Question) (json.RawMessage, error) {
	var f form
	if err := json.Unmarshal(q.Params, &f); err != nil {
		return nil, err
	}
	fmt.Fprintf(a.streams.err, "\n%s\n", f.Message)
	if f.Mode == "url" {
		fmt.Fprintf(a.streams.err, "  %s\n", f.URL)
	}
	for {
		word, err := a.line("[a]ccept, [d]ecline or [c]ancel? ")
		if err != nil {
			return nil, err
		}
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "d", "decline":
			return action("decline"), nil
		case "c", "cancel":
			return action("cancel"), nil
		case "", "a", "accept", "y", "yes":
			return a.fill(&f)
		}
	}
}

// fill asks for the fields of a form one by one.
func (a *answerer) fill(f *form) (json.RawMessage, error) {
	if f.Mode == "url" {
		return action("accept"), nil
	}
	var fields map[string]formField
	if err := json.Unmarshal(f.RequestedSchema.Properties, &fields); err != nil {
		return nil, err
	}
	members, err := objectMembers(string(f.RequestedSchema.Properties))
	if err != nil {
		return nil, err
	}
	content := exactjson.Object{}
	for _, m := range members {
		value, given, err := a.field(m.Name, fields[m.Name], slices.Contains(f.RequestedSchema.Required, m.Name))
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
func (a *answerer) field(name string, f formField, required bool) (value any, given bool, err error) {
	prompt := "  " + name
	if f.Description != "" {
		prompt += " (" + f.Description + ")"
	}
	if choices := f.choices(); len(choices) > 0 {
		prompt += " [" + strings.Join(choices, ", ") + "]"
	} else if f.Type == "boolean" {
		prompt += " [y/n]"
	}
	if f.Default != nil {
		prompt += " = " + string(f.Default)
	}
	for {
		text, err := a.line(prompt + ": ")
		if err != nil {
			return nil, false, err
		}
		if text == "" && !required {
			return nil, false, nil
		}
		if value, ok := f.read(text); ok {
			return value, true, nil
		}
		fmt.Fprintf(a.streams.err, "  that is not %s\n", article(f.Type))
	}
}

func (f *formField) choices() []string {
	if len(f.Enum) > 0 {
		return f.Enum
	}
	var values []string
	for _, c := range f.OneOf {
		values = append(values, c.Const)
	}
	return values
}

// read is what a line means for the field.
func (f *formField) read(text string) (any, bool) {
	switch f.Type {
	case "boolean":
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			return true, true
		case "n", "no", "false":
			return false, true
		}
		return nil, false
	case "integer", "number":
		return json.RawMessage(text), json.Valid([]byte(text))
	case "array":
		list := []string{}
		for _, part := range strings.Split(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list, true
	}
	if choices := f.choices(); len(choices) > 0 {
		return text, slices.Contains(choices, text)
	}
	return text, true
}

func article(kind string) string {
	switch kind {
	case "integer":
		return "an integer"
	case "number":
		return "a number"
	case "boolean":
		return "yes or no"
	}
	return "one of the choices"
}

// sample shows what the server would ask a model, and lets the person be it.
func (a *answerer) sample(q testing.Question) (json.RawMessage, error) {
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
	text, err := a.line("Answer in its place: ")
	if err != nil {
		return nil, err
	}
	return sampled(text), nil
}
