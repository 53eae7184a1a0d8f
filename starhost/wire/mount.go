package wire

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	s.publish.Lock()
	defer s.publish.Unlock()
	registerOn(onto, &offer{}, s.current.Load().offer.Load())
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
	o := s.current.Load().offer.Load()
	switch req := req.(type) {
	case *mcp.CallToolRequest:
		return o.tool(req.Params.Name) != nil
	case *mcp.GetPromptRequest:
		return o.prompt(req.Params.Name) != nil
	case *mcp.ReadResourceRequest:
		r, _ := o.resource(req.Params.URI)
		return r != nil
	case *mcp.CompleteRequest:
		if req.Params.Ref == nil {
			return false
		}
		return o.prompts.has(req.Params.Ref.Name) || o.templates.has(req.Params.Ref.URI)
	}
	return false
}
