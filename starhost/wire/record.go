package wire

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/mcpstar/mcpstar/starhost/calls"
)

// A Record is what an operator is told of one round of a call. It holds nothing
// of what the call says: no argument, no answer, no result.
type Record struct {
	// Method is the protocol's: "tools/call".
	Method string
	// Revision is the protocol's; "unknown" when the client named none.
	Revision string
	calls.Report
	Duration time.Duration
}

// record is a Record in the making.
type record struct {
	start  time.Time
	report calls.Report
	ended  func(Record)
	span   trace.Span // nil: nobody traces
}

// began begins the record of a round.
func (c *call) began() {
	c.record.start = time.Now()
	if began := c.server.options.OnCall; began != nil {
		c.record.ended = began()
	}
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
		slog.String("method", r.Method), slog.String(calls.KindOf(r.Method), r.Name), slog.String("revision", r.Revision),
		slog.String("call", r.Call), slog.Int("round", r.Round), slog.Int("resolvers", r.Resolvers),
		slog.Int("questions", r.Questions), slog.String("outcome", string(r.Outcome)),
		slog.Float64("ms", float64(r.Duration.Microseconds())/1000),
	}
	if r.Limit != "" {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("limit", r.Limit))
	}
	log.LogAttrs(ctx, level, "call", attrs...)
}

func (c *call) finished(ctx context.Context, err error) Record {
	r := Record{Method: c.req.method, Revision: c.req.revision, Report: c.record.report, Duration: time.Since(c.record.start)}
	if r.Name == "" {
		r.Name = calls.CutName(c.req.target)
	}
	if r.Revision == "" {
		r.Revision = "unknown"
	}
	switch {
	case err != nil && ctx.Err() != nil:
		r.Outcome = calls.OutcomeCancelled
	case err != nil && r.Outcome != calls.OutcomeCrashed:
		r.Outcome = calls.OutcomeRefused
	}
	return r
}
