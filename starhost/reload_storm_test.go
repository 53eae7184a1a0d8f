package starhost

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	hosttest "github.com/mcpstar/mcpstar/starhost/testing"
)

// generation is a server whose three tools say which generation they are of; an
// even one has a fourth.
func generation(n int) string {
	var text strings.Builder
	names := []string{"x", "y", "z"}
	if n%2 == 0 {
		names = append(names, "even")
	}
	for _, name := range names {
		fmt.Fprintf(&text, "def %s() -> str:\n    \"\"\"%d\"\"\"\n    return \"%d\"\n\ntool(%s)\n\n", name, n, n, name)
	}
	return text.String()
}

// A stormClient calls and lists as one of the kinds of client that there are.
type stormClient interface {
	// call calls x and gives what it says.
	call(ctx context.Context) (string, error)
	// list gives the names and descriptions of all tools.
	list(ctx context.Context) (map[string]string, error)
}

// Through 300 saved generations eight clients, over stdio and HTTP and on both
// revisions, never miss a tool, never see a list of two generations, and never
// get an answer of a generation that was not alive when they asked.
func TestThreeHundredGenerationsUnderLoad(t *testing.T) {
	const generations = 300
	f := newFolder(t, map[string]string{"server.star": generation(1)})
	host := loadDir(t, f.dir, Options{})
	server := httptest.NewServer(host.Handler())
	t.Cleanup(server.Close) // after the clients have ended their sessions

	var saved, served atomic.Int64 // the newest that was written, and that was served
	saved.Store(1)
	served.Store(1)
	stop := make(chan struct{})
	var working sync.WaitGroup
	var calls, lists atomic.Int64
	failures := make(chan string, 1000)
	for _, c := range stormClients(t, host, server.URL) {
		working.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				oldest := served.Load()
				said, err := c.call(t.Context())
				newest := saved.Load()
				calls.Add(1)
				var n int64
				if _, scan := fmt.Sscan(said, &n); err != nil || scan != nil || n < oldest || n > newest {
					failures <- fmt.Sprintf("call: %q %v, alive were %d to %d", said, err, oldest, newest)
					return
				}
				tools, err := c.list(t.Context())
				lists.Add(1)
				if wrong := wrongList(tools, err); wrong != "" {
					failures <- wrong
					return
				}
			}
		})
	}
	for n := int64(2); n <= generations; n++ {
		saved.Store(n)
		f.write("server.star", generation(int(n)))
		_, err := host.Reload(t.Context())
		require.NoError(t, err)
		served.Store(n)
	}
	close(stop)
	working.Wait()
	close(failures)
	for failure := range failures {
		t.Error(failure)
	}
	t.Logf("%d calls and %d lists over %d generations", calls.Load(), lists.Load(), generations)
	require.Positive(t, calls.Load())
}

// wrongList says what is wrong with a list, or "".
func wrongList(tools map[string]string, err error) string {
	if err != nil {
		return "list: " + err.Error()
	}
	var n int
	if _, err := fmt.Sscan(tools["x"], &n); err != nil {
		return fmt.Sprintf("list: x is missing in %v", tools)
	}
	want := 3 + (n+1)%2
	for name, description := range tools {
		if description != tools["x"] {
			return fmt.Sprintf("list: %s is of %s, x of %s", name, description, tools["x"])
		}
	}
	if len(tools) != want {
		return fmt.Sprintf("list: generation %d has %d tools, got %v", n, want, tools)
	}
	return ""
}

// stormClients are two of each kind: over a pipe as over stdio and over HTTP, on
// both revisions.
func stormClients(t *testing.T, host *Host, url string) []stormClient {
	t.Helper()
	var clients []stormClient
	for range 2 {
		for _, revision := range []string{hosttest.Handshake, hosttest.Rounds} {
			client, err := hosttest.Connect(t.Context(), host, hosttest.Options{Revision: revision})
			require.NoError(t, err)
			t.Cleanup(func() { _ = client.Close() })
			clients = append(clients, &pipeClient{client})

			session, err := mcp.NewClient(&mcp.Implementation{Name: "storm", Version: "1"}, nil).Connect(t.Context(),
				&mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true},
				&mcp.ClientSessionOptions{ProtocolVersion: revision})
			require.NoError(t, err)
			t.Cleanup(func() { _ = session.Close() })
			clients = append(clients, &httpClient{session})
		}
	}
	return clients
}

type pipeClient struct{ client *hosttest.Client }

func (c *pipeClient) call(ctx context.Context) (string, error) {
	played, err := c.client.Call(ctx, "x", nil)
	if err != nil {
		return "", err
	}
	if played.Error != nil {
		return "", played.Error
	}
	var result struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(played.Result, &result); err != nil {
		return "", err
	}
	return result.Content[0].Text, nil
}

func (c *pipeClient) list(ctx context.Context) (map[string]string, error) {
	reply, err := c.client.Request(ctx, "tools/list", c.client.Envelope(nil))
	if err != nil {
		return nil, err
	}
	if reply.Error != nil {
		return nil, reply.Error
	}
	var result struct {
		Tools []struct{ Name, Description string }
	}
	if err := json.Unmarshal(reply.Result, &result); err != nil {
		return nil, err
	}
	tools := map[string]string{}
	for _, tool := range result.Tools {
		tools[tool.Name] = tool.Description
	}
	return tools, nil
}

type httpClient struct{ session *mcp.ClientSession }

func (c *httpClient) call(ctx context.Context) (string, error) {
	result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: "x"})
	if err != nil {
		return "", err
	}
	return result.Content[0].(*mcp.TextContent).Text, nil
}

func (c *httpClient) list(ctx context.Context) (map[string]string, error) {
	result, err := c.session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	tools := map[string]string{}
	for _, tool := range result.Tools {
		tools[tool.Name] = tool.Description
	}
	return tools, nil
}
