// Package admin is what operators ask a running server over HTTP, at an address
// of its own: /healthz for whoever decides if it gets traffic, /metrics for
// Prometheus. It knows what the host tells it and nothing of the protocol.
//
// Start reading at [New].
package admin
