package wire

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// The SDK's structs forget the order of keys and round integers. So our results
// embed the SDK's, which makes them results to the SDK, and write themselves.
// What the SDK adds on its way (the server's name in _meta) is written too.

// exactResult is a result of ours: to the SDK the one it embeds, to the client its
// members.
type exactResult struct {
	mcp.Result
	members exactjson.Object
}

// newResult is the result of a request with that method.
func newResult(method string, members exactjson.Object) *exactResult {
	r := &exactResult{members: members}
	switch method {
	case "tools/call":
		r.Result = &mcp.CallToolResult{Content: []mcp.Content{}}
	case "prompts/get":
		r.Result = &mcp.GetPromptResult{}
	case "resources/read":
		r.Result = &mcp.ReadResourceResult{}
	case "completion/complete":
		r.Result = &mcp.CompleteResult{}
	default:
		r.Result = &mcp.ListToolsResult{} // as good as any list
	}
	return r
}

func (r *exactResult) MarshalJSON() ([]byte, error) { return withMeta(r.members, r.GetMeta()) }

// withMeta writes members and the _meta that the SDK has put on the result, beside
// what the script has put there.
func withMeta(members exactjson.Object, meta mcp.Meta) ([]byte, error) {
	if len(meta) > 0 {
		text, err := json.Marshal(meta)
		if err != nil {
			return nil, err
		}
		members = mergeMeta(members, text)
	}
	return exactjson.Append(nil, members, "", exactjson.Limits{Bytes: 1 << 30})
}

func mergeMeta(members exactjson.Object, meta json.RawMessage) exactjson.Object {
	own, ok := members.Get("_meta").(json.RawMessage)
	if !ok {
		return members.With("_meta", meta)
	}
	merged := meta
	if len(own) > len("{}") && len(meta) > len("{}") {
		merged = append(append(slices.Clone(own[:len(own)-1]), ','), meta[1:]...)
	}
	out := slices.Clone(members)
	for i := range out {
		if out[i].Name == "_meta" {
			out[i].Value = merged
		}
	}
	return out
}

// exactParams are params of a message to the client that are sent byte for byte.
type exactParams struct {
	mcp.ParamsBase
	raw json.RawMessage
}

func (p *exactParams) MarshalJSON() ([]byte, error) { return p.raw, nil }

// exactRequest is a request to the client with other params than the SDK's.
type exactRequest struct {
	mcp.Request
	params *exactParams
}

// GetParams is what the SDK sends.
func (r *exactRequest) GetParams() mcp.Params { return r.params }

type exactKey struct{}

// withExactParams makes the request that is sent to the client under ctx carry
// raw instead of the SDK's params.
func withExactParams(ctx context.Context, raw json.RawMessage) context.Context {
	return context.WithValue(ctx, exactKey{}, raw)
}

// A notification is one of ours in the place of the SDK's.
type notification struct {
	method string
	params json.RawMessage
}

type notificationKey struct{}

// withNotification makes the notification that is sent to the client under ctx another
// one: the SDK has no way of its own to send every kind on one connection.
func withNotification(ctx context.Context, method string, params json.RawMessage) context.Context {
	return context.WithValue(ctx, notificationKey{}, &notification{method, params})
}

// sendExactly is the sending middleware that does it.
func sendExactly(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if n, ok := ctx.Value(notificationKey{}).(*notification); ok {
			return next(ctx, n.method, &exactRequest{Request: req, params: &exactParams{raw: n.params}})
		}
		raw, ok := ctx.Value(exactKey{}).(json.RawMessage)
		if !ok || !isQuestion(method) {
			return next(ctx, method, req)
		}
		return next(ctx, method, &exactRequest{Request: req, params: &exactParams{raw: raw}})
	}
}

func isQuestion(method string) bool {
	return method == "elicitation/create" || method == "sampling/createMessage" || method == "roots/list"
}
