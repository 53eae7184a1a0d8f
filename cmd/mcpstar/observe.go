package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcpstar/mcpstar/cmd/mcpstar/internal/admin"
	"github.com/mcpstar/mcpstar/starhost"
)

// An observer shows operators what a server does: metrics at an address of their
// own, and spans in a file. Each is there when its flag is given.
type observer struct {
	metrics *admin.Metrics
	server  *admin.Server
	spans   *sdktrace.TracerProvider
	file    io.Closer
	host    *starhost.Host
}

// newObserver makes what the flags ask for, and has a host that is not loaded yet
// tell it what it does.
func newObserver(s streams, f *serveFlags, options *starhost.Options) (*observer, error) {
	o := &observer{}
	if f.admin != "" {
		o.metrics = admin.NewMetrics(version, func() int { return o.host.Sessions() })
		options.OnCall = o.metrics.Call
	}
	if f.traceFile == "" {
		return o, nil
	}
	if err := o.openSpans(s, f.traceFile); err != nil {
		return nil, err
	}
	options.Tracer = o.spans
	return o, nil
}

// openSpans writes spans to a file, each as one line of JSON; "-" is standard
// error. An exporter that speaks OTLP would bring gRPC along and double the size
// of the command; collectors read files, and programs that embed a host bring
// their own.
func (o *observer) openSpans(s streams, name string) error {
	to := s.err
	if name != "-" {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("--trace-file: %w", err)
		}
		to, o.file = file, file
	}
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(to))
	if err != nil {
		return err
	}
	what, err := resource.Merge(resource.NewSchemaless(
		attribute.String("service.name", "mcpstar"), attribute.String("service.version", version)), resource.Environment())
	if err != nil {
		return fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	o.spans = sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(what))
	return nil
}

// open begins to answer operators about a host.
func (o *observer) open(s streams, host *starhost.Host, address string) error {
	o.host = host
	if o.metrics == nil {
		return nil
	}
	server, err := admin.New(address, o.metrics)
	if err != nil {
		return err
	}
	o.server = server
	if !server.Loopback() {
		fmt.Fprintln(s.err, "mcpstar: warning: anybody who can reach the --admin address sees the names of the tools and how they are used")
	}
	fmt.Fprintf(s.err, "metrics at %s/metrics\n", server.URL())
	return nil
}

// reloaded counts a reload.
func (o *observer) reloaded(err error) {
	if o.metrics != nil {
		o.metrics.Reload(err)
	}
}

// stopping lets operators know that no more work is taken.
func (o *observer) stopping() {
	if o.server != nil {
		o.server.Stopping()
	}
}

// close writes the last spans and ends the rest.
func (o *observer) close(ctx context.Context) error {
	if o.server != nil {
		o.server.Close(ctx)
	}
	var errs []error
	if o.spans != nil {
		errs = append(errs, o.spans.Shutdown(ctx))
	}
	if o.file != nil {
		errs = append(errs, o.file.Close())
	}
	return errors.Join(errs...)
}
