package wire

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// A listRequest is one of the four list methods.
type listRequest struct {
	member string // of the result: "tools"
	list   *calls.List
	cursor string
	modern bool
}

// listOf is what a list request wants of an offer; nil for other requests.
func listOf(o *calls.Offer, req mcp.Request) *listRequest {
	switch req := req.(type) {
	case *mcp.ListToolsRequest:
		if req.Params == nil {
			return newListRequest("tools", &o.Tools, "", nil)
		}
		return newListRequest("tools", &o.Tools, req.Params.Cursor, req.Params.GetMeta())
	case *mcp.ListPromptsRequest:
		if req.Params == nil {
			return newListRequest("prompts", &o.Prompts, "", nil)
		}
		return newListRequest("prompts", &o.Prompts, req.Params.Cursor, req.Params.GetMeta())
	case *mcp.ListResourcesRequest:
		if req.Params == nil {
			return newListRequest("resources", &o.Resources, "", nil)
		}
		return newListRequest("resources", &o.Resources, req.Params.Cursor, req.Params.GetMeta())
	case *mcp.ListResourceTemplatesRequest:
		if req.Params == nil {
			return newListRequest("resourceTemplates", &o.Templates, "", nil)
		}
		return newListRequest("resourceTemplates", &o.Templates, req.Params.Cursor, req.Params.GetMeta())
	}
	return nil
}

func newListRequest(member string, l *calls.List, cursor string, meta mcp.Meta) *listRequest {
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
		for start < len(r.list.Keys) && r.list.Keys[start] <= after {
			start++
		}
	}
	end := min(start+pageSize, len(r.list.Keys))
	page := make([]any, 0, end-start)
	for _, item := range r.list.Items[start:end] {
		page = append(page, item)
	}
	var members exactjson.Object
	if r.modern {
		members = members.With("resultType", "complete")
	}
	members = members.With(r.member, json.RawMessage(exactjson.MustMarshal(page)))
	if end < len(r.list.Keys) {
		members = members.With("nextCursor", cursorAfter(r.list.Keys[end-1]))
	}
	if r.modern {
		members = calls.WithCache(members, cache)
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
