package frame

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// benchServer has one tool, which costs nothing.
func benchServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "b", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(anyObject)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return textResult("ok"), nil
	})
	return s
}

// roundTrips measures calls over lines, one after another.
func roundTrips(b *testing.B, connect func() (io.ReadWriter, mcp.Transport), first, line string) {
	client, transport := connect()
	go func() { _ = benchServer().Run(context.Background(), transport) }()
	in := bufio.NewReaderSize(client, 1<<16)
	trip := func(line string) {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			b.Fatal(err)
		}
		if answer, err := in.ReadSlice('\n'); err != nil || bytes.Contains(answer, []byte(`"error"`)) {
			b.Fatal(string(answer), err)
		}
	}
	if first != "" {
		trip(first)
	}
	b.ReportAllocs()
	for b.Loop() {
		trip(line)
	}
}

func ours() (io.ReadWriter, mcp.Transport) {
	return Pipe(StdioOptions{})
}

func theirs() (io.ReadWriter, mcp.Transport) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	return &pipeEnd{fromServer, toServer}, &mcp.IOTransport{Reader: fromClient, Writer: toClient}
}

// BenchmarkEcho compares this package's transport (Frame) with the SDK's own.
func BenchmarkEcho(b *testing.B) {
	args := `{"text":"` + strings.Repeat("x", 100) + `"}`
	for _, bench := range []struct {
		name        string
		connect     func() (io.ReadWriter, mcp.Transport)
		first, line string
	}{
		{"Legacy/Frame", ours, initializeL, callL("1", "echo", args)},
		{"Legacy/SDK", theirs, initializeL, callL("1", "echo", args)},
		{"Modern/Frame", ours, "", callM("1", "echo", args)},
		{"Modern/SDK", theirs, "", callM("1", "echo", args)},
	} {
		b.Run(bench.name, func(b *testing.B) { roundTrips(b, bench.connect, bench.first, bench.line) })
	}
}

// BenchmarkScan is what one message costs before the SDK sees it.
func BenchmarkScan(b *testing.B) {
	for name, args := range map[string]string{"small": `{"text":"x"}`, "1MB": `{"text":"` + strings.Repeat("x", 1<<20) + `"}`,
		"1MB-of-numbers": `{"n":[` + strings.Repeat("12345,", 1<<20/6) + `0]}`} {
		line := []byte(callM("1", "echo", args))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				m, f, _ := parse(line)
				if f != nil || m.modernFault(nil) != nil {
					b.Fatal(f)
				}
				rewriter{}.forSDK(m)
			}
		})
	}
}
