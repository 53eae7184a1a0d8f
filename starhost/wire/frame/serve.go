package frame

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// NewHTTPServer is an [http.Server] with limits that suit one that faces strangers and
// holds streams open: on headers and idle connections, but not on whole responses,
// which a [Handler] bounds write by write. A handler that is a [Handler] is closed when
// the server shuts down; give one that lies deeper to RegisterOnShutdown.
func NewHTTPServer(handler http.Handler) *http.Server {
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	if h, ok := handler.(*Handler); ok {
		srv.RegisterOnShutdown(h.Close)
	}
	return srv
}

// Serve serves until ctx ends. Then no more connections are taken, requests under way
// get grace to finish, and what still runs is cut off. It returns nil after an end by
// ctx, and what went wrong otherwise. The listener is closed.
func Serve(ctx context.Context, l net.Listener, srv *http.Server, grace time.Duration) error {
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := srv.Shutdown(within); err != nil {
		_ = srv.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
