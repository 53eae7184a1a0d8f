package starhost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/mcpstar/mcpstar/starhost"
	hosttest "github.com/mcpstar/mcpstar/starhost/testing"
)

// oneFile makes a file system of one script.
func oneFile(name, text string) fstest.MapFS {
	return fstest.MapFS{name: &fstest.MapFile{Data: []byte(text)}}
}

// say calls a tool of a host as a client would, and prints what it says.
func say(ctx context.Context, host *starhost.Host, tool, args string) {
	client, err := hosttest.Connect(ctx, host, hosttest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	played, err := client.Call(ctx, tool, json.RawMessage(args))
	if err != nil {
		fmt.Println(err)
		return
	}
	var result struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(played.Result, &result); err != nil {
		fmt.Println(err)
		return
	}
	for _, block := range result.Content {
		fmt.Println(block.Text)
	}
}

func ExampleLoad() {
	ctx := context.Background()
	host, err := starhost.Load(ctx, oneFile("greet.star", `
def greet(name: str) -> str:
    """Greet somebody."""
    return "Hello, %s!" % name

tool(greet)
`), starhost.Options{Entry: "greet.star"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(ctx)
	say(ctx, host, "greet", `{"name": "Ada"}`)
	// Output: Hello, Ada!
}

func ExampleLoadDir() {
	ctx := context.Background()
	host, err := starhost.LoadDir(ctx, "../examples/bookshop/reserve.star", starhost.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(ctx)
	say(ctx, host, "reserve_book", `{"title": "Dune"}`)
	// Output: Reserved 'Dune' (6 copies left).
}

// A server that does not load says everything that is wrong with it.
func ExampleLoad_report() {
	_, err := starhost.Load(context.Background(), oneFile("shop.star", `
def check_stock(titel):
    return 3

def reserve_book(title: str, stock: resolve(check_stock)) -> str:
    return title

tool(reserve_book)
`), starhost.Options{Entry: "shop.star"})
	fmt.Println(err)
	// Output:
	// error[unknown-parameter]: resolver check_stock() wants "titel", which is not an argument of tool reserve_book
	//  --> shop.star:2:17
	//   |
	// 2 | def check_stock(titel):
	//   |                 ^^^^^ no argument of that name in tool reserve_book
	// ...
	// 5 | def reserve_book(title: str, stock: resolve(check_stock)) -> str:
	//   |     ------------ the arguments of tool reserve_book are declared here
	//   |
	//   = help: did you mean title?
	//
	// 1 error
}

// Go functions, modules and constants become words of the scripts.
func ExampleOptions_words() {
	ctx := context.Background()
	double := starlark.NewBuiltin("double", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var n int
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "n", &n); err != nil {
			return nil, err
		}
		return starlark.MakeInt(2 * n), nil
	})
	shop := &starlarkstruct.Module{Name: "shop", Members: starlark.StringDict{"double": double}}
	host, err := starhost.Load(ctx, oneFile("sum.star", `
def twice(n: int) -> int:
    return shop.double(n)

tool(twice)
`), starhost.Options{Entry: "sum.star", Words: starlark.StringDict{"shop": shop}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(ctx)
	say(ctx, host, "twice", `{"n": 21}`)
	// Output: 42
}

// A resolver written in Go declares what it takes, and is checked like the rest
// of the graph.
func ExampleResolver() {
	ctx := context.Background()
	stock := starhost.Resolver{
		Name:   "stock_of",
		Params: []string{"title"},
		Func: func(_ context.Context, args []starlark.Value) (starlark.Value, error) {
			if args[0] == starlark.String("Dune") {
				return starlark.MakeInt(7), nil
			}
			return starlark.MakeInt(0), nil
		},
	}
	host, err := starhost.Load(ctx, oneFile("shop.star", `
def copies(title: str, stock: resolve(stock_of, key = "shop:stock")) -> str:
    return "%d copies of %s" % (stock, title)

tool(copies)
`), starhost.Options{Entry: "shop.star", Resolvers: []starhost.Resolver{stock}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(ctx)
	say(ctx, host, "copies", `{"title": "Dune"}`)
	// Output: 7 copies of Dune
}

// Every protocol revision is served on one URL.
func ExampleHost_Handler() {
	ctx := context.Background()
	host, err := starhost.LoadDir(ctx, "../examples/bookshop/reserve.star", starhost.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(ctx)
	mux := http.NewServeMux()
	mux.Handle("/mcp", host.Handler())
	server := httptest.NewServer(mux)
	defer server.Close()

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "reserve_book", Arguments: map[string]any{"title": "Dune"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	// Output: Reserved 'Dune' (6 copies left).
}

// Serve takes any transport of the Go SDK.
func ExampleHost_Serve() {
	ctx := context.Background()
	host, err := starhost.LoadDir(ctx, "../examples/bookshop/reserve.star", starhost.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(ctx)
	forClient, forServer := mcp.NewInMemoryTransports()
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- host.Serve(serving, forServer) }()

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, forClient, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tools.Tools[0].Name)
	session.Close()
	stop()
	<-ended
	// Output: reserve_book
}

// The whole main of a program that keeps its scripts in a process of their own.
func ExampleWork() {
	const path = "shop.star"
	options := starhost.Options{Output: os.Stderr}
	if len(os.Args) > 1 && os.Args[1] == "worker" { // started by the lines below
		if err := starhost.Work(path, options, os.Stdin, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	options.Isolate = &starhost.Isolation{Command: []string{self, "worker"}, Memory: 512 << 20}
	host, err := starhost.LoadDir(context.Background(), path, options)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", host.Handler()))
}

// What the scripts do is the same; where they do it is another process.
func ExampleIsolation() {
	ctx := context.Background()
	const path = "../examples/bookshop/reserve.star"
	command := []string{os.Args[0], workerName, path, `{}`} // this very program; it calls Work then
	host, err := starhost.LoadDir(ctx, path, starhost.Options{Isolate: &starhost.Isolation{Command: command}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(ctx)
	say(ctx, host, "reserve_book", `{"title": "Dune"}`)
	// Output: Reserved 'Dune' (6 copies left).
}

// A program with a server of its own adds a script's tools to it.
func ExampleHost_Mount() {
	ctx := context.Background()
	host, err := starhost.LoadDir(ctx, "../examples/bookshop/reserve.star", starhost.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(ctx)

	server := mcp.NewServer(&mcp.Implementation{Name: "mine", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "own", Description: "A tool in Go."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "from Go"}}}, nil, nil
		})
	if err := host.Mount(server); err != nil {
		fmt.Println(err)
		return
	}

	forClient, forServer := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, forServer, nil); err != nil {
		fmt.Println(err)
		return
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, forClient, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	for _, call := range []*mcp.CallToolParams{
		{Name: "own"},
		{Name: "reserve_book", Arguments: map[string]any{"title": "Dune"}},
	} {
		result, err := session.CallTool(ctx, call)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	}
	// Output:
	// from Go
	// Reserved 'Dune' (6 copies left).
}
