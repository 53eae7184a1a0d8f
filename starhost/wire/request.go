package wire

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// A request is one of tools/call, prompts/get, resources/read and completion/complete,
// as far as they are alike.
type request struct {
	method string
	// target is the name of a tool or a prompt, or the URI of a resource.
	target string
	// arguments are what the client sent with it, or nil.
	arguments json.RawMessage
	meta      mcp.Meta
	token     any // the progress token, as it came
	state     string
	responses mcp.InputResponseMap
	session   *mcp.ServerSession
	extra     *mcp.RequestExtra
	client    *mcp.Implementation
	// revision is the protocol revision of the request; modern says that it is
	// 2026-07-28 or later.
	revision string
	modern   bool
}

// sdkRequest is what the SDK's requests of a client have in common.
type sdkRequest interface {
	ProtocolVersion() string
	ClientInfo() *mcp.Implementation
}

func newRequest(method string, req sdkRequest, session *mcp.ServerSession, extra *mcp.RequestExtra, meta mcp.Meta) *request {
	return &request{
		method: method, meta: meta, session: session, extra: extra,
		client: req.ClientInfo(), revision: req.ProtocolVersion(), modern: frame.Modern(meta),
	}
}

func toolRequest(req *mcp.CallToolRequest) *request {
	r := newRequest("tools/call", req, req.Session, req.Extra, req.Params.GetMeta())
	r.target, r.arguments, r.token = req.Params.Name, req.Params.Arguments, req.Params.GetProgressToken()
	r.state, r.responses = req.Params.RequestState, req.Params.InputResponses
	return r
}

func promptRequest(req *mcp.GetPromptRequest) *request {
	r := newRequest("prompts/get", req, req.Session, req.Extra, req.Params.GetMeta())
	r.target, r.token = req.Params.Name, req.Params.GetProgressToken()
	r.state, r.responses = req.Params.RequestState, req.Params.InputResponses
	if len(req.Params.Arguments) > 0 {
		r.arguments, _ = json.Marshal(req.Params.Arguments) // texts can't fail
	}
	return r
}

func resourceRequest(req *mcp.ReadResourceRequest) *request {
	r := newRequest("resources/read", req, req.Session, req.Extra, req.Params.GetMeta())
	r.target, r.token = req.Params.URI, req.Params.GetProgressToken()
	r.state, r.responses = req.Params.RequestState, req.Params.InputResponses
	return r
}

func completeRequest(req *mcp.CompleteRequest) *request {
	return newRequest("completion/complete", req, req.Session, req.Extra, req.Params.GetMeta())
}
