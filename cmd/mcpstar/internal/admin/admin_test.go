package admin

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

func begin(t *testing.T) (*Server, *Metrics) {
	t.Helper()
	m := NewMetrics("1.2.3", func() int { return 7 })
	s, err := New("0", m)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close(t.Context()) })
	return s, m
}

func get(t *testing.T, method, url, host string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	if host != "" {
		r.Host = host
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(body)
}

func TestMetricsCountCalls(t *testing.T) {
	s, m := begin(t)
	running := m.Call()
	m.Call()(wire.Record{Method: "tools/call", Report: calls.Report{Name: "order", Known: true, Outcome: calls.OutcomeResult}, Duration: 3 * time.Millisecond})
	m.Call()(wire.Record{Method: "tools/call", Report: calls.Report{Name: "order", Known: true, Outcome: calls.OutcomeLimit}, Duration: 3 * time.Second})
	m.Call()(wire.Record{Method: "tools/call", Report: calls.Report{Name: `made "up"`, Outcome: calls.OutcomeError}})
	m.Call()(wire.Record{Method: "tools/call", Report: calls.Report{Name: "made up as well", Outcome: calls.OutcomeError}})
	m.Reload(nil)
	m.Reload(errors.New("no"))

	status, text := get(t, "GET", s.URL()+"/metrics", "")
	require.Equal(t, 200, status)
	for _, line := range []string{
		"# TYPE mcpstar_calls_total counter",
		`mcpstar_calls_total{method="tools/call",name="order",outcome="result"} 1`,
		`mcpstar_calls_total{method="tools/call",name="order",outcome="limit"} 1`,
		`mcpstar_calls_total{method="tools/call",name="",outcome="error"} 2`,
		"# TYPE mcpstar_call_duration_seconds histogram",
		`mcpstar_call_duration_seconds_bucket{method="tools/call",name="order",le="0.0025"} 0`,
		`mcpstar_call_duration_seconds_bucket{method="tools/call",name="order",le="0.005"} 1`,
		`mcpstar_call_duration_seconds_bucket{method="tools/call",name="order",le="+Inf"} 2`,
		`mcpstar_call_duration_seconds_count{method="tools/call",name="order"} 2`,
		"mcpstar_limits_total 1",
		"mcpstar_calls_in_flight 1",
		"mcpstar_sessions 7",
		`mcpstar_info{version="1.2.3"} 1`,
		`mcpstar_reloads_total{outcome="ok"} 1`,
		`mcpstar_reloads_total{outcome="failed"} 1`,
	} {
		require.Contains(t, text, "\n"+line+"\n")
	}
	for _, name := range []string{"go_goroutines", "go_memstats_heap_inuse_bytes", "process_resident_memory_bytes"} {
		require.Contains(t, text, "\n"+name+" ")
	}
	require.Equal(t, 2, strings.Count(text, "mcpstar_call_duration_seconds_count"), "made-up names make no series")

	running(wire.Record{})
	_, text = get(t, "GET", s.URL()+"/metrics", "")
	require.Contains(t, text, "mcpstar_calls_in_flight 0\n")
}

func TestHealthSaysWhenTheServerStops(t *testing.T) {
	s, _ := begin(t)
	status, text := get(t, "GET", s.URL()+"/healthz", "")
	require.Equal(t, 200, status)
	require.Equal(t, "ok\n", text)
	s.Stopping()
	status, text = get(t, "GET", s.URL()+"/healthz", "")
	require.Equal(t, 503, status)
	require.Equal(t, "stopping\n", text)
}

func TestServerKeepsToLoopback(t *testing.T) {
	s, _ := begin(t)
	require.True(t, s.Loopback())
	require.True(t, strings.HasPrefix(s.URL(), "http://127.0.0.1:"), s.URL())
	for host, want := range map[string]int{
		"localhost": 200, "localhost:1": 200, "127.0.0.1:9": 200, "[::1]:9": 200, "[::1]": 200,
		"evil.example": 403, "evil.example:9": 403, "10.0.0.1": 403, "localhost.evil.example": 403,
	} {
		status, _ := get(t, "GET", s.URL()+"/healthz", host)
		require.Equal(t, want, status, host)
	}
	status, _ := get(t, "POST", s.URL()+"/healthz", "")
	require.Equal(t, 405, status)
	status, _ = get(t, "GET", s.URL()+"/", "")
	require.Equal(t, 404, status)
	_, err := New("127.0.0.1:999999", NewMetrics("", func() int { return 0 }))
	require.ErrorContains(t, err, "--admin")
}
