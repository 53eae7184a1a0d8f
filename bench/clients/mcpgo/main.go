// Command mcpgo tries server.star with mark3labs/mcp-go. It prints what try.mjs
// prints for the others, and has a module of its own, so that nobody who uses
// mcpstar downloads a client.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// person answers every question as try.mjs has it.
type person struct{}

func (person) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	answer := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ann", "loud": true}}
	if strings.HasPrefix(r.Params.Message, "Go away") {
		answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
	}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}

func (person) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("Tea.")},
		Model:           "m", StopReason: "endTurn",
	}, nil
}

func (person) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///tmp/a", Name: "a"}}}, nil
}

// A row is one line of the table.
type row struct {
	Client      string `json:"client"`
	Transport   string `json:"transport"`
	Revision    string `json:"revision"`
	Calling     string `json:"calling"`
	Elicitation string `json:"elicitation"`
	Sampling    string `json:"sampling"`
	Roots       string `json:"roots"`
	Together    string `json:"together"`
}

func main() {
	for _, over := range []string{"stdio", "HTTP"} {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			line, err := json.Marshal(try(over, revision))
			if err != nil {
				panic(err)
			}
			fmt.Println(string(line))
		}
	}
}

func open(over string) (transport.Interface, error) {
	if over == "stdio" {
		return transport.NewStdio(os.Getenv("MCPSTAR"), nil, "serve", os.Getenv("SCRIPT")), nil
	}
	return transport.NewStreamableHTTP(os.Getenv("URL"),
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + os.Getenv("TOKEN")}))
}

// try makes all calls on one connection.
func try(over, revision string) (r row) {
	r = row{Client: "mark3labs/mcp-go", Transport: over, Revision: revision}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	t, err := open(over)
	if err != nil {
		r.Calling = "RED: " + err.Error()
		return r
	}
	c := client.NewClient(t, client.WithProtocolVersion(revision), client.WithElicitationHandler(person{}),
		client.WithSamplingHandler(person{}), client.WithRootsHandler(person{}))
	defer c.Close()
	err = c.Start(ctx)
	if err == nil {
		var hello mcp.InitializeRequest
		hello.Params.ProtocolVersion = revision
		hello.Params.ClientInfo = mcp.Implementation{Name: "mcpgo", Version: "1"}
		_, err = c.Initialize(ctx, hello)
	}
	if err != nil {
		r.Calling = "RED: " + err.Error()
		return r
	}
	if got := c.ProtocolVersion(); got != revision {
		r.Calling = "RED: it speaks " + got
		return r
	}
	r.Calling = call(ctx, c, "add", map[string]any{"a": 2, "b": 3}, "5")
	r.Elicitation = call(ctx, c, "greet", map[string]any{"greeting": "Hi"}, "HI, ANN!")
	if r.Elicitation == "yes" {
		r.Elicitation = call(ctx, c, "greet", map[string]any{"greeting": "Go away"}, "Nobody wants to be greeted (decline).")
	}
	r.Sampling = call(ctx, c, "think", map[string]any{"topic": "tea"}, "About tea: Tea.")
	r.Roots = call(ctx, c, "look", map[string]any{}, "file:///tmp/a")
	r.Together = call(ctx, c, "everything", map[string]any{"greeting": "Hi", "topic": "tea"}, "Ann / Tea. / 1")
	return r
}

// call makes one call and compares the text of its result.
func call(ctx context.Context, c *client.Client, tool string, args map[string]any, want string) string {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = tool, args
	result, err := c.CallTool(ctx, r)
	if err != nil {
		return fmt.Sprintf("RED: %s: %v", tool, err)
	}
	if len(result.Content) != 1 {
		return fmt.Sprintf("RED: %s: %d blocks", tool, len(result.Content))
	}
	if text, ok := result.Content[0].(mcp.TextContent); !ok || result.IsError || text.Text != want {
		return fmt.Sprintf("RED: %s: %v", tool, result.Content[0])
	}
	return "yes"
}
