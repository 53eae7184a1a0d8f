package calls

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Request is one of tools/call, prompts/get, resources/read and completion/complete:
// what a client has sent, and what is known of the client.
type Request struct {
	Method string
	// Target is the name of a tool or a prompt, or the URI of a resource.
	Target string
	// Arguments are what the client sent with it, or nil.
	Arguments json.RawMessage
	// Completion is what completion/complete is about; nil for other methods.
	Completion *Completion

	// ID is the id of the request, as text.
	ID string
	// Revision is the protocol's; Modern says that it is 2026-07-28 or later, where
	// questions travel in results. On others [Client.Ask] asks.
	Revision string
	Modern   bool
	// State is what the round before left in [Answer.State], verified; nil in the
	// first round. Answers are the raw answers to its questions, by wire key.
	State   []byte
	Answers map[string]json.RawMessage

	// ClientName and ClientVersion are what the client says of itself, or "".
	ClientName, ClientVersion string
	// Capabilities are the client's, as JSON.
	Capabilities json.RawMessage
	// Headers are those of the HTTP request in lower case, without credentials; nil
	// where there is no HTTP.
	Headers map[string]string
	// Auth is who calls; nil where there is no authorization. Trusted says that
	// none is needed: who starts a server has everything that the server has.
	Auth    *callctx.Auth
	Trusted bool
	// WantsProgress says that the client wants to hear of progress.
	WantsProgress bool
	// Trace is the traceparent of the round, or "".
	Trace string
}

// A Completion is the argument that completion/complete is about.
type Completion struct {
	// RefType is "ref/prompt" or "ref/resource", and Ref the prompt's name or the
	// URI. RefType is "" where the client sent no reference.
	RefType, Ref string
	// Argument is the name of the argument, Value what has been typed of it, and
	// Others are the arguments that are settled.
	Argument, Value string
	Others          map[string]string
}

// An Answer is how one round of a call ended.
type Answer struct {
	// Members are those of the result. A result that asks lacks requestState.
	Members exactjson.Object
	// State is what the next round needs; nil where there is none.
	State  []byte
	Report Report
}

// A Question is a question on its way to a client that is asked in the middle of a
// call.
type Question struct {
	// Method is the protocol's: "elicitation/create".
	Method string
	Params json.RawMessage
	// URL says that an elicitation is one in the url mode.
	URL bool
}

// A Client is who made a request, as far as the call talks to it while it runs. Its
// methods return when what they say is said. They are called by one goroutine at a
// time but for Progress, and none is called after the call has ended.
type Client interface {
	// Ask asks, and waits for the raw answer. It is for requests that are not Modern.
	Ask(context.Context, Question) (json.RawMessage, error)
	// Log sends data, if the client wants that level.
	Log(ctx context.Context, level, logger string, data json.RawMessage)
	// Progress tells how far the call is. A total of nil is not known.
	Progress(ctx context.Context, done float64, total *float64, message string)
	// ElicitationComplete tells that what a question in the url mode opened is done.
	ElicitationComplete(ctx context.Context, id string) error
	// CloseSSE ends the stream that carries the call, where there is one that the
	// client can take up again: after that time, if it is positive.
	CloseSSE(retry time.Duration)
	// Resolver is told that a resolver runs: what comes of it runs in the context
	// that is returned. after is told when it has run, and whether it failed.
	Resolver(ctx context.Context, key string) (inside context.Context, after func(failed bool))
}
