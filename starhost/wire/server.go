package wire

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// Options say how a server serves. Zero fields mean the default.
type Options struct {
	// Logger gets the operator's log. Default: none.
	Logger *slog.Logger
	// Print gets what scripts print. Default: it is dropped.
	Print func(thread *starlark.Thread, msg string)
	// Keys seal the state of calls. Default: a key of this process, so that a
	// call can't be resumed by another one.
	Keys *seal.Ring
	// StateTTL is how long one round may take to come back. Default 600 s.
	StateTTL time.Duration
	// MaxCallAge is how long a call may last over all of its rounds. Default 1 h.
	MaxCallAge time.Duration
	// Limits bound what one call may do.
	Limits engine.Limits
	// Timeout is how long a call may run, not counting the time in which it waits
	// for answers. Default 30 s; a tool may have its own.
	Timeout time.Duration
	// Calls is how many calls run at once; others wait. Default 64.
	Calls int
	// ArgumentLimits and ResultLimits bound what comes in and goes out. Their Bytes
	// are by default 16 MiB and 8 MiB.
	ArgumentLimits, ResultLimits exactjson.Limits
	// PageSize is how many things one page of a list has. Default 1000.
	PageSize int
	// World is what scripts reach beyond their values. Default: the machine's.
	World *engine.World
	// Observe is told what the resolvers of a tool's calls do. It must be safe for
	// concurrent use. Default: nobody is told.
	Observe func(tool string, event round.Event)
	// Replace gives the function to run in the place of the resolver of that wire
	// key, or nil. It is for tests. Default: none is replaced.
	Replace func(key string) starlark.Callable
	// OnCall is told when a round of a call begins; what it returns is told how the
	// round ended. Both must be safe for concurrent use. Default: nobody is told.
	OnCall func() (ended func(Record))
	// OnFailed is told of scripts that fail while they serve. It must be safe for
	// concurrent use. Default: the Logger is told.
	OnFailed func(Failed)
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
	if o.Print == nil {
		o.Print = func(*starlark.Thread, string) {}
	}
	if o.Keys == nil {
		o.Keys = seal.RandomRing()
	}
	if o.StateTTL == 0 {
		o.StateTTL = seal.DefaultTTL
	}
	if o.MaxCallAge == 0 {
		o.MaxCallAge = time.Hour
	}
	if o.PageSize <= 0 {
		o.PageSize = 1000
	}
	o.limitsOrDefault()
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	return o
}

// A Server serves snapshots to MCP clients. What it offers at a moment is one
// version behind a pointer: a request keeps the version it began with. It is
// safe for concurrent use.
type Server struct {
	options Options
	mcp     *mcp.Server
	current atomic.Pointer[version]

	publish  sync.Mutex    // one change of what is offered at a time; guards what follows
	sdk      []*mcp.Server // all that have to know what is offered: mcp, and those of Mount
	switched switches
	timers   timers

	listeners listeners

	// audience is what states are bound to: the first name of the server, so that
	// a reload which renames it ends no call.
	audience string
	places   chan struct{} // one for each call that runs
}

// New makes a server that offers a snapshot. state is what its lifespan made, or
// None.
func New(snapshot *load.Snapshot, state starlark.Value, options Options) *Server {
	s := &Server{options: options.orDefault(), audience: snapshot.Name, switched: switches{}}
	s.places = make(chan struct{}, s.options.Calls)
	s.mcp = mcp.NewServer(implementation(snapshot, s.options.Version), &mcp.ServerOptions{
		Instructions: snapshot.Instructions,
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
	s.Publish(snapshot, state)
	return s
}

// MCP is the Go SDK's server under this one, for transports.
func (s *Server) MCP() *mcp.Server { return s.mcp }

// Snapshot is what the server offers now.
func (s *Server) Snapshot() *load.Snapshot { return s.current.Load().snapshot }

// Publish makes the server offer another snapshot. Calls that run go on with the
// one they began with; no moment shows a mix of two. The channel is closed when
// the last call on the snapshot before has ended.
func (s *Server) Publish(snapshot *load.Snapshot, state starlark.Value) (retired <-chan struct{}) {
	s.publish.Lock()
	defer s.publish.Unlock()
	previous := s.current.Load()
	if previous != nil {
		s.switched.keep(previous.snapshot, snapshot)
	}
	next := newVersion(snapshot, state, s.switched)
	s.current.Store(next)
	s.timers.start(s, next)
	if previous == nil {
		s.register(&offer{}, next.offer.Load())
	} else {
		s.register(previous.offer.Load(), next.offer.Load())
		previous.stop()
	}
	if previous == nil {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	previous.release()
	return previous.ended
}

// Tell sends a log message to every client that has asked for its level.
func (s *Server) Tell(ctx context.Context, level mcp.LoggingLevel, data any) {
	for session := range s.mcp.Sessions() {
		params := &mcp.LoggingMessageParams{Level: level, Logger: "mcpstar", Data: data}
		if err := session.Log(ctx, params); err != nil {
			s.options.Logger.Debug("log message not sent", "error", err)
		}
	}
}

// receive answers what the snapshot answers, and leaves the rest to the SDK.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if list := listOf(s.current.Load().offer.Load(), req); list != nil {
			return list.answer(s.options.PageSize, s.Snapshot().Cache)
		}
		switch req := req.(type) {
		case *mcp.CallToolRequest:
			return s.entered(ctx, toolRequest(req))
		case *mcp.GetPromptRequest:
			return s.entered(ctx, promptRequest(req))
		case *mcp.ReadResourceRequest:
			return s.entered(ctx, resourceRequest(req))
		case *mcp.SubscriptionsListenRequest:
			if res, handled, err := s.listen(ctx, req); handled {
				return res, err
			}
		case *mcp.CompleteRequest:
			v := s.enter()
			defer v.release()
			return s.complete(ctx, v, req)
		}
		return next(ctx, method, req)
	}
}

// entered answers a request on the version of the moment.
func (s *Server) entered(ctx context.Context, req *request) (mcp.Result, error) {
	v := s.enter()
	defer v.release()
	return s.call(ctx, v, req)
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

func implementation(s *load.Snapshot, version string) *mcp.Implementation {
	impl := &mcp.Implementation{Name: s.Name, Title: s.Title, Version: s.Version, WebsiteURL: s.WebsiteURL}
	if impl.Version == "" {
		impl.Version = version
	}
	if s.Icons != nil {
		_ = json.Unmarshal(s.Icons, &impl.Icons) // checked at load
	}
	return impl
}
