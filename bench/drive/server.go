package drive

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

// script is what is served: a lookup behind a lookup, a question, and a little
// work. The tools say back what they were given, so that answers can be checked.
const script = `
Sure = model(yes = bool)
SHELF = {"title %%d" %% n: n for n in range(100)}

def copies(title: str) -> int:
    return SHELF.get(title, 0)

def price(title: str, left: resolve(copies)) -> int:
    return left * 3 + len(title)

def confirm(title: str, cost: resolve(price)) -> Sure:
    return elicit("Order %%s for %%d?" %% (title, cost), Sure)

def quote(title: str, cost: resolve(price)) -> str:
    return "quote %%s" %% title

def order(title: str, cost: resolve(price), sure: resolve(confirm)) -> str:
    return "order %%s" %% title

def work(title: str) -> str:
    total = 0
    for n in range(2000):
        total += n %% 7
    return "work %%s" %% title

def spin(title: str) -> str:
    while True: pass

tool(quote)
tool(spin)
tool(order)
tool(work)
# version %d
`

// A Server is a host under load, with its HTTP side on loopback.
type Server struct {
	Host *starhost.Host
	URL  string

	dir      string
	versions int
	stop     context.CancelFunc
	served   chan error
	calls    atomic.Int64
	wrong    atomic.Int64
}

// Start serves the script until Stop.
func Start(ctx context.Context) (*Server, error) {
	dir, err := os.MkdirTemp("", "mcpstar-drive-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, served: make(chan error, 1)}
	if err := s.write(); err != nil {
		return nil, err
	}
	s.Host, err = starhost.LoadDir(ctx, s.path(), starhost.Options{OnCall: s.counted, Grace: time.Second})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.URL = "http://" + l.Addr().String() + "/mcp"
	var serving context.Context
	serving, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() { s.served <- s.Host.ServeListener(serving, l, time.Second) }()
	return s, nil
}

func (s *Server) path() string { return filepath.Join(s.dir, "shop.star") }

func (s *Server) write() error {
	s.versions++
	return os.WriteFile(s.path(), fmt.Appendf(nil, script, s.versions), 0o600)
}

// Reload serves a new version of the script.
func (s *Server) Reload(ctx context.Context) error {
	if err := s.write(); err != nil {
		return err
	}
	_, err := s.Host.Reload(ctx)
	return err
}

// counted counts rounds, as a host's operator does.
func (s *Server) counted() func(wire.Record) {
	return func(r wire.Record) {
		s.calls.Add(1)
		if r.Outcome != calls.OutcomeResult && r.Outcome != calls.OutcomeAsks {
			s.wrong.Add(1)
		}
	}
}

// Rounds counts the rounds that have ended, and those of them that ended in an
// error.
func (s *Server) Rounds() (all, wrong int64) { return s.calls.Load(), s.wrong.Load() }

// Stop ends the server. Clients should have ended before.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	return errors.Join(<-s.served, s.Host.Close(ctx), os.RemoveAll(s.dir))
}
