package callctx

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// An Info is what the host knows about a call. Functions may be nil: the word is
// then there and does nothing. They may be called from the call's thread only.
type Info struct {
	// RequestID is the id of the request that carries this round, as text.
	RequestID string
	// ProtocolVersion is the revision the client speaks.
	ProtocolVersion string
	// CallID is one id over all rounds of the call.
	CallID string
	// ClientName and ClientVersion are what the client says of itself, or "".
	ClientName, ClientVersion string
	// Capabilities are the client's, as JSON.
	Capabilities json.RawMessage
	// Headers are those of the HTTP request in lower case, without credentials;
	// nil where there is no HTTP.
	Headers map[string]string
	// Auth is who calls; nil where there is no authorization.
	Auth *Auth
	// State is what the lifespan made, or None. It is frozen.
	State starlark.Value
	// Log sends data to the client, if it wants that level.
	Log func(level, logger string, data json.RawMessage)
	// Progress tells how far the call is, if the client asked to know.
	Progress func(done float64, total *float64, message string)
	// ElicitationComplete tells that what elicit_url() opened is done, for the
	// resolver with that wire key.
	ElicitationComplete func(key string) error
	// InputResponses are the answers that came with this round, by key: a frozen
	// dict, or nil for none.
	InputResponses starlark.Value
	// RequestState is what input_required(state =) kept in the round before, frozen,
	// or nil.
	RequestState starlark.Value
	// ResourceUpdated tells the clients that have subscribed to a resource.
	ResourceUpdated func(uri string) error
	// ReadResource reads one of the server's own resources: a list of content blocks.
	ReadResource func(thread *starlark.Thread, uri string) (starlark.Value, error)
	// CloseSSE ends the stream that carries this call, where there is one that the
	// client can take up again: after that time, if it is positive.
	CloseSSE func(retry time.Duration)
}

// Context is an [Info] as a script sees it. It is immutable.
type Context struct {
	info    Info
	client  *client
	headers starlark.Value
	auth    starlark.Value
}

var _ starlark.HasAttrs = (*Context)(nil)

// New makes the ctx of a call.
func New(info Info) *Context {
	c := &Context{info: info, client: &client{info: &info}, headers: starlark.None, auth: starlark.None}
	if info.Auth != nil {
		c.auth = &identity{info.Auth}
	}
	if info.Headers != nil {
		dict := starlark.NewDict(len(info.Headers))
		names := make([]string, 0, len(info.Headers))
		for name := range info.Headers {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			_ = dict.SetKey(starlark.String(name), starlark.String(info.Headers[name])) // text keys can't fail
		}
		dict.Freeze()
		c.headers = dict
	}
	for _, v := range []*starlark.Value{&c.info.State, &c.info.RequestState} {
		if *v == nil {
			*v = starlark.None
		}
	}
	if c.info.InputResponses == nil {
		none := new(starlark.Dict)
		none.Freeze()
		c.info.InputResponses = none
	}
	return c
}

// String names the call, not its contents, which may be private.
func (c *Context) String() string        { return "<ctx of call " + c.info.CallID + ">" }
func (c *Context) Type() string          { return "ctx" }
func (c *Context) Freeze()               {}
func (c *Context) Truth() starlark.Bool  { return true }
func (c *Context) Hash() (uint32, error) { return 0, errors.New("unhashable: ctx") }

var contextNames = []string{
	"auth", "call_id", "client", "close_sse", "elicitation_complete", "headers", "input_responses", "log",
	"notify_resource_updated", "progress", "protocol_version", "read_resource", "request_id", "request_state", "sleep", "state",
}

// AttrNames are the names that ctx offers.
func (c *Context) AttrNames() []string { return slices.Clone(contextNames) }

// Attr is ctx.NAME.
func (c *Context) Attr(name string) (starlark.Value, error) {
	switch name {
	case "request_id":
		return starlark.String(c.info.RequestID), nil
	case "protocol_version":
		return starlark.String(c.info.ProtocolVersion), nil
	case "call_id":
		return starlark.String(c.info.CallID), nil
	case "auth":
		return c.auth, nil
	case "client":
		return c.client, nil
	case "headers":
		return c.headers, nil
	case "state":
		return c.info.State, nil
	case "input_responses":
		return c.info.InputResponses, nil
	case "request_state":
		return c.info.RequestState, nil
	case "sleep":
		return starlark.NewBuiltin("ctx.sleep", c.sleep), nil
	case "read_resource":
		return starlark.NewBuiltin("ctx.read_resource", c.readResource), nil
	case "notify_resource_updated":
		return starlark.NewBuiltin("ctx.notify_resource_updated", c.resourceUpdated), nil
	case "close_sse":
		return starlark.NewBuiltin("ctx.close_sse", c.closeSSE), nil
	case "log":
		return starlark.NewBuiltin("ctx.log", c.log), nil
	case "progress":
		return starlark.NewBuiltin("ctx.progress", c.progress), nil
	case "elicitation_complete":
		return starlark.NewBuiltin("ctx.elicitation_complete", c.elicitationComplete), nil
	}
	return nil, starlark.NoSuchAttrError("ctx has no ." + name) // Starlark says what was probably meant
}

func hint(name string, known []string) string {
	if near := engine.DidYouMean(name, known); near != "" {
		return " (" + near + ")"
	}
	return ""
}

// levels are the protocol's, from the least to the most urgent.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// log is ctx.log(level, data, logger = ""): data is any JSON value.
func (c *Context) log(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var level, logger string
	var data starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "level", &level, "data", &data, "logger?", &logger); err != nil {
		return nil, err
	}
	if !slices.Contains(levels[:], level) {
		return nil, fmt.Errorf("ctx.log: there is no level %q%s; there are %s", level, hint(level, levels[:]), strings.Join(levels[:], ", "))
	}
	text, err := exactjson.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("ctx.log: %w", err)
	}
	if c.info.Log != nil {
		c.info.Log(level, logger, text)
	}
	return starlark.None, nil
}

// progress is ctx.progress(done, total = None, message = "").
func (c *Context) progress(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var done, total starlark.Value
	var message string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "done", &done, "total?", &total, "message?", &message); err != nil {
		return nil, err
	}
	d, err := number("done", done)
	if err != nil {
		return nil, err
	}
	var t *float64
	if total != nil && total != starlark.None {
		f, err := number("total", total)
		if err != nil {
			return nil, err
		}
		t = &f
	}
	if c.info.Progress != nil {
		c.info.Progress(d, t, message)
	}
	return starlark.None, nil
}

func number(name string, v starlark.Value) (float64, error) {
	f, ok := starlark.AsFloat(v)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("ctx.progress: %s is a number, got %s", name, engine.Describe(v))
	}
	return f, nil
}

// elicitationComplete is ctx.elicitation_complete(key).
func (c *Context) elicitationComplete(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "key", &key); err != nil {
		return nil, err
	}
	if c.info.ElicitationComplete == nil {
		return starlark.None, nil
	}
	return starlark.None, c.info.ElicitationComplete(key)
}
