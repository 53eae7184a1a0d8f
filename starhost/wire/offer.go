package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// An offer is what clients see of a version: everything but what is switched off at
// the moment. It is immutable.
type offer struct {
	snapshot                             *load.Snapshot
	tools, prompts, resources, templates *list
}

// A list is what one of the list methods shows.
type list struct {
	keys  []string // names or URIs, sorted
	items []json.RawMessage
}

func (l *list) add(key string, item exactjson.Object) {
	l.keys = append(l.keys, key)
	l.items = append(l.items, exactjson.MustMarshal(item))
}

func (l *list) has(key string) bool {
	_, found := slices.BinarySearch(l.keys, key)
	return found
}

// newOffer leaves out what is switched off.
func newOffer(s *load.Snapshot, switched switches) *offer {
	o := &offer{snapshot: s, tools: new(list), prompts: new(list), resources: new(list), templates: new(list)}
	for _, t := range s.Tools {
		if switched.on("tool", t.Name, t.Enabled) {
			o.tools.add(t.Name, ToolJSON(t))
		}
	}
	for _, p := range s.Prompts {
		if switched.on("prompt", p.Name, p.Enabled) {
			o.prompts.add(p.Name, PromptJSON(p))
		}
	}
	for _, r := range s.Resources {
		if switched.on("resource", r.URI, r.Enabled) {
			o.resources.add(r.URI, ResourceJSON(r))
		}
	}
	for _, r := range s.Templates {
		if switched.on("resource", r.URI, r.Enabled) {
			o.templates.add(r.URI, ResourceJSON(r))
		}
	}
	return o
}

// tool is the tool of that name, or nil.
func (o *offer) tool(name string) *load.Tool {
	if !o.tools.has(name) {
		return nil
	}
	return o.snapshot.Tool(name)
}

// prompt is the prompt of that name, or nil.
func (o *offer) prompt(name string) *load.Prompt {
	if !o.prompts.has(name) {
		return nil
	}
	return o.snapshot.Prompt(name)
}

// resource is the resource with that URI, or the template that it fits and what it
// says for the template's variables; nil if there is none.
func (o *offer) resource(uri string) (*load.Resource, *starlark.Dict) {
	if o.resources.has(uri) {
		return o.snapshot.Resource(uri), new(starlark.Dict)
	}
	for _, r := range o.snapshot.Matching() {
		if !o.templates.has(r.URI) {
			continue
		}
		if args, ok := r.Template.Match(uri); ok {
			return r, args
		}
	}
	return nil, nil
}

// unknownTool tells the model that there is no such tool, and which it may have
// meant.
func (o *offer) unknownTool(name string) string {
	return "Unknown tool: " + shortened(name) + nearest(name, o.tools.keys)
}

// unknownPrompt is the error for a prompt that is not there.
func (o *offer) unknownPrompt(name string) error {
	return &engine.ProtocolError{
		Code:    engine.CodeInvalidParams,
		Message: wellFormed("Unknown prompt: " + shortened(name) + nearest(name, o.prompts.keys)),
	}
}

// unknownResource is the error for a resource that is not there.
func (o *offer) unknownResource(uri string) error {
	return &engine.ProtocolError{
		Code:    engine.CodeInvalidParams,
		Message: wellFormed("Unknown resource: " + shortened(uri) + nearest(uri, o.resources.keys)),
		Data:    uriData(uri),
	}
}

func nearest(name string, names []string) string {
	if near := engine.Nearest(shortened(name), names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}

// shortened is a name that a client sent, short enough for a message.
func shortened(name string) string {
	const longest = 100
	if len(name) > longest {
		return strings.ToValidUTF8(name[:longest], "") + "…"
	}
	return name
}
