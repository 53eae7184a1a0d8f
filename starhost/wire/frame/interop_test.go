//lint:file-ignore SA1019 what old clients still do has to be tested.

package frame

import (
	"context"
	"encoding/json"
	"net"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// plainServer knows nothing of this package: it reads answers where the SDK puts them.
func plainServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	question := &mcp.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(anyObject)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if !Modern(r.Params.Meta) {
			e, err := r.Session.Elicit(ctx, question)
			if err != nil {
				return nil, err
			}
			return textResult(e.Action), nil
		}
		if e, ok := r.Params.InputResponses["q"].(*mcp.ElicitResult); ok {
			return textResult(e.Action + r.Params.RequestState), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{}, InputRequests: mcp.InputRequestMap{"q": question}, RequestState: "!"}, nil
	})
	return s
}

func noSessions(s *mcp.Server) bool {
	for range s.Sessions() {
		return false
	}
	return true
}

func sdkClient() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"n": 3}}, nil
		},
	})
}

func TestTheSDKsClientAndAnyServerUnderstandEachOther(t *testing.T) {
	s := plainServer()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	handler := NewHandler(s, HTTPOptions{LeaveAnswers: true})
	go func() { served <- Serve(ctx, l, NewHTTPServer(handler), time.Second) }()

	for version, want := range map[string]string{"": "accept!", "2025-11-25": "accept", "2024-11-05": "accept"} {
		opts := &mcp.ClientSessionOptions{ProtocolVersion: version}
		if version == "" {
			opts = nil
		}
		pipe, server := Pipe(StdioOptions{LeaveAnswers: true})
		go func() { _ = s.Run(ctx, server) }()
		for name, transport := range map[string]mcp.Transport{
			"stdio": &mcp.IOTransport{Reader: pipe, Writer: pipe},
			"http":  &mcp.StreamableClientTransport{Endpoint: "http://" + l.Addr().String() + "/mcp"},
		} {
			cs, err := sdkClient().Connect(ctx, transport, opts)
			require.NoError(t, err, name+version)
			tools, err := cs.ListTools(ctx, nil)
			require.NoError(t, err)
			require.Len(t, tools.Tools, 1)
			res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "ask"})
			require.NoError(t, err, name+version)
			require.Equal(t, want, res.Content[0].(*mcp.TextContent).Text, name+version)
			_, err = cs.CallTool(ctx, &mcp.CallToolParams{Name: "none"})
			require.ErrorContains(t, err, "unknown tool")
			require.NoError(t, cs.Close())
		}
	}
	stop()
	require.NoError(t, <-served)
	require.Eventually(t, func() bool { return noSessions(s) }, 5*time.Second, time.Millisecond, "a session is left")
}
