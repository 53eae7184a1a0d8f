package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/golden/record"
)

// recordFlags are the flags of mcpstar record.
type recordFlags struct {
	out     string
	http    string
	listen  string
	secrets []string
}

func newRecord(s streams) *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record -o NAME.txtar (-- COMMAND ... | --http URL --listen ADDR)",
		Short: "Write a transcript of what a client and a server say",
		Long: `Write a transcript of what a client and a server say.

With a command it starts that server and stands between it and the client: put
"mcpstar record -o NAME.txtar -- SERVER ..." into the client's configuration in
the place of "SERVER ...", and use the client. With --http it listens at an
address and passes on to a URL. The server may be any MCP server.

Secrets are left out: HTTP headers, tokens by their shape, members with names like
password or api_key, the values of environment variables with such names, and
those of --secret. Read the file before you share it all the same.`,
		RunE: func(cmd *cobra.Command, args []string) error { return recordTraffic(cmd.Context(), s, args, &f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "the transcript to write")
	flags.StringVar(&f.http, "http", "", "the URL of a server to pass on to")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "with --http: where to listen")
	flags.StringSliceVar(&f.secrets, "secret", nil, "an environment variable whose value must not be written (repeat it for more)")
	return cmd
}

func recordTraffic(ctx context.Context, s streams, command []string, f *recordFlags) error {
	switch {
	case f.out == "" || !strings.HasSuffix(f.out, ".txtar"):
		return errors.New("say what to write: -o NAME.txtar")
	case f.http == "" && len(command) == 0:
		return errors.New("say which server: -- COMMAND ..., or --http URL")
	case f.http != "" && len(command) > 0:
		return errors.New("a command and --http at once: which server is it?")
	}
	if _, err := os.Stat(f.out); err == nil {
		return fmt.Errorf("%s is there already; remove it or choose another name", f.out)
	}
	var failed error
	o := record.Options{
		Transport: "stdio",
		Secrets:   secretValues(f.secrets, os.Environ()),
		Changed:   func(text []byte) { failed = os.WriteFile(f.out, text, 0o600) },
	}
	if f.http != "" {
		o.Transport = "http"
	} else {
		o.Server, o.Command = serverOf(command, f.out)
	}
	r := record.New(o)
	var err error
	if f.http != "" {
		err = recordHTTP(ctx, s, r, f)
	} else {
		err = record.Stdio(ctx, r, command, s.in, s.out, s.err)
	}
	if text := r.Transcript(); text != nil {
		failed = os.WriteFile(f.out, text, 0o600)
		fmt.Fprintf(s.err, "mcpstar: wrote %s\n", f.out)
	} else if err == nil {
		fmt.Fprintln(s.err, "mcpstar: nothing was said, nothing is written")
	}
	return errors.Join(err, failed)
}

func recordHTTP(ctx context.Context, s streams, r *record.Recorder, f *recordFlags) error {
	target, err := url.Parse(f.http)
	if err != nil || target.Host == "" {
		return fmt.Errorf("--http wants a URL such as http://127.0.0.1:8080/mcp, got %q", f.http)
	}
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return err
	}
	if !loopback(listener.Addr()) {
		_ = listener.Close()
		return fmt.Errorf("--listen %s: a recorder listens on this machine only, such as 127.0.0.1:9000", f.listen)
	}
	fmt.Fprintf(s.err, "listening on http://%s%s\n", shown(listener.Addr(), f.listen), target.Path)
	server := &http.Server{Handler: record.HTTP(r, target), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serverOf names the server in the transcript: the script of mcpstar serve, as
// seen from the transcript, or the command.
func serverOf(command []string, out string) (script string, words []string) {
	for i, w := range command {
		if w != "serve" || i == 0 || i+1 == len(command) {
			continue
		}
		path := command[i+1]
		if _, err := os.Stat(path); err != nil {
			break
		}
		full, err := filepath.Abs(path)
		if err != nil {
			break
		}
		from, err := filepath.Abs(filepath.Dir(out))
		if err != nil {
			break
		}
		rel, err := filepath.Rel(from, full)
		if err != nil || strings.ContainsAny(rel, " \t") {
			break
		}
		return filepath.ToSlash(rel), nil
	}
	return "", command
}

// secretValues are the values of the variables that are named, and of all whose
// names sound like a secret.
func secretValues(names, environment []string) []string {
	named := map[string]bool{}
	for _, name := range names {
		named[name] = true
	}
	var values []string
	for _, pair := range environment {
		name, value, _ := strings.Cut(pair, "=")
		if named[name] || record.IsSecretName(name) && len(value) >= 8 {
			values = append(values, value)
		}
	}
	return values
}

// importExport turns an export of the MCP Inspector into a transcript.
func importExport(s streams, file, server string) error {
	export, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err := record.Inspector(export, record.Options{Transport: "http", Server: server})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	_, err = s.out.Write(text)
	return err
}
