package admin

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"
)

// A Server answers operators. Use [New].
type Server struct {
	metrics  *Metrics
	listener net.Listener
	server   *http.Server
	loopback bool
	stopping atomic.Bool
	ended    chan struct{}
}

// New listens at address: "9090" and ":9090" are ports of loopback, any other
// interface has to be named ("0.0.0.0:9090"). Close the server when the process
// ends, after [Server.Stopping].
func New(address string, m *Metrics) (*Server, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--admin: %w", err)
	}
	s := &Server{metrics: m, listener: l, ended: make(chan struct{})}
	tcp, ok := l.Addr().(*net.TCPAddr)
	s.loopback = ok && tcp.IP.IsLoopback()
	s.server = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	go func() {
		defer close(s.ended)
		_ = s.server.Serve(l) // until Close
	}()
	return s, nil
}

// URL is where the server is.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Loopback reports whether only this machine can reach the server.
func (s *Server) Loopback() bool { return s.loopback }

// Stopping makes /healthz say that the server takes no more work.
func (s *Server) Stopping() { s.stopping.Store(true) }

// Close ends the server.
func (s *Server) Close(ctx context.Context) {
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close()
	}
	<-s.ended
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.loopback && !loopbackHost(r.Host):
		// A page in a browser may have pointed a name of its own at this machine.
		http.Error(w, "this address is served to loopback names only", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
	case r.URL.Path == "/healthz":
		s.health(w)
	case r.URL.Path == "/metrics":
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		s.metrics.write(w)
	default:
		http.Error(w, "there is /healthz and /metrics", http.StatusNotFound)
	}
}

func (s *Server) health(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if s.stopping.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "stopping\n")
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}
