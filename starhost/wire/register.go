package wire

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// register keeps the SDK's own lists in step, which is how clients come to hear that
// one has changed. Only what differs is touched. Ours are what is shown, so nobody
// sees how far this has come.
func (s *Server) register(previous, next *offer) {
	for _, sdk := range s.sdk {
		registerOn(sdk, previous, next)
	}
	for _, c := range []struct {
		method      string
		before, now []*list
	}{
		{toolsChanged, []*list{previous.tools}, []*list{next.tools}},
		{promptsChanged, []*list{previous.prompts}, []*list{next.prompts}},
		{resourcesChanged, []*list{previous.resources, previous.templates}, []*list{next.resources, next.templates}},
	} {
		if !slices.EqualFunc(c.before, c.now, same) {
			s.listeners.changed(c.method)
		}
	}
}

// same reports whether two lists show the same.
func same(a, b *list) bool {
	return a != nil && b != nil && slices.Equal(a.keys, b.keys) &&
		slices.EqualFunc(a.items, b.items, func(x, y json.RawMessage) bool { return string(x) == string(y) })
}

func registerOn(sdk *mcp.Server, previous, next *offer) {
	inStep(previous.tools, next.tools, func(name string, _ json.RawMessage) {
		t := next.tool(name)
		tool := &mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema}
		if t.OutputSchema != nil {
			tool.OutputSchema = t.OutputSchema
		}
		sdk.AddTool(tool, handleTool)
	}, sdk.RemoveTools)
	inStep(previous.prompts, next.prompts, func(_ string, item json.RawMessage) {
		sdk.AddPrompt(as[mcp.Prompt](item), handlePrompt)
	}, sdk.RemovePrompts)
	inStep(previous.resources, next.resources, func(_ string, item json.RawMessage) {
		sdk.AddResource(as[mcp.Resource](item), handleResource)
	}, sdk.RemoveResources)
	inStep(previous.templates, next.templates, func(_ string, item json.RawMessage) {
		sdk.AddResourceTemplate(as[mcp.ResourceTemplate](item), handleResource)
	}, sdk.RemoveResourceTemplates)
}

// inStep adds what is new or different in a list, and removes what is gone.
func inStep(previous, next *list, add func(key string, item json.RawMessage), remove func(...string)) {
	before := map[string]string{}
	if previous != nil {
		for i, key := range previous.keys {
			before[key] = string(previous.items[i])
		}
	}
	for i, key := range next.keys {
		if item, known := before[key]; !known || item != string(next.items[i]) {
			add(key, next.items[i])
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
