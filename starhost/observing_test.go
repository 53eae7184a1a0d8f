package starhost_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

// What an operator is told of calls: records, log lines, spans.

const observed = `
Order = model(copies = int)
def look(title): return len(title)
def ask(title, n: resolve(look)): return elicit("How many of %s?" % title, Order)
def order(title: str, o: resolve(ask)) -> str:
    if title == "endless":
        while True: pass
    if title == "broken": fail("no such book: hush-failure")
    if title == "wrong": protocol_error(-32050, "hush-error")
    return "%d" % o.copies
tool(order)
`

// A register keeps records, and how many rounds run.
type register struct {
	mu      sync.Mutex
	running int
	records []wire.Record
}

func (r *register) began() func(wire.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running++
	return func(record wire.Record) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running--
		r.records = append(r.records, record)
	}
}

// take gives the records so far, without what differs from run to run.
func (r *register) take(t *testing.T) []wire.Record {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Zero(t, r.running)
	records := r.records
	r.records = nil
	for i := range records {
		require.Positive(t, records[i].Duration)
		records[i].Duration = 0
		if i > 0 && records[i].Call != "" {
			require.Equal(t, records[0].Call, records[i].Call, "one id for one call")
		}
	}
	for i := range records {
		records[i].Call = ""
	}
	return records
}

func TestRecordTellsEachRoundOfACall(t *testing.T) {
	var kept register
	host := serveWith(t, observed, starhost.Options{OnCall: kept.began, MaxSteps: 100_000})
	about := func(revision string, round, resolvers, questions int, outcome calls.Outcome) wire.Record {
		return wire.Record{Method: "tools/call", Revision: revision, Report: calls.Report{Name: "order", Known: true,
			Round: round, Resolvers: resolvers, Questions: questions, Outcome: outcome}}
	}
	copies := answering("How many", accept(`{"copies":2}`))

	modern := connect(t, host, rounds)
	require.Equal(t, "2", modern.call("order", `{"title":"Dune"}`, copies).text())
	require.Equal(t, []wire.Record{
		about(rounds, 1, 2, 1, calls.OutcomeAsks), about(rounds, 2, 2, 0, calls.OutcomeResult),
	}, kept.take(t))

	old := connect(t, host, handshake)
	require.Equal(t, "2", old.call("order", `{"title":"Dune"}`, copies).text())
	require.Equal(t, []wire.Record{about(handshake, 1, 2, 1, calls.OutcomeResult)}, kept.take(t))

	for title, outcome := range map[string]calls.Outcome{
		"endless": calls.OutcomeLimit, "broken": calls.OutcomeError, "wrong": calls.OutcomeRefused,
	} {
		old.call("order", `{"title":"`+title+`"}`, copies)
		want := about(handshake, 1, 2, 1, outcome)
		if outcome == calls.OutcomeLimit {
			want.Limit = "stopped after 100000 steps: does a loop end? (raise the limit with --max-steps)"
		}
		require.Equal(t, []wire.Record{want}, kept.take(t))
	}
}

func TestRecordOfAnUnknownToolIsCut(t *testing.T) {
	var kept register
	host := serveWith(t, observed, starhost.Options{OnCall: kept.began})
	onName := strings.Repeat("日", 40)
	connect(t, host, rounds).once(onName, `{}`, "", nobody)
	require.Equal(t, []wire.Record{{
		Method: "tools/call", Revision: rounds,
		Report: calls.Report{Name: strings.Repeat("日", 21) + "…", Outcome: calls.OutcomeError},
	}}, kept.take(t))
}

// A panic of a program's own function ends its call, which is recorded as any other,
// and nothing else.
func TestPanicOfAGoFunctionEndsItsCallOnly(t *testing.T) {
	var kept register
	host := serveWith(t, `
def crash(x: resolve(crashing, key = "crashing")) -> str: return "?"
def fine() -> str: return "fine"
tool(crash)
tool(fine)
`, starhost.Options{OnCall: kept.began, Limits: starhost.CallLimits{Calls: 1}, Resolvers: []starhost.Resolver{{
		Name: "crashing",
		Func: func(context.Context, []starlark.Value) (starlark.Value, error) { panic("hush") },
	}}})
	url := online(t, host)
	for _, revision := range []string{handshake, rounds} {
		for _, c := range []*client{connect(t, host, revision), connectOnline(t, url, revision, `{}`)} {
			for range 3 {
				c.once("crash", `{}`, "", nobody).refused(-32603, "Internal error", ``)
			}
			require.Equal(t, "fine", c.call("fine", `{}`, nobody).text())
			kept.mu.Lock()
			records, running := kept.records, kept.running
			kept.records = nil
			kept.mu.Unlock()
			require.Zero(t, running)
			require.Len(t, records, 4)
			require.Equal(t, calls.OutcomeRefused, records[0].Outcome)
			require.Equal(t, calls.OutcomeResult, records[3].Outcome)
		}
	}
}

