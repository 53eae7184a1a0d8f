package wire

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/starhost/calls"
)

// tracerName is what the spans say they come from.
const tracerName = "github.com/mcpstar/mcpstar/starhost"

// metaCarrier reads a trace context out of a request's _meta.
type metaCarrier mcp.Meta

// Get implements [propagation.TextMapCarrier].
func (m metaCarrier) Get(key string) string {
	text, _ := m[key].(string)
	return text
}

// Set implements [propagation.TextMapCarrier]; nothing is ever sent this way.
func (m metaCarrier) Set(string, string) {}

// Keys implements [propagation.TextMapCarrier].
func (m metaCarrier) Keys() []string { return nil }

// textCarrier keeps one traceparent.
type textCarrier struct{ traceparent string }

// Get implements [propagation.TextMapCarrier].
func (t *textCarrier) Get(key string) string {
	if key == "traceparent" {
		return t.traceparent
	}
	return ""
}

// Set implements [propagation.TextMapCarrier].
func (t *textCarrier) Set(key, value string) {
	if key == "traceparent" {
		t.traceparent = value
	}
}

// Keys implements [propagation.TextMapCarrier].
func (t *textCarrier) Keys() []string { return nil }

// openSpan begins the span of the round, as of when the round began. A call is one
// trace: under what the client says in _meta or the program around us traces, else
// under the call's first round, of which the state tells.
func (c *call) openSpan(ctx context.Context, state []byte) context.Context {
	provider := c.server.options.Tracer
	if provider == nil || c.record.span != nil {
		return ctx
	}
	format := propagation.TraceContext{}
	ctx = format.Extract(ctx, metaCarrier(c.req.meta))
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(c.record.start)}
	if before := round.DecodeState(state); c.req.modern && before != nil && before.Trace != "" {
		first := format.Extract(context.Background(), &textCarrier{before.Trace})
		if trace.SpanContextFromContext(ctx).IsValid() {
			options = append(options, trace.WithLinks(trace.LinkFromContext(first)))
		} else {
			ctx = trace.ContextWithRemoteSpanContext(ctx, trace.SpanContextFromContext(first))
		}
	}
	ctx, c.record.span = provider.Tracer(tracerName).Start(ctx, c.req.method+" "+calls.CutName(c.req.target), options...)
	return ctx
}

// traceparent is the span of the round as the state keeps it, or "".
func (c *call) traceparent(ctx context.Context) string {
	if c.record.span == nil {
		return ""
	}
	var kept textCarrier
	propagation.TraceContext{}.Inject(ctx, &kept)
	return kept.traceparent
}

// resolverSpan is the span of one resolver's run.
func (c *call) resolverSpan(ctx context.Context, key string) (context.Context, func(failed bool)) {
	ctx, span := c.server.options.Tracer.Tracer(tracerName).Start(ctx, "resolver "+key,
		trace.WithAttributes(attribute.String("mcpstar.resolver", key)))
	return ctx, func(failed bool) {
		if failed {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// endSpan ends the round's span. Texts of errors stay out of it: they can hold
// what the model has sent.
func (c *call) endSpan(ctx context.Context, r *Record) {
	c.openSpan(ctx, nil) // a round that was refused has none yet
	span := c.record.span
	if span == nil {
		return
	}
	span.SetName(r.Method + " " + r.Name)
	span.SetAttributes(
		attribute.String("mcp.method.name", r.Method),
		attribute.String("gen_ai.tool.name", r.Name),
		attribute.String("mcp.protocol.version", r.Revision),
		attribute.String("mcpstar.call", r.Call),
		attribute.Int("mcpstar.round", r.Round),
		attribute.Int("mcpstar.questions", r.Questions),
		attribute.String("mcpstar.outcome", string(r.Outcome)),
	)
	if r.Outcome != calls.OutcomeResult && r.Outcome != calls.OutcomeAsks {
		span.SetAttributes(attribute.String("error.type", string(r.Outcome)))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
