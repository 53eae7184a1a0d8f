package wire

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost/calls"
)

// Options say how a server serves. Zero fields mean the default.
type Options struct {
	// Logger gets the operator's log. Default: none.
	Logger *slog.Logger
	// Keys seal the state of calls. Default: a key of this process, so that a
	// call can't be resumed by another one.
	Keys *seal.Ring
	// StateTTL is how long one round may take to come back, and before 2026-07-28 an
	// answer. Default 600 s.
	StateTTL time.Duration
	// PageSize is how many things one page of a list has. Default 1000.
	PageSize int
	// OnCall is told when a round of a call begins; what it returns is told how the
	// round ended. Both must be safe for concurrent use. Default: nobody is told.
	OnCall func() (ended func(Record))
	// Tracer makes a span for each round of a call, with a child for each resolver.
	// Default: none.
	Tracer trace.TracerProvider
	// Version is what the server says of itself where its scripts say none.
	Version string
}

func (o Options) orDefault() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if o.Keys == nil {
		o.Keys = seal.RandomRing()
	}
	if o.StateTTL == 0 {
		o.StateTTL = seal.DefaultTTL
	}
	if o.PageSize <= 0 {
		o.PageSize = 1000
	}
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	return o
}

// A Server serves scripts to MCP clients. It is safe for concurrent use.
type Server struct {
	options Options
	scripts calls.Scripts
	mcp     *mcp.Server

	mounting   sync.Mutex    // guards what follows
	sdk        []*mcp.Server // all that have to know what is offered: mcp, and those of Mount
	registered *calls.Offer  // what they know

	listeners listeners

	// audience is what states are bound to: the first name of the server, so that
	// a reload which renames it ends no call.
	audience string
}

// New makes a server of scripts.
func New(scripts calls.Scripts, options Options) *Server {
	first := scripts.Offer()
	s := &Server{options: options.orDefault(), scripts: scripts, audience: first.Name, registered: &calls.Offer{}}
	s.mcp = mcp.NewServer(implementation(first, s.options.Version), &mcp.ServerOptions{
		Instructions: first.Instructions,
		Logger:       sdkLogger(s.options.Logger),
		Capabilities: &mcp.ServerCapabilities{
			Logging:     &mcp.LoggingCapabilities{},
			Tools:       &mcp.ToolCapabilities{ListChanged: true},
			Prompts:     &mcp.PromptCapabilities{ListChanged: true},
			Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
			Completions: &mcp.CompletionCapabilities{},
		},
		SubscribeHandler:   s.subscribed,
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	s.sdk = []*mcp.Server{s.mcp}
	s.mcp.AddSendingMiddleware(sendExactly)
	s.mcp.AddReceivingMiddleware(guard(s.options.Logger), s.receive)
	scripts.Attach(s)
	return s
}

// MCP is the Go SDK's server under this one, for transports.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Tell implements [calls.Audience]: a log message to every client that has asked for
// its level.
func (s *Server) Tell(ctx context.Context, level, text string) {
	for session := range s.mcp.Sessions() {
		params := &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: "mcpstar", Data: text}
		if err := session.Log(ctx, params); err != nil {
			s.options.Logger.Debug("log message not sent", "error", err)
		}
	}
}

// receive answers what the scripts answer, and leaves the rest to the SDK.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		offer := s.scripts.Offer()
		if list := listOf(offer, req); list != nil {
			return list.answer(s.options.PageSize, offer.Cache)
		}
		switch req := req.(type) {
		case *mcp.CallToolRequest:
			return s.call(ctx, toolRequest(req))
		case *mcp.GetPromptRequest:
			return s.call(ctx, promptRequest(req))
		case *mcp.ReadResourceRequest:
			return s.call(ctx, resourceRequest(req))
		case *mcp.SubscriptionsListenRequest:
			if res, handled, err := s.listen(ctx, req); handled {
				return res, err
			}
		case *mcp.CompleteRequest:
			return s.complete(ctx, req)
		}
		return next(ctx, method, req)
	}
}

// Sessions counts the connections of the moment: stdio and handshake sessions, and
// requests of 2026-07-28 over HTTP while they run.
func (s *Server) Sessions() int {
	n := 0
	for range s.mcp.Sessions() {
		n++
	}
	return n
}

// Serve serves one connection until it ends or ctx does.
func (s *Server) Serve(ctx context.Context, transport mcp.Transport) error {
	return s.mcp.Run(ctx, transport)
}

func implementation(s *calls.Offer, version string) *mcp.Implementation {
	impl := &mcp.Implementation{Name: s.Name, Title: s.Title, Version: s.Version, WebsiteURL: s.WebsiteURL}
	if impl.Version == "" {
		impl.Version = version
	}
	if s.Icons != nil {
		_ = json.Unmarshal(s.Icons, &impl.Icons) // checked at load
	}
	return impl
}
