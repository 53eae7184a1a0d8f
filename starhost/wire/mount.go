package wire

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost/load"
)

// Mount adds the tools of a snapshot to a server that somebody else has made and
// serves. Our middleware answers calls of our names and touches nothing else. A
// tool of the same name that is there already is replaced.
//
// What lies below the SDK can't be had that way: see starhost.Host.Mount.
func Mount(onto *mcp.Server, snapshot *load.Snapshot, state starlark.Value, options Options) *Server {
	s := &Server{options: options.orDefault(), mcp: onto, audience: snapshot.Name}
	onto.AddSendingMiddleware(sendExactly)
	onto.AddReceivingMiddleware(s.mounted)
	s.Publish(snapshot, state)
	return s
}

// mounted answers the calls of our tools.
func (s *Server) mounted(next mcp.MethodHandler) mcp.MethodHandler {
	ours := guard(s.options.Logger)(func(ctx context.Context, _ string, req mcp.Request) (mcp.Result, error) {
		v := s.enter()
		defer v.release()
		return s.callTool(ctx, v, req.(*mcp.CallToolRequest))
	})
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || s.Snapshot().Tool(call.Params.Name) == nil {
			return next(ctx, method, req)
		}
		return ours(ctx, method, req)
	}
}
