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
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
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
	// ArgumentLimits and ResultLimits bound what comes in and goes out.
	ArgumentLimits, ResultLimits exactjson.Limits
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
	publish sync.Mutex // one Publish at a time
	// audience is what states are bound to: the first name of the server, so that
	// a reload which renames it ends no call.
	audience string
}

// New makes a server that offers a snapshot. state is what its lifespan made, or
// None.
func New(snapshot *load.Snapshot, state starlark.Value, options Options) *Server {
	s := &Server{options: options.orDefault(), audience: snapshot.Name}
	s.mcp = mcp.NewServer(implementation(snapshot, s.options.Version), &mcp.ServerOptions{
		Instructions: snapshot.Instructions,
		Logger:       sdkLogger(s.options.Logger),
		Capabilities: &mcp.ServerCapabilities{
			Logging: &mcp.LoggingCapabilities{},
			Tools:   &mcp.ToolCapabilities{ListChanged: true},
		},
	})
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
	next := newVersion(snapshot, state)
	previous := s.current.Swap(next)
	s.register(previous, next)
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

// register keeps the SDK's own list of tools in step, which is how clients come
// to hear that it has changed. Only what differs is touched.
func (s *Server) register(previous, next *version) {
	known := map[string]json.RawMessage{}
	if previous != nil {
		for _, t := range previous.snapshot.Tools {
			known[t.Name] = exactjson.MustMarshal(ToolJSON(t))
		}
	}
	for _, t := range next.snapshot.Tools {
		if string(known[t.Name]) != string(exactjson.MustMarshal(ToolJSON(t))) {
			s.mcp.AddTool(sdkTool(t), s.handle)
		}
		delete(known, t.Name)
	}
	var gone []string
	for name := range known {
		gone = append(gone, name)
	}
	if len(gone) > 0 {
		s.mcp.RemoveTools(gone...)
	}
}

// handle is the SDK's handler of each tool. Requests are answered by receive,
// before they come here.
func (s *Server) handle(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, internalError()
}

// receive answers what the snapshot answers, and leaves the rest to the SDK.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch req := req.(type) {
		case *mcp.CallToolRequest:
			v := s.enter()
			defer v.release()
			return s.callTool(ctx, v, req)
		case *mcp.ListToolsRequest:
			return s.current.Load().listTools(req, frame.Modern(metaOf(req)))
		}
		return next(ctx, method, req)
	}
}

func metaOf(req *mcp.ListToolsRequest) mcp.Meta {
	if req.Params == nil {
		return nil
	}
	return req.Params.GetMeta()
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

// sdkTool is a tool as the SDK keeps it, for what it does with it itself: it
// tells clients of changes, and checks headers against the schema.
func sdkTool(t *load.Tool) *mcp.Tool {
	tool := &mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema}
	if t.OutputSchema != nil {
		tool.OutputSchema = t.OutputSchema
	}
	return tool
}
