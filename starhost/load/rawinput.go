package load

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// rawInput makes tool(fn, input_schema = {...}) of a tool: the schema is shown
// as it is and checks the arguments, and the parameters only take them by name.
func (l *loader) rawInput(t *Tool, d *declare.Tool, g *graph.Func) {
	bad := func(at engine.Span, message, help string) {
		l.report(&engine.Problem{Code: "input-schema", Message: message, At: engine.Label{Span: at}, Help: help})
	}
	if word := combined(d.InputSchema.JSON()); word != "" {
		l.report(&engine.Problem{
			Code: "combined-schema", Warning: true,
			Message: fmt.Sprintf("the input_schema of tool %s has %s at its top, which big clients refuse", t.Name, word),
			At:      engine.Label{Span: d.Span}, Help: "describe the properties one by one, and check in the tool what belongs together",
		})
	}
	known := d.InputSchema.Properties
	t.Input, t.InputSchema = d.InputSchema, d.InputSchema.JSON()
	for i := range t.Parameters {
		p := &t.Parameters[i]
		for _, param := range g.Params {
			if param.Name != p.Name {
				continue
			}
			if !slices.Contains(known, p.Name) {
				bad(param.Span, fmt.Sprintf("parameter %q of tool %s is not among the properties of its input_schema", p.Name, t.Name),
					orElse(engine.DidYouMean(p.Name, known), "the schema has "+few(known)))
			}
			if param.Type != nil {
				bad(param.TypeSpan, fmt.Sprintf("parameter %q of tool %s has a type, and input_schema has another", p.Name, t.Name),
					"drop the type: the schema says it")
			}
		}
		if p.Field.Required() { // what may be left out is None then; the schema requires the rest
			if optional, err := types.Untyped().WithDefault(starlark.None); err == nil {
				p.Field = optional
			}
		}
	}
}

// combined is the first of oneOf, anyOf and allOf at the top of a schema, or "".
func combined(schema json.RawMessage) string {
	var top map[string]json.RawMessage
	_ = json.Unmarshal(schema, &top) // it is an object
	for _, word := range []string{"oneOf", "anyOf", "allOf"} {
		if _, there := top[word]; there {
			return word
		}
	}
	return ""
}

func orElse(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

// checkHeaders judges x-mcp-header in a tool's schema: a client that knows headers
// refuses a tool with one that can't be.
func (l *loader) checkHeaders(t *Tool, d *declare.Tool) {
	if !strings.Contains(string(t.InputSchema), "x-mcp-header") {
		return
	}
	seen := map[string]string{}
	for _, h := range headersIn(t.InputSchema, "") {
		p := &engine.Problem{Code: "param-header", At: engine.Label{Span: d.Span}}
		first := seen[strings.ToLower(h.name)]
		switch {
		case !slices.Contains([]string{"string", "integer", "boolean"}, h.kind):
			p.Message = fmt.Sprintf("argument %q of tool %s has an x-mcp-header, but is no string, integer or boolean", h.path, t.Name)
			p.Help = `write "type": "string", or drop the header`
		case h.name == "" || strings.ContainsFunc(h.name, noToken):
			p.Message = fmt.Sprintf("the x-mcp-header of argument %q of tool %s can't be the name of a header", h.path, t.Name)
			p.Help = "a name is made of letters, digits and -"
		case first != "":
			p.Message = fmt.Sprintf("the arguments %q and %q of tool %s have one x-mcp-header, %q", first, h.path, t.Name, h.name)
			p.Help = "give each of them its own"
		default:
			seen[strings.ToLower(h.name)] = h.path
			continue
		}
		l.report(p)
	}
}

func noToken(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// A paramHeader is an x-mcp-header and the argument that it is on.
type paramHeader struct{ path, name, kind string }

// headersIn finds the headers of the properties that a path of properties leads to.
func headersIn(schema json.RawMessage, path string) []paramHeader {
	var s struct {
		Type       json.RawMessage
		Header     json.RawMessage `json:"x-mcp-header"`
		Properties map[string]json.RawMessage
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var list []paramHeader
	if s.Header != nil && path != "" {
		h := paramHeader{path: path}
		_ = json.Unmarshal(s.Header, &h.name) // another type is no name
		_ = json.Unmarshal(s.Type, &h.kind)
		list = append(list, h)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		list = append(list, headersIn(s.Properties[name], strings.TrimPrefix(path+"."+name, "."))...)
	}
	return list
}
