package starhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/isolate"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/wire"
	"github.com/mcpstar/mcpstar/starhost/wire/auth"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// A Host serves one server. It is safe for concurrent use, and serves any number
// of connections at once.
type Host struct {
	options Options
	scripts isolate.Program
	server  *wire.Server
	guarded *auth.Resource // nil without authorization
	closing sync.Once
}

// Load loads the server at opts.Entry of a file system and starts its lifespan.
// Scripts can't read anything outside of fsys.
//
// An error of the scripts is a *[report.Error]: all problems at once, each with
// its place and what to write instead. Close the host when it is no longer used.
//
// [report.Error]: https://pkg.go.dev/github.com/mcpstar/mcpstar/starhost/load/report#Error
func Load(ctx context.Context, fsys fs.FS, opts Options) (*Host, error) {
	if opts.Isolate != nil {
		return nil, errIsolateFS
	}
	return open(ctx, opts, func() (isolate.Program, error) { return newProgram(ctx, source{fsys: fsys}, "", opts) })
}

// LoadDir loads the server at a path: a .star file, or a folder. Of a folder the
// server is its server.star; without one, every .star file at its top but tests
// (*_test.star) and those that others load (_*.star).
//
// Scripts can't read anything outside of the root: the nearest folder upwards
// with a mcpstar.toml, else the folder of the file.
func LoadDir(ctx context.Context, path string, opts Options) (*Host, error) {
	return open(ctx, opts, func() (isolate.Program, error) {
		if opts.Isolate != nil {
			return opts.worker(ctx)
		}
		return programAt(ctx, path, opts)
	})
}

// open serves the scripts that load loads, when the options are found to be good.
func open(ctx context.Context, opts Options, load func() (isolate.Program, error)) (*Host, error) {
	w, err := opts.wire()
	if err != nil {
		return nil, err
	}
	h := &Host{options: opts}
	if h.scripts, err = load(); err != nil {
		return nil, err
	}
	if h.guarded, err = h.resource(h.scripts.Offer().Name); err != nil {
		return nil, errors.Join(err, h.scripts.Close(ctx))
	}
	h.server = wire.New(h.scripts, w)
	return h, nil
}

// Serve serves one connection until it ends or ctx does. [Host.ServeStdio] is
// what a command wants; the SDK's own transports work too, without what
// mcpstar's framing mends.
func (h *Host) Serve(ctx context.Context, transport mcp.Transport) error {
	return h.server.Serve(ctx, transport)
}

// ServeStdio serves one client over a pair of streams, as the stdio transport
// has it: one JSON-RPC message a line. It returns nil when in ends.
//
// When ctx ends no more requests are taken; those that run have [Options.Grace] to
// finish, are cancelled then, and ServeStdio returns nil.
func (h *Host) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	// The SDK sends nothing any more when its context ends, so that has to wait.
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	return h.server.Serve(running, frame.NewStdio(in, out, frame.StdioOptions{Stop: ctx.Done(), Grace: h.options.Grace}))
}

// Handler serves streamable HTTP, all protocol revisions on one URL. Mount it at
// the path that clients use, by custom /mcp.
//
// Streams to clients stay open as long as they like. A server that shuts down
// should end them: [Host.ServeListener] does.
func (h *Host) Handler() http.Handler { return h.handler() }

func (h *Host) handler() *frame.Handler {
	o := h.options.HTTP
	options := frame.HTTPOptions{
		AllowedHosts:   o.AllowedHosts,
		AllowedOrigins: o.AllowedOrigins,
		MaxBody:        o.MaxBody,
		ToolSchema:     h.boundSchema,
		Logger:         h.options.Logger,
	}
	h.authorize(&options)
	return frame.NewHandler(h.server.MCP(), options)
}

// boundSchema is the input schema of a tool whose arguments are repeated in headers.
func (h *Host) boundSchema(tool string) ([]byte, bool) {
	schema, ok := h.scripts.Offer().Bound[tool]
	return schema, ok
}

// ServeListener serves [Host.Handler] at /mcp of a listener, with timeouts fit
// for strangers, until ctx ends. Then it takes no more requests, gives running
// ones grace to finish, and returns nil.
func (h *Host) ServeListener(ctx context.Context, l net.Listener, grace time.Duration) error {
	handler := h.handler()
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	if h.guarded != nil {
		mux.Handle(h.guarded.MetadataPath("/mcp"), handler)
	}
	server := frame.NewHTTPServer(mux)
	server.RegisterOnShutdown(handler.Close)
	return frame.Serve(ctx, l, server, grace)
}

// Mount adds the host's tools, prompts and resources to a server of the Go SDK that
// the program has made and serves itself, beside its own. Other names are left
// alone; something of the same name is replaced. A reload reaches that server too.
//
// Resolvers and questions work on both revisions. What lies below the SDK can't
// be had this way, because the transports are the program's:
//
//   - a client that greets with a revision the SDK doesn't negotiate is taken at
//     its word, and then can't be asked
//   - request ids beyond 2^53 are mangled, and one bad line ends stdio
//   - integers beyond 2^53 in answers are rounded, and an answer that is no
//     answer fails with the SDK's own words
//   - the lists are the SDK's: their caching hints are "public"
//   - clients can subscribe to resources only if that server lets them
//   - HTTP has the SDK's guards: foreign origins are served, and one handler
//     serves one kind of revision
//
// A program that wants these serves [Host.Handler] or [Host.ServeStdio].
func (h *Host) Mount(server *mcp.Server) error {
	h.server.Mount(server)
	return nil
}

// Snapshot is what the host serves now; nil when [Options.Isolate] has the scripts
// in another process.
func (h *Host) Snapshot() *load.Snapshot {
	if here, ok := h.scripts.(*program); ok {
		return here.Runner.Snapshot()
	}
	return nil
}

// Offer is what clients see now, wherever the scripts are.
func (h *Host) Offer() *calls.Offer { return h.scripts.Offer() }

// Sessions counts the connections of the moment: stdio and handshake sessions, and
// requests of 2026-07-28 over HTTP while they run.
func (h *Host) Sessions() int { return h.server.Sessions() }

// Close waits for the calls that still run, but no longer than ctx, and ends the
// lifespan. Connections and [Host.Watch] should have ended before: from now on
// there are no tools.
func (h *Host) Close(ctx context.Context) error {
	var err error
	h.closing.Do(func() { err = h.scripts.Close(ctx) })
	return err
}

// A Place is where a server lies.
type Place struct {
	// Root is the folder that its scripts can't leave.
	Root string
	// Entry is the file or folder below Root, with slashes.
	Entry string
	// Folder is the folder of the server itself.
	Folder string
}

// marker is the file that makes its folder a root.
const marker = "mcpstar.toml"

// Locate finds the root of the server at a path.
func Locate(path string) (Place, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return Place{}, err
	}
	info, err := os.Stat(full)
	if err != nil {
		return Place{}, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	folder := full
	if !info.IsDir() {
		folder = filepath.Dir(full)
		if lies, err := filepath.EvalSymlinks(full); err == nil && filepath.Dir(lies) != folder && outside(folder, lies) {
			// A link to a script elsewhere: that script's folder is the root.
			full, folder = lies, filepath.Dir(lies)
		}
	}
	root := folder
	for dir := folder; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, marker)); err == nil {
			root = dir
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	entry, err := filepath.Rel(root, full)
	if err != nil {
		return Place{}, err
	}
	return Place{Root: root, Entry: filepath.ToSlash(entry), Folder: folder}, nil
}

func outside(folder, path string) bool {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	rel, err := filepath.Rel(folder, path)
	return err != nil || !filepath.IsLocal(rel)
}
