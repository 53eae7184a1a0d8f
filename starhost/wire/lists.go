package wire

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// listTools answers tools/list from one version, so a list is never a mix of
// two. There is one page: a cursor can't be one of ours.
func (v *version) listTools(req *mcp.ListToolsRequest, modern bool) (mcp.Result, error) {
	if req.Params != nil && req.Params.Cursor != "" {
		return nil, invalidParams("unknown cursor")
	}
	members := exactjson.Object{{Name: "tools", Value: v.tools}}
	if modern {
		members = append(exactjson.Object{{Name: "resultType", Value: "complete"}}, members...)
		members = append(members,
			exactjson.Member{Name: "ttlMs", Value: 0},
			exactjson.Member{Name: "cacheScope", Value: "private"})
	}
	return &listToolsResult{ListToolsResult: &mcp.ListToolsResult{}, members: members}, nil
}

// toolsJSON are the tools of a snapshot as tools/list has them.
func toolsJSON(s *load.Snapshot) json.RawMessage {
	list := make([]any, len(s.Tools))
	for i, t := range s.Tools {
		list[i] = ToolJSON(t)
	}
	return exactjson.MustMarshal(list)
}

// ToolJSON is a tool as tools/list shows it.
func ToolJSON(t *load.Tool) exactjson.Object {
	o := exactjson.Object{{Name: "name", Value: t.Name}}
	if t.Title != "" {
		o = o.With("title", t.Title)
	}
	o = o.With("description", t.Description).With("inputSchema", t.InputSchema)
	if t.OutputSchema != nil {
		o = o.With("outputSchema", t.OutputSchema)
	}
	if t.Annotations != nil {
		o = o.With("annotations", t.Annotations)
	}
	if t.Icons != nil {
		o = o.With("icons", t.Icons)
	}
	if t.Meta != nil {
		o = o.With("_meta", t.Meta)
	}
	return o
}
