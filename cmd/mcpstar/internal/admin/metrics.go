package admin

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/VictoriaMetrics/metrics"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

// durations are the upper bounds of the buckets that durations are counted in,
// in seconds: most calls take well under a millisecond, some wait for a person.
var durations = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// Metrics count what a server does. They are safe for concurrent use.
type Metrics struct {
	set     *metrics.Set
	running atomic.Int64
}

// NewMetrics begins to count. sessions tells how many are open at the moment.
func NewMetrics(version string, sessions func() int) *Metrics {
	metrics.ExposeMetadata(true) // the types of metrics; the library has no other place to say it
	m := &Metrics{set: metrics.NewSet()}
	m.set.NewGauge("mcpstar_calls_in_flight", func() float64 { return float64(m.running.Load()) })
	m.set.NewGauge("mcpstar_sessions", func() float64 { return float64(sessions()) })
	m.set.NewGauge(fmt.Sprintf("mcpstar_info{version=%q}", version), func() float64 { return 1 })
	m.set.NewCounter(`mcpstar_reloads_total{outcome="ok"}`)
	m.set.NewCounter(`mcpstar_reloads_total{outcome="failed"}`)
	m.set.NewCounter(`mcpstar_limits_total`)
	return m
}

// Call counts a round of a call; what it returns is for the round's end.
func (m *Metrics) Call() (ended func(wire.Record)) {
	m.running.Add(1)
	return func(r wire.Record) {
		m.running.Add(-1)
		name := r.Name
		if !r.Known {
			name = "" // or clients could make up any number of series
		}
		m.set.GetOrCreateCounter(fmt.Sprintf("mcpstar_calls_total{method=%q,name=%q,outcome=%q}", r.Method, name, r.Outcome)).Inc()
		m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("mcpstar_call_duration_seconds{method=%q,name=%q}", r.Method, name), durations).
			Update(r.Duration.Seconds())
		if r.Outcome == calls.OutcomeLimit {
			m.set.GetOrCreateCounter("mcpstar_limits_total").Inc()
		}
	}
}

// Reload counts a reload, which failed if err is not nil.
func (m *Metrics) Reload(err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.set.GetOrCreateCounter(fmt.Sprintf("mcpstar_reloads_total{outcome=%q}", outcome)).Inc()
}

// write writes everything as Prometheus reads it.
func (m *Metrics) write(w io.Writer) {
	m.set.WritePrometheus(w)
	metrics.WriteGoMetrics(w)
	metrics.WriteProcMetrics(w)
}
