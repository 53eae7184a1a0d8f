package frame

import (
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPOptions bound a [Handler]. The zero value is fit for a server on loopback.
type HTTPOptions struct {
	// AllowedHosts are the Host headers that are let in: "example.com" (any port),
	// "example.com:8080" or "*". Without any, a Host must name loopback, or be the
	// very address that the connection came in at: a name that an attacker can
	// point at this machine is neither.
	AllowedHosts []string

	// AllowedOrigins are the Origin headers that are let in and get CORS headers:
	// "https://example.com", "http://localhost:*" or "*". A request without Origin
	// does not come from a browser's page and is let in; so are the origin that the
	// request is sent to itself, and any page on loopback as long as Host is there
	// too.
	AllowedOrigins []string

	// MaxBody is the longest request body in bytes. Default 4 MiB.
	MaxBody int64

	// MaxHeader is how long the header fields may be together. Default 64 KiB.
	MaxHeader int

	// BodyTimeout is how long a client may take to send its body, WriteTimeout how
	// long one write to it may take. Defaults 30 s.
	BodyTimeout  time.Duration
	WriteTimeout time.Duration

	// MaxRequests is how many requests are handled at the same time, and how many
	// streams may be open; further ones are answered 503. Default 1024.
	MaxRequests int

	// MaxSessions is how many handshake sessions may be open; further ones are
	// answered 503. Default 4096. SessionTimeout ends a session (and what it still
	// does) after so long without any request. Default 30 minutes.
	MaxSessions    int
	SessionTimeout time.Duration

	// KeepAlive is how long a response may be silent. Then a modern response becomes
	// a stream, and a stream gets a comment. Default 15 s.
	KeepAlive time.Duration

	// ToolSchema is the input schema of the tool of that name, as JSON, for the check
	// of Mcp-Param-* headers; ok is false where there is nothing to check. It is called
	// for every modern tools/call. Without it the server's own tools/list is asked, at
	// most every other second.
	ToolSchema func(tool string) (schema []byte, ok bool)

	// First is asked before the guards, which are for the endpoint alone; true says
	// that it has answered. It is for what belongs to the endpoint and stands beside it.
	First func(w http.ResponseWriter, r *http.Request) bool

	// Require stands before all that the guards let in, but for OPTIONS, which browsers
	// send without credentials: it answers, or calls next with what the SDK's
	// auth.RequireBearerToken puts into the request's context.
	Require func(next http.Handler) http.Handler

	// Permit is asked before a tool is called. If the sender may not call it, it answers
	// and returns false.
	Permit func(w http.ResponseWriter, r *http.Request, tool string) bool

	// LeaveAnswers keeps the client's answers where the SDK reads them, for a
	// server that does not look for [MetaInputResponses], [MetaRequestState] and
	// [MetaResult].
	LeaveAnswers bool

	// Logger is told what goes wrong between the SDK and a client. Default: nobody.
	Logger *slog.Logger
}

func (o HTTPOptions) orDefault() HTTPOptions {
	def := func(n *int, to int) {
		if *n <= 0 {
			*n = to
		}
	}
	wait := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 4 << 20
	}
	def(&o.MaxHeader, 64<<10)
	def(&o.MaxRequests, 1024)
	def(&o.MaxSessions, 4096)
	wait(&o.BodyTimeout, 30*time.Second)
	wait(&o.WriteTimeout, 30*time.Second)
	wait(&o.SessionTimeout, 30*time.Minute)
	wait(&o.KeepAlive, 15*time.Second)
	return o
}

// A Handler serves both eras of the protocol on one URL, whatever its path. Use
// [NewHandler].
type Handler struct {
	server   *mcp.Server
	opts     HTTPOptions
	rewriter rewriter
	legacy   *mcp.StreamableHTTPHandler
	endpoint http.Handler // serve, behind Require
	sessions sessions
	params   paramHeaders
	bodies   atomic.Int64 // how long the bodies in memory are together

	running, streams chan struct{} // semaphores

	life    context.Context // until Close
	closing context.CancelFunc
}

// NewHandler is the HTTP side of server, which may serve other transports as well.
func NewHandler(server *mcp.Server, opts HTTPOptions) *Handler {
	opts = opts.orDefault()
	h := &Handler{
		server:   server,
		opts:     opts,
		rewriter: rewriter{leaveAnswers: opts.LeaveAnswers},
		running:  make(chan struct{}, opts.MaxRequests),
		streams:  make(chan struct{}, opts.MaxRequests),
	}
	h.endpoint = http.HandlerFunc(h.serve)
	if opts.Require != nil {
		h.endpoint = opts.Require(h.endpoint)
	}
	h.life, h.closing = context.WithCancel(context.Background())
	h.params.schema = opts.ToolSchema
	if h.params.schema == nil {
		h.params.probe = h.listTools
	}
	h.sessions.max, h.sessions.idle, h.sessions.end = opts.MaxSessions, opts.SessionTimeout, h.endSession
	h.legacy = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Logger:                     opts.Logger,
		EventStore:                 newReplayStore(h.sessions.answered),
		DisableLocalhostProtection: true, // guard does it
		MaxRequestBodyBytes:        -1,   // the body is in memory already, and may have grown
	})
	return h
}