// The values of a template's variables are arguments, and there is no end to them.
func TestRecordOfATemplateNamesTheTemplate(t *testing.T) {
	var kept register
	out := new(printout)
	host := serveWith(t, `
def book(title: str) -> str: return title
resource("book://{title}", book)
`, starhost.Options{OnCall: kept.began, Logger: logTo(out)})
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, host, revision)
		m := c.request("resources/read", json.RawMessage(`{"uri":"book://hush"`+c.envelope()+`}`), nobody)
		require.Nil(t, m.Error)
		require.Equal(t, []wire.Record{{Method: "resources/read", Revision: revision,
			Report: calls.Report{Name: "book://{title}", Known: true, Round: 1, Outcome: calls.OutcomeResult}}}, kept.take(t))
	}
	require.NotContains(t, strings.Join(out.take(), "\n"), "hush")
}

// An operator's log has one line for a round, and nothing in it of what the call
// says: no argument, answer, result, error text, state, header or session id.
func TestLogHasOneLineForARoundAndNoSecrets(t *testing.T) {
	out := new(printout)
	logger := slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelInfo}))
	host := serveWith(t, observed, starhost.Options{Logger: logger})
	url := online(t, host)
	copies := answering("hush", accept(`{"copies":77077}`))
	for _, revision := range []string{handshake, rounds} {
		c := connectOnline(t, url, revision, allCapabilities)
		c.call("order", `{"title":"hush-argument"}`, copies)
		c.call("order", `{"title":"broken"}`, answering("How many", accept(`{"copies":77077}`)))
	}
	lines := out.take()
	require.Len(t, lines, 6)
	for _, line := range lines {
		var told map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &told))
		require.Equal(t, "call", told["msg"])
		for _, key := range []string{"tool", "revision", "call", "round", "resolvers", "questions", "outcome", "ms"} {
			require.Contains(t, told, key)
		}
		require.NotContains(t, line, "hush")
		require.NotContains(t, line, "77077")
	}
}

// Not even the debug log names a session: who knows its id can use it.
func TestDebugLogNamesNoSession(t *testing.T) {
	var text bytes.Buffer
	var mu sync.Mutex
	logger := slog.New(slog.NewTextHandler(locked{&mu, &text}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	host := serveWith(t, observed, starhost.Options{Logger: logger})
	c := connectOnline(t, online(t, host), handshake, allCapabilities)
	c.call("order", `{"title":"x"}`, answering("How many", decline))
	mu.Lock()
	defer mu.Unlock()
	require.Contains(t, text.String(), "server session connected")
	require.NotContains(t, text.String(), c.web().session)
}

type locked struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// serveTraced serves [observed] with a tracer.
func serveTraced(t *testing.T) (*starhost.Host, *tracetest.InMemoryExporter) {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	return serveWith(t, observed, starhost.Options{Tracer: provider}), spans
}

const outer = "4bf92f3577b34da6a3ce929d0e0e4736"

func TestSpansOfACallAreOneTrace(t *testing.T) {
	for name, c := range map[string]struct {
		revision, meta string
		rounds         int
	}{
		"rounds":                     {rounds, "", 2},
		"a handshake":                {handshake, "", 1},
		"rounds under a client's":    {rounds, `,"traceparent":"00-` + outer + `-00f067aa0ba902b7-01"`, 2},
		"handshake under a client's": {handshake, `,"traceparent":"00-` + outer + `-00f067aa0ba902b7-01"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			host, spans := serveTraced(t)
			client := connect(t, host, c.revision)
			client.meta = c.meta
			require.Equal(t, "2", client.call("order", `{"title":"Dune"}`, answering("", accept(`{"copies":2}`))).text())

			calls := map[trace.SpanID]tracetest.SpanStub{}
			var resolvers []string
			traces := map[string]bool{}
			for _, s := range spans.GetSpans() {
				traces[s.SpanContext.TraceID().String()] = true
				if s.SpanKind == trace.SpanKindServer {
					require.Equal(t, "tools/call order", s.Name)
					calls[s.SpanContext.SpanID()] = s
				}
			}
			for _, s := range spans.GetSpans() {
				if s.SpanKind != trace.SpanKindServer {
					require.Contains(t, calls, s.Parent.SpanID(), "%s is a child of its round", s.Name)
					resolvers = append(resolvers, s.Name)
				}
			}
			require.Len(t, calls, c.rounds)
			require.Len(t, traces, 1)
			if c.meta != "" {
				require.Contains(t, traces, outer)
			}
			want := []string{"resolver shop:look", "resolver shop:ask"}
			if c.rounds == 2 {
				want = append(want, want...)
			}
			require.Equal(t, want, resolvers)
		})
	}
}

func TestSpansOfFailuresSaySo(t *testing.T) {
	host, spans := serveTraced(t)
	connect(t, host, handshake).call("order", `{"title":"broken"}`, answering("", accept(`{"copies":2}`)))
	for _, s := range spans.GetSpans() {
		failed := s.SpanKind == trace.SpanKindServer
		require.Equal(t, failed, s.Status.Code.String() == "Error", s.Name)
		require.Empty(t, s.Status.Description)
		for _, a := range s.Attributes {
			require.NotContains(t, a.Value.Emit(), "hush")
		}
	}
	spans.Reset()
	connect(t, host, rounds).once("nothing", `{}`, "", nobody)
	require.Len(t, spans.GetSpans(), 1)
	require.Equal(t, "tools/call nothing", spans.GetSpans()[0].Name)
}
