package frame

import (
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Pipe is a connection in memory: what is written to client, one message a line, the
// server behind the transport reads, and the other way round. Nothing is buffered but
// what a [NewStdio] buffers. Closing client ends the server's input and its output;
// the end of the server's session ends client's reading.
func Pipe(opts StdioOptions) (client io.ReadWriteCloser, server mcp.Transport) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	return &pipeEnd{fromServer, toServer}, &stdio{r: fromClient, w: toClient, closeW: toClient, opts: opts.orDefault()}
}

type pipeEnd struct {
	*io.PipeReader
	out *io.PipeWriter
}

func (p *pipeEnd) Write(b []byte) (int, error) { return p.out.Write(b) }

// CloseWrite ends the server's input only, as a client does that closes its output.
func (p *pipeEnd) CloseWrite() error { return p.out.Close() }

func (p *pipeEnd) Close() error { return errors.Join(p.out.Close(), p.PipeReader.Close()) }