// Close ends the streams that would never end by themselves, and opens no more
// sessions. Requests that are under way go on; a session ends, with what it still does
// for clients that have left, as soon as no request holds it. Close may be called more
// than once, and is meant for [http.Server.RegisterOnShutdown].
func (h *Handler) Close() {
	h.closing()
	h.sessions.close()
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.opts.First != nil && h.opts.First(w, r) {
		return
	}
	if status, text := h.guard(r); status != 0 {
		plainError(w, status, text)
		return
	}
	h.allowOrigin(w, r)
	if r.Method == http.MethodOptions {
		preflight(w, r)
		return
	}
	h.endpoint.ServeHTTP(w, r)
}

// serve serves whom the guards and Require have let in.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet, http.MethodDelete:
		if namesModern(r.Header) {
			w.Header().Set("Allow", "POST, OPTIONS")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		h.serveSession(w, r)
	default:
		w.Header().Set("Allow", "POST, GET, DELETE, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// post reads one message and hands it to its era.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	if status, text := checkContentType(r.Header); status != 0 {
		plainError(w, status, text)
		return
	}
	if json, stream := accepts(r.Header); !json || !stream {
		h.refuse(w, http.StatusNotAcceptable, invalidRequest("Not Acceptable: the client must accept both application/json and text/event-stream"), "")
		return
	}
	body, done, status, text := h.readBody(w, r)
	defer done()
	if status != 0 {
		plainError(w, status, text)
		return
	}
	m, f, id := parse(body)
	if f != nil {
		h.refuse(w, http.StatusBadRequest, f, id)
		return
	}
	if !h.permits(w, r, m) {
		return
	}
	release, ok := h.acquire(m)
	if !ok {
		w.Header().Set("Retry-After", "1")
		h.refuse(w, http.StatusServiceUnavailable, &fault{code: -32603, message: "too many requests at the same time"}, m.id)
		return
	}
	defer release()
	if isModern(r.Header, m) {
		h.serveModern(w, r, m)
	} else {
		h.serveLegacy(w, r, m)
	}
}

// permits reports whether the sender may send a message. If not, it has answered.
func (h *Handler) permits(w http.ResponseWriter, r *http.Request, m *message) bool {
	if h.opts.Permit == nil || m.kind != request || m.method != "tools/call" {
		return true
	}
	tool, ok := stringOf(m.params.name)
	return !ok || h.opts.Permit(w, r, tool) // what has no name is refused with the params
}

// acquire takes a place among the running requests, or among the streams. Answers and
// notifications need none: running requests may wait for them.
func (h *Handler) acquire(m *message) (release func(), ok bool) {
	switch {
	case m.kind != request:
		return func() {}, true
	case m.method == "subscriptions/listen":
		return take(h.streams)
	}
	return take(h.running)
}

func take(places chan struct{}) (release func(), ok bool) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, true
	default:
		return nil, false
	}
}

// namesModern reports whether the version header names a revision without handshake:
// or one we don't know, which is judged with those.
func namesModern(header http.Header) bool {
	for _, version := range header.Values("Mcp-Protocol-Version") {
		if version != "" && !isLegacy(version) {
			return true
		}
	}
	return false
}

// isModern decides the era of a message: the version header, and without a session
// also what the message itself says.
func isModern(header http.Header, m *message) bool {
	if namesModern(header) {
		return true
	}
	if header.Get("Mcp-Session-Id") != "" || m.kind != request {
		return false
	}
	return m.modern() && m.method != "initialize" || m.method == "server/discover"
}

func checkContentType(header http.Header) (status int, text string) {
	values := header.Values("Content-Type")
	if len(values) != 1 {
		return http.StatusBadRequest, "Invalid Content-Type header"
	}
	kind, params, err := mime.ParseMediaType(values[0])
	if err != nil || kind != "application/json" {
		return http.StatusBadRequest, "Invalid Content-Type header"
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return http.StatusUnsupportedMediaType, "Invalid Content-Type header: the charset must be utf-8"
	}
	if coding := header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return http.StatusUnsupportedMediaType, "Invalid Content-Encoding header: send the body as it is"
	}
	return 0, ""
}

// accepts reports what the client takes for an answer, wildcards included.
func accepts(header http.Header) (json, stream bool) {
	for _, value := range header.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			kind, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "*/*":
				json, stream = true, true
			case "application/json", "application/*":
				json = true
			case "text/event-stream", "text/*":
				stream = true
			}
		}
	}
	return json, stream
}

func plainError(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// refuse answers with an error before any handler has run.
func (h *Handler) refuse(w http.ResponseWriter, status int, f *fault, id string) {
	writeJSON(w, status, f.appendError(nil, id))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// modernStatus is the HTTP status of an error in the envelope's era.
func modernStatus(code int64) int {
	switch code {
	case -32700, -32600, -32602, mcp.CodeHeaderMismatch, mcp.CodeMissingRequiredClientCapabilities, mcp.CodeUnsupportedProtocolVersion:
		return http.StatusBadRequest
	case -32601:
		return http.StatusNotFound
	}
	return http.StatusOK
}

// legacyStatus is that of an error which this package answers in a session.
func legacyStatus(code int64) int {
	if code == -32700 || code == -32600 {
		return http.StatusBadRequest
	}
	return http.StatusOK
}
