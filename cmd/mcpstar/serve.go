package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost"
)

// serveFlags are the flags of mcpstar serve.
type serveFlags struct {
	http           string
	allowedHosts   []string
	allowedOrigins []string
	stateKeyFile   string
	stateTTL       time.Duration
	maxCallAge     time.Duration
	limits         limitFlags
	grace          time.Duration
	watch          bool
	logFormat      string
	logLevel       string
	isolate        isolateFlags
	auth           authFlags
	admin          string
	traceFile      string
}

func newServe(s streams) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve PATH",
		Short: "Serve a server over stdio, or over HTTP with --http",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return serve(cmd.Context(), s, args[0], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.http, "http", "", "serve streamable HTTP at this address, such as 127.0.0.1:8080 (port 0 picks one)")
	flags.StringSliceVar(&f.allowedHosts, "allow-host", nil, "a Host header to serve beside loopback ones (repeat it, or separate with commas)")
	flags.StringSliceVar(&f.allowedOrigins, "allow-origin", nil, "an Origin header to serve beside loopback ones")
	flags.StringVar(&f.stateKeyFile, "state-key-file", "", "file with the keys that seal the state of calls, base64, one a line (also MCPSTAR_STATE_KEYS)")
	flags.DurationVar(&f.stateTTL, "state-ttl", seal.DefaultTTL, "how long a client may take over one round, or one question")
	f.addScriptFlags(cmd)
	f.isolate.add(cmd)
	flags.DurationVar(&f.grace, "grace", 5*time.Second, "how long running calls may take to finish when the server is told to stop")
	flags.BoolVar(&f.watch, "watch", false, "reload whenever a file of the server changes (SIGHUP reloads too)")
	f.auth.add(cmd)
	flags.StringVar(&f.admin, "admin", "", "answer /healthz and /metrics at this address; a port alone is one of loopback")
	flags.StringVar(&f.traceFile, "trace-file", "", "append OpenTelemetry spans to this file, each a line of JSON (- is standard error)")
	return cmd
}

// addScriptFlags adds those that concern the scripts, whichever process runs them.
func (f *serveFlags) addScriptFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.limits.add(cmd)
	flags.DurationVar(&f.maxCallAge, "max-call-age", time.Hour, "how long a call may last over all of its rounds")
	flags.StringVar(&f.logFormat, "log-format", "text", "text or json")
	flags.StringVar(&f.logLevel, "log-level", "warn", "debug, info, warn or error")
}

// scriptOptions are those that concern the scripts.
func (f *serveFlags) scriptOptions(s streams) (starhost.Options, error) {
	logger, err := newLogger(s.err, f.logFormat, f.logLevel)
	if err != nil {
		return starhost.Options{}, err
	}
	limits, err := f.limits.limits()
	if err != nil {
		return starhost.Options{}, err
	}
	options := starhost.Options{
		Output:     s.err,
		Logger:     logger,
		MaxCallAge: f.maxCallAge,
		MaxSteps:   f.limits.maxSteps,
		Limits:     limits,
		Version:    version,
	}
	if f.logFormat == "text" && logger.Enabled(context.Background(), slog.LevelWarn) {
		options.OnFailed = s.failed // a log line would hold it in one line
	}
	return options, nil
}

func serve(ctx context.Context, s streams, path string, f *serveFlags) error {
	options, err := f.scriptOptions(s)
	if err != nil {
		return err
	}
	if options.StateKeys, err = stateKeys(f.stateKeyFile, os.Getenv("MCPSTAR_STATE_KEYS")); err != nil {
		return err
	}
	authorization, err := f.auth.authorization(f.http, os.Getenv, options.Logger)
	if err != nil {
		return err
	}
	if options.Isolate, err = f.isolate.isolation(s, path, f); err != nil {
		return err
	}
	f.limits.tuneMemory(math.MaxInt64)
	options.StateTTL, options.Grace = f.stateTTL, f.grace
	options.HTTP = starhost.HTTPOptions{AllowedHosts: f.allowedHosts, AllowedOrigins: f.allowedOrigins, Auth: authorization}
	seen, err := newObserver(s, f, &options)
	if err != nil {
		return err
	}
	err = serveObserved(ctx, s, path, f, options, seen)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return errors.Join(err, seen.close(ending))
}

func serveObserved(ctx context.Context, s streams, path string, f *serveFlags, options starhost.Options, seen *observer) error {
	host, err := loadDir(ctx, path, options)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, seen.stopping)()
	if err := seen.open(s, host, f.admin); err != nil {
		return errors.Join(err, host.Close(ctx))
	}
	stop := keepUp(ctx, host, f.watch, func(change *starhost.Change, err error) {
		seen.reloaded(err)
		if f.logFormat == "json" && err != nil {
			options.Logger.Error("reload failed, the version before goes on serving", "why", err)
			return
		}
		s.reloaded(change, err)
	})
	err = within(ctx, f.grace+overtime, func() error {
		if f.http == "" {
			return serveStdio(ctx, s, host)
		}
		return serveHTTP(ctx, s, host, f)
	})
	stop()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.grace)
	defer cancel()
	return errors.Join(err, host.Close(ending))
}

// overtime is how much longer than --grace the end may take: cancelled calls have
// to notice.
const overtime = 2 * time.Second

// within is serve, left alone if it goes on for long after the end of ctx: a call
// that can't be stopped must not keep the process.
func within(ctx context.Context, long time.Duration, serve func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- serve() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return errors.New("a call did not stop when it was told to; it was left behind")
	}
}

// serveStdio serves the client that started us. Nothing but the protocol may be
// written to standard output, so whoever writes there by mistake reaches
// standard error instead.
func serveStdio(ctx context.Context, s streams, host *starhost.Host) error {
	if s.out == os.Stdout {
		os.Stdout = os.Stderr
	}
	return host.ServeStdio(ctx, s.in, s.out)
}

func serveHTTP(ctx context.Context, s streams, host *starhost.Host, f *serveFlags) error {
	listener, err := net.Listen("tcp", f.http)
	if err != nil {
		return err
	}
	f.auth.warn(s.err, host, listener.Addr())
	fmt.Fprintf(s.err, "listening on http://%s/mcp\n", shown(listener.Addr(), f.http))
	return host.ServeListener(ctx, listener, f.grace)
}

func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// shown is the address for a person: the name they gave, with the port that is
// really used.
func shown(addr net.Addr, given string) string {
	host, _, err := net.SplitHostPort(given)
	tcp, ok := addr.(*net.TCPAddr)
	if err != nil || !ok || host == "" || host == "localhost" {
		return addr.String()
	}
	return net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}

// stateKeys are the keys from a file or, without one, from the environment; nil
// means a key of this process.
func stateKeys(file, env string) ([][]byte, error) {
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		keys, err := seal.ReadKeyFile(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return keys, nil
	}
	if env == "" {
		return nil, nil
	}
	keys, err := seal.ParseKeys(env)
	if err != nil {
		return nil, fmt.Errorf("MCPSTAR_STATE_KEYS: %w", err)
	}
	return keys, nil
}

func newLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(strings.ToUpper(level))); err != nil {
		return nil, fmt.Errorf("--log-level is debug, info, warn or error, got %q", level)
	}
	options := &slog.HandlerOptions{Level: l}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return nil, fmt.Errorf("--log-format is text or json, got %q", format)
}
