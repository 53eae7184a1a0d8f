package wire

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/starhost/calls"
)

// Mount offers what the server offers on another one as well, which somebody else has
// made and serves. Our middleware answers requests for our names and touches nothing
// else. Something of the same name that is there already is replaced. What changes
// later changes there too.
//
// What lies below the SDK can't be had that way: see starhost.Host.Mount.
func (s *Server) Mount(onto *mcp.Server) {
	onto.AddSendingMiddleware(sendExactly)
	onto.AddReceivingMiddleware(s.mounted)
	s.mounting.Lock()
	defer s.mounting.Unlock()
	registerOn(onto, &calls.Offer{}, s.registered)
	s.sdk = append(s.sdk[:len(s.sdk):len(s.sdk)], onto)
}

// mounted answers the requests for what is ours.
func (s *Server) mounted(next mcp.MethodHandler) mcp.MethodHandler {
	ours := guard(s.options.Logger)(s.receive(next))
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if s.offers(req) {
			return ours(ctx, method, req)
		}
		return next(ctx, method, req)
	}
}

// offers reports whether a request is for something of ours.
func (s *Server) offers(req mcp.Request) bool {
	o := s.scripts.Offer()
	switch req := req.(type) {
	case *mcp.CallToolRequest:
		return o.Tools.Has(req.Params.Name)
	case *mcp.GetPromptRequest:
		return o.Prompts.Has(req.Params.Name)
	case *mcp.ReadResourceRequest:
		return o.HasResource(req.Params.URI)
	case *mcp.CompleteRequest:
		if req.Params.Ref == nil {
			return false
		}
		return o.Prompts.Has(req.Params.Ref.Name) || o.Templates.Has(req.Params.Ref.URI)
	}
	return false
}
