package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// An Offer is what clients see of a server at a moment: everything but what is
// switched off. It is immutable, and plain data for those who only show it.
type Offer struct {
	// Name is the server's. Title, Version, Instructions and WebsiteURL are "" where
	// nothing is said; Icons is wire JSON, or nil.
	Name, Title, Version, Instructions, WebsiteURL string
	Icons                                          json.RawMessage

	Tools, Prompts, Resources, Templates List
	// Cache is what clients may keep of the lists.
	Cache load.Cache
	// Scopes are what the callers of tools need, by the tool's name; tools that need
	// none are left out.
	Scopes map[string][]string
	// Bound are the input schemas of the tools whose arguments are repeated in HTTP
	// headers (x-mcp-header), by name.
	Bound map[string]json.RawMessage
	// Patterns are the templates in the order in which a URI is tried on them.
	Patterns []Pattern

	snapshot *load.Snapshot // nil in a process that does not run the scripts
}

// A Pattern is a resource template, as far as it says which URIs it fits.
type Pattern struct {
	URI     string
	AnyPath bool // see [load.Template]
}

// A List is what one of the list methods shows.
type List struct {
	Keys  []string // names or URIs, sorted
	Items []json.RawMessage
}

func (l *List) add(key string, item exactjson.Object) {
	l.Keys = append(l.Keys, key)
	l.Items = append(l.Items, exactjson.MustMarshal(item))
}

// Has reports whether something is on the list.
func (l *List) Has(key string) bool {
	_, found := slices.BinarySearch(l.Keys, key)
	return found
}

// Same reports whether two lists show the same.
func (l *List) Same(other *List) bool {
	return slices.Equal(l.Keys, other.Keys) && slices.EqualFunc(l.Items, other.Items,
		func(a, b json.RawMessage) bool { return string(a) == string(b) })
}

// newOffer leaves out what is switched off.
func newOffer(s *load.Snapshot, switched switches) *Offer {
	o := &Offer{
		Name: s.Name, Title: s.Title, Version: s.Version, Instructions: s.Instructions, WebsiteURL: s.WebsiteURL,
		Icons: s.Icons, Cache: s.Cache, snapshot: s,
		Scopes: map[string][]string{}, Bound: map[string]json.RawMessage{},
	}
	for _, t := range s.Tools {
		if switched.on("tool", t.Name, t.Enabled) {
			o.addTool(t)
		}
	}
	for _, p := range s.Prompts {
		if switched.on("prompt", p.Name, p.Enabled) {
			o.Prompts.add(p.Name, PromptJSON(p))
		}
	}
	for _, r := range s.Resources {
		if switched.on("resource", r.URI, r.Enabled) {
			o.Resources.add(r.URI, ResourceJSON(r))
		}
	}
	for _, r := range s.Templates {
		if switched.on("resource", r.URI, r.Enabled) {
			o.Templates.add(r.URI, ResourceJSON(r))
		}
	}
	for _, r := range s.Matching() {
		if o.Templates.Has(r.URI) {
			o.Patterns = append(o.Patterns, Pattern{URI: r.URI, AnyPath: r.Template.AnyPath})
		}
	}
	return o
}

func (o *Offer) addTool(t *load.Tool) {
	o.Tools.add(t.Name, ToolJSON(t))
	if len(t.Scopes) > 0 {
		o.Scopes[t.Name] = t.Scopes
	}
	if bytes.Contains(t.InputSchema, []byte("x-mcp-header")) {
		o.Bound[t.Name] = t.InputSchema
	}
}

// HasResource reports whether there is a resource with that URI, or a template that
// it fits.
func (o *Offer) HasResource(uri string) bool {
	if o.snapshot != nil { // its templates are read already
		r, _ := o.resource(uri)
		return r != nil
	}
	return o.Resources.Has(uri) || slices.ContainsFunc(o.Patterns, func(p Pattern) bool { return p.fits(uri) })
}

func (p Pattern) fits(uri string) bool {
	template, err := load.ParseTemplate(p.URI, p.AnyPath)
	if err != nil || template == nil {
		return false
	}
	_, ok := template.Match(uri)
	return ok
}

// Named is the name for reports of what a request is about, and whether there is such
// a thing: see [Report].
func (o *Offer) Named(method, target string) (name string, known bool) {
	switch {
	case method == "tools/call" && o.Tools.Has(target), method == "prompts/get" && o.Prompts.Has(target),
		method == "resources/read" && o.Resources.Has(target):
		return target, true
	case method == "resources/read":
		if i := slices.IndexFunc(o.Patterns, func(p Pattern) bool { return p.fits(target) }); i >= 0 {
			return o.Patterns[i].URI, true
		}
	}
	return CutName(target), false
}

// tool is the tool of that name, or nil.
func (o *Offer) tool(name string) *load.Tool {
	if !o.Tools.Has(name) {
		return nil
	}
	return o.snapshot.Tool(name)
}

// prompt is the prompt of that name, or nil.
func (o *Offer) prompt(name string) *load.Prompt {
	if !o.Prompts.Has(name) {
		return nil
	}
	return o.snapshot.Prompt(name)
}

// resource is the resource with that URI, or the template that it fits and what it
// says for the template's variables; nil if there is none.
func (o *Offer) resource(uri string) (*load.Resource, *starlark.Dict) {
	if o.Resources.Has(uri) {
		return o.snapshot.Resource(uri), new(starlark.Dict)
	}
	for _, r := range o.snapshot.Matching() {
		if !o.Templates.Has(r.URI) {
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
func (o *Offer) unknownTool(name string) string {
	return "Unknown tool: " + shortened(name) + nearest(name, o.Tools.Keys)
}

// unknownPrompt is the error for a prompt that is not there.
func (o *Offer) unknownPrompt(name string) error {
	return &engine.ProtocolError{
		Code:    engine.CodeInvalidParams,
		Message: wellFormed("Unknown prompt: " + shortened(name) + nearest(name, o.Prompts.Keys)),
	}
}

// UnknownResource is the error for a resource that is not there.
func (o *Offer) UnknownResource(uri string) error {
	return &engine.ProtocolError{
		Code:    engine.CodeInvalidParams,
		Message: wellFormed("Unknown resource: " + shortened(uri) + nearest(uri, o.Resources.Keys)),
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

// noResource is the error for a script that names a resource which is not there.
func (o *Offer) noResource(uri string) error {
	return &engine.Failure{Text: fmt.Sprintf("there is no resource %q%s", uri, nearest(uri, o.Resources.Keys))}
}
