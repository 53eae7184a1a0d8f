package wire

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// A listRequest is one of the four list methods.
type listRequest struct {
	member string // of the result: "tools"
	list   *list
	cursor string
	modern bool
}

// listOf is what a list request wants of an offer; nil for other requests.
func listOf(o *offer, req mcp.Request) *listRequest {
	switch req := req.(type) {
	case *mcp.ListToolsRequest:
		if req.Params == nil {
			return newListRequest("tools", o.tools, "", nil)
		}
		return newListRequest("tools", o.tools, req.Params.Cursor, req.Params.GetMeta())
	case *mcp.ListPromptsRequest:
		if req.Params == nil {
			return newListRequest("prompts", o.prompts, "", nil)
		}
		return newListRequest("prompts", o.prompts, req.Params.Cursor, req.Params.GetMeta())
	case *mcp.ListResourcesRequest:
		if req.Params == nil {
			return newListRequest("resources", o.resources, "", nil)
		}
		return newListRequest("resources", o.resources, req.Params.Cursor, req.Params.GetMeta())
	case *mcp.ListResourceTemplatesRequest:
		if req.Params == nil {
			return newListRequest("resourceTemplates", o.templates, "", nil)
		}
		return newListRequest("resourceTemplates", o.templates, req.Params.Cursor, req.Params.GetMeta())
	}
	return nil
}

func newListRequest(member string, l *list, cursor string, meta mcp.Meta) *listRequest {
	return &listRequest{member: member, list: l, cursor: cursor, modern: frame.Modern(meta)}
}

// answer is one page, from one offer: never a mix of two.
func (r *listRequest) answer(pageSize int, cache load.Cache) (mcp.Result, error) {
	start := 0
	if r.cursor != "" {
		after, ok := afterCursor(r.cursor)
		if !ok {
			return nil, invalidParams("unknown cursor")
		}
		for start < len(r.list.keys) && r.list.keys[start] <= after {
			start++
		}
	}
	end := min(start+pageSize, len(r.list.keys))
	page := make([]any, 0, end-start)
	for _, item := range r.list.items[start:end] {
		page = append(page, item)
	}
	var members exactjson.Object
	if r.modern {
		members = members.With("resultType", "complete")
	}
	members = members.With(r.member, json.RawMessage(exactjson.MustMarshal(page)))
	if end < len(r.list.keys) {
		members = members.With("nextCursor", cursorAfter(r.list.keys[end-1]))
	}
	if r.modern {
		members = withCache(members, cache)
	}
	return newResult("list", members), nil
}

// A cursor names the last thing of its page and not a number, so the next page goes on
// behind it even when the list has changed meanwhile.
const cursorPrefix = "after:"

func cursorAfter(key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorPrefix + key))
}

func afterCursor(cursor string) (key string, ok bool) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(string(text), cursorPrefix)
}

// withCache says how long a client may keep a result.
func withCache(o exactjson.Object, cache load.Cache) exactjson.Object {
	scope := "private"
	if cache.Public {
		scope = "public"
	}
	return o.With("ttlMs", cache.TTL.Milliseconds()).With("cacheScope", scope)
}

// ToolJSON is a tool as tools/list shows it.
func ToolJSON(t *load.Tool) exactjson.Object {
	o := named(t.Name, t.Title).With("description", t.Description).With("inputSchema", t.InputSchema)
	o = withRaw(o, "outputSchema", t.OutputSchema)
	o = withRaw(o, "annotations", t.Annotations)
	return withRaw(withRaw(o, "icons", t.Icons), "_meta", t.Meta)
}

// PromptJSON is a prompt as prompts/list shows it.
func PromptJSON(p *load.Prompt) exactjson.Object {
	arguments := make([]any, len(p.Parameters))
	for i, param := range p.Parameters {
		arg := exactjson.Object{{Name: "name", Value: param.Name}}
		if param.Field.Title != "" {
			arg = arg.With("title", param.Field.Title)
		}
		text := param.Field.Description
		if text == "" {
			text = param.Description
		}
		if text != "" {
			arg = arg.With("description", text)
		}
		arguments[i] = arg.With("required", param.Field.Required())
	}
	o := named(p.Name, p.Title).With("description", p.Description).With("arguments", arguments)
	return withRaw(withRaw(o, "icons", p.Icons), "_meta", p.Meta)
}

// ResourceJSON is a resource as resources/list shows it, or a template as
// resources/templates/list does.
func ResourceJSON(r *load.Resource) exactjson.Object {
	o := named(r.Name, r.Title)
	if r.Template != nil {
		o = o.With("uriTemplate", r.URI)
	} else {
		o = o.With("uri", r.URI)
	}
	o = o.With("description", r.Description)
	if r.MIMEType != "" {
		o = o.With("mimeType", r.MIMEType)
	}
	if r.Size != nil && r.Template == nil {
		o = o.With("size", *r.Size)
	}
	o = withRaw(o, "annotations", r.Annotations)
	return withRaw(withRaw(o, "icons", r.Icons), "_meta", r.Meta)
}

func named(name, title string) exactjson.Object {
	o := exactjson.Object{{Name: "name", Value: name}}
	if title != "" {
		o = o.With("title", title)
	}
	return o
}

func withRaw(o exactjson.Object, name string, text json.RawMessage) exactjson.Object {
	if text == nil {
		return o
	}
	return o.With(name, text)
}
