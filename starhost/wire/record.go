package wire

import (
	"context"
	"errors"
	"log/slog"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/otel/trace"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// A Record is what an operator is told of one round of a call. It holds nothing
// of what the call says: no argument, no answer, no result.
type Record struct {
	// Method is the protocol's: "tools/call".
	Method string
	// Name is what was called: of a resource template its URI with the variables.
	// Unless Known, the server has none of that name, and the client made it up; it
	// is cut then.
	Name  string
	Known bool
	// Revision is the protocol's; "unknown" when the client named none.
	Revision string
	// Call is the id of the call, the same in all of its rounds; "" if the round
	// was refused before that was known. Round counts them from 1.
	Call  string
	Round int
	// Resolvers counts those that ran, Questions those that went out.
	Resolvers, Questions int
	Outcome              Outcome
	Duration             time.Duration
}

// An Outcome is how a round ended.
type Outcome string

const (
	// OutcomeResult is a result.
	OutcomeResult Outcome = "result"
	// OutcomeError is a result that tells the model what went wrong.
	OutcomeError Outcome = "error"
	// OutcomeLimit is an error because a limit was reached.
	OutcomeLimit Outcome = "limit"
	// OutcomeAsks is a round that ended with questions.
	OutcomeAsks Outcome = "input_required"
	// OutcomeRefused is an error of the protocol.
	OutcomeRefused Outcome = "refused"
	// OutcomeCancelled is a call that nobody waits for any more.
	OutcomeCancelled Outcome = "cancelled"
)

// record is a Record in the making.
type record struct {
	start     time.Time
	name      string
	resolvers int
	questions int
	outcome   Outcome
	limit     string        // the limit that was reached, in words
	failed    *report.Error // where and why a script failed
	ended     func(Record)
	span      trace.Span // nil: nobody traces
}

// A Failed is a script that failed while it served, for its author and for
// operators: unlike a [Record] it may quote what the call was about.
type Failed struct {
	// Method, Name and Call are those of the [Record].
	Method, Name, Call string
	// Report is what went wrong, where, and what to write instead.
	Report *report.Error
}

// began begins the record of a round.
func (c *call) began() {
	c.record.start, c.record.name = time.Now(), c.req.target
	if began := c.server.options.OnCall; began != nil {
		c.record.ended = began()
	}
}

// trace keeps where and why a script failed, for the operator. What an author
// makes a call end with, fail("..."), is no mistake of the script.
func (c *call) trace(err error) {
	var limit *engine.Interrupt
	if errors.As(err, &limit) {
		c.record.limit = limit.Text
	}
	var meant *engine.Failure
	if !errors.As(err, &meant) && c.server.tellsFailures() {
		c.record.failed = c.offer.snapshot.Failure(err)
	}
}

// tellsFailures reports whether anybody wants to know where scripts fail.
func (s *Server) tellsFailures() bool {
	return s.options.OnFailed != nil || s.options.Logger.Enabled(context.Background(), slog.LevelWarn)
}

// ended tells whoever wants to know that the round is over.
func (c *call) ended(ctx context.Context, err error) {
	r := c.finished(ctx, err)
	c.endSpan(ctx, &r)
	if c.record.ended != nil {
		c.record.ended(r)
	}
	log, level := c.server.options.Logger, slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String(kindOf(r.Method), r.Name), slog.String("revision", r.Revision),
		slog.String("call", r.Call), slog.Int("round", r.Round), slog.Int("resolvers", r.Resolvers),
		slog.Int("questions", r.Questions), slog.String("outcome", string(r.Outcome)),
		slog.Float64("ms", float64(r.Duration.Microseconds())/1000),
	}
	if c.record.limit != "" {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("limit", c.record.limit))
	}
	log.LogAttrs(ctx, level, "call", attrs...)
	if c.record.failed == nil {
		return
	}
	if tell := c.server.options.OnFailed; tell != nil {
		tell(Failed{Method: r.Method, Name: r.Name, Call: r.Call, Report: c.record.failed})
		return
	}
	log.WarnContext(ctx, "script error", kindOf(r.Method), r.Name, "call", r.Call, "report", c.record.failed)
}

func (c *call) finished(ctx context.Context, err error) Record {
	r := Record{
		Method: c.req.method, Name: c.called(), Known: c.subject != nil, Revision: c.req.revision,
		Resolvers: c.record.resolvers, Questions: c.record.questions,
		Outcome: c.record.outcome, Duration: time.Since(c.record.start),
	}
	if r.Revision == "" {
		r.Revision = "unknown"
	}
	if c.state != nil {
		r.Call, r.Round = c.state.Call, c.state.Rounds+1
	}
	switch {
	case err != nil && ctx.Err() != nil:
		r.Outcome = OutcomeCancelled
	case err != nil:
		r.Outcome = OutcomeRefused
	case c.record.limit != "":
		r.Outcome = OutcomeLimit
	}
	return r
}

// called is the name of what is called: of a resource the URI as the script wrote
// it, because what stands for a template's variables is an argument.
func (c *call) called() string {
	if r, ok := c.subject.(resourceSubject); ok {
		return r.URI
	}
	return cutName(c.record.name)
}

// cutName is a name that a log can bear; no tool has a longer one.
func cutName(name string) string {
	const longest = 64
	if len(name) <= longest {
		return name
	}
	end := longest
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// kindOf is the word for what a method is about.
func kindOf(method string) string {
	switch method {
	case "prompts/get":
		return "prompt"
	case "resources/read":
		return "resource"
	}
	return "tool"
}
