package wire

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/starhost/calls"
)

// Offered keeps the SDK's own lists in step, which is how clients come to hear that
// one has changed. Only what differs is touched. Ours are what is shown, so nobody
// sees how far this has come.
//
// It implements [calls.Audience].
func (s *Server) Offered(previous, next *calls.Offer) {
	s.mounting.Lock()
	defer s.mounting.Unlock()
	s.registered = next
	for _, sdk := range s.sdk {
		registerOn(sdk, previous, next)
	}
	for _, c := range []struct {
		method      string
		before, now []*calls.List
	}{
		{toolsChanged, []*calls.List{&previous.Tools}, []*calls.List{&next.Tools}},
		{promptsChanged, []*calls.List{&previous.Prompts}, []*calls.List{&next.Prompts}},
		{resourcesChanged, []*calls.List{&previous.Resources, &previous.Templates}, []*calls.List{&next.Resources, &next.Templates}},
	} {
		if !slices.EqualFunc(c.before, c.now, (*calls.List).Same) {
			s.listeners.changed(c.method)
		}
	}
}

func registerOn(sdk *mcp.Server, previous, next *calls.Offer) {
	inStep(&previous.Tools, &next.Tools, func(_ string, item json.RawMessage) {
		sdk.AddTool(toolOf(item), handleTool)
	}, sdk.RemoveTools)
	inStep(&previous.Prompts, &next.Prompts, func(_ string, item json.RawMessage) {
		sdk.AddPrompt(as[mcp.Prompt](item), handlePrompt)
	}, sdk.RemovePrompts)
	inStep(&previous.Resources, &next.Resources, func(_ string, item json.RawMessage) {
		sdk.AddResource(as[mcp.Resource](item), handleResource)
	}, sdk.RemoveResources)
	inStep(&previous.Templates, &next.Templates, func(_ string, item json.RawMessage) {
		sdk.AddResourceTemplate(as[mcp.ResourceTemplate](item), handleResource)
	}, sdk.RemoveResourceTemplates)
}

// toolOf is a tool as the SDK has it, with its schemas word for word.
func toolOf(item json.RawMessage) *mcp.Tool {
	shown := as[struct {
		Name, Title, Description  string
		InputSchema, OutputSchema json.RawMessage
	}](item)
	tool := &mcp.Tool{Name: shown.Name, Title: shown.Title, Description: shown.Description, InputSchema: shown.InputSchema}
	if shown.OutputSchema != nil {
		tool.OutputSchema = shown.OutputSchema
	}
	return tool
}

// inStep adds what is new or different in a list, and removes what is gone.
func inStep(previous, next *calls.List, add func(key string, item json.RawMessage), remove func(...string)) {
	before := map[string]string{}
	for i, key := range previous.Keys {
		before[key] = string(previous.Items[i])
	}
	for i, key := range next.Keys {
		if item, known := before[key]; !known || item != string(next.Items[i]) {
			add(key, next.Items[i])
		}
		delete(before, key)
	}
	if len(before) == 0 {
		return
	}
	var gone []string
	for key := range before {
		gone = append(gone, key)
	}
	slices.Sort(gone)
	remove(gone...)
}

// as is one of our items as the SDK has it. What the SDK can't read of it (an icon of
// an odd shape) is not lost on clients: they are shown ours.
func as[T any](item json.RawMessage) *T {
	v := new(T)
	_ = json.Unmarshal(item, v)
	return v
}

// The SDK's handlers. Requests are answered by middleware, before they come here.

func handleTool(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, internalError()
}

func handlePrompt(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return nil, internalError()
}

func handleResource(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return nil, internalError()
}
