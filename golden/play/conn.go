package play

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// A Server is what stories are played to; *starhost.Host is one.
type Server interface {
	Serve(ctx context.Context, transport mcp.Transport) error
	ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error
	Handler() http.Handler
}

// The ways to reach a server. Memory is stdio without the operating system.
const (
	Memory = "memory"
	Stdio  = "stdio"
	HTTP   = "http"
)

// A message is what came from the server.
type message struct {
	text   []byte
	status int    // of HTTP, else 0
	to     string // the wire id of the request that HTTP answers with it
}

// backlog is how many messages may wait to be looked at.
const backlog = 10_000

// A conn is a connection to a server.
type conn interface {
	// send sends one message.
	send(text []byte) error
	// messages are what comes. It is closed when nothing more can come, which
	// after finish is soon.
	messages() <-chan message
	// finish says that nothing more will be sent.
	finish()
	// close ends the connection and waits until the server has let it go.
	close()
}

func connect(ctx context.Context, server Server, transport string) (conn, error) {
	switch transport {
	case HTTP:
		return newHTTP(ctx, server.Handler())
	case Stdio:
		return pipes(ctx, server)
	}
	ctx, cancel := context.WithCancel(ctx)
	client, side := frame.Pipe(frame.StdioOptions{})
	l := &lines{out: client, in: client, cancel: cancel}
	if half, ok := client.(interface{ CloseWrite() error }); ok {
		l.half = half.CloseWrite
	}
	l.start(func() { _ = server.Serve(ctx, side) }) // how it ends is seen in what it says
	return l, nil
}

// pipes connects over real pipes, as a client does that starts the server.
func pipes(ctx context.Context, server Server) (conn, error) {
	serverIn, clientOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	clientIn, serverOut, err := os.Pipe()
	if err != nil {
		_ = serverIn.Close()
		_ = clientOut.Close()
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &lines{out: clientOut, in: clientIn, half: clientOut.Close, cancel: cancel}
	l.start(func() {
		_ = server.ServeStdio(ctx, serverIn, serverOut)
		_ = serverIn.Close()
		_ = serverOut.Close()
	})
	return l, nil
}

// lines is a connection of one message a line.
type lines struct {
	out    io.WriteCloser
	in     io.ReadCloser
	half   func() error // closes out only
	cancel context.CancelFunc

	got     chan message
	running sync.WaitGroup
}

func (l *lines) start(serve func()) {
	l.got = make(chan message, backlog)
	l.running.Go(serve)
	l.running.Go(func() {
		defer close(l.got)
		in := bufio.NewReader(l.in)
		for {
			line, err := in.ReadBytes('\n')
			if text := bytes.TrimSpace(line); len(text) > 0 {
				l.got <- message{text: text}
			}
			if err != nil {
				return
			}
		}
	})
}

func (l *lines) send(text []byte) error {
	_, err := l.out.Write(append(bytes.ReplaceAll(text, []byte("\n"), []byte(" ")), '\n'))
	return err
}

func (l *lines) messages() <-chan message { return l.got }

func (l *lines) finish() { _ = l.half() } // a server that has gone has closed it

func (l *lines) close() {
	l.cancel()
	_ = l.out.Close()
	_ = l.in.Close()
	l.running.Wait()
}
