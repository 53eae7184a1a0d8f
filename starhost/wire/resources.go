package wire

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// subscribed judges a subscription to a resource. A stream of 2026-07-28 may name what
// is not there yet.
func (s *Server) subscribed(_ context.Context, req *mcp.SubscribeRequest) error {
	o := s.scripts.Offer()
	if o.HasResource(req.Params.URI) {
		return nil
	}
	if p := req.Session.InitializeParams(); p == nil || p.ProtocolVersion >= "2026-07-28" {
		return nil
	}
	return o.UnknownResource(req.Params.URI)
}

// ResourceUpdated implements [calls.Audience].
func (s *Server) ResourceUpdated(ctx context.Context, uri string) {
	s.mounting.Lock()
	servers := s.sdk
	s.mounting.Unlock()
	for _, sdk := range servers {
		params := &mcp.ResourceUpdatedNotificationParams{URI: uri}
		if err := sdk.ResourceUpdated(ctx, params); err != nil {
			s.options.Logger.Debug("resource update not sent", "error", err)
		}
	}
	s.listeners.tell(ctx, resourceUpdated, uri)
}
