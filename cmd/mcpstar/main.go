// Command mcpstar serves and checks MCP servers written in Starlark.
//
// Exit status: 0 when all is well, 1 when a called tool ended with an error, 2
// for a wrong command line or a server that does not load, 130 when it was told to
// stop before it was done.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // time.time(location = ...) works on machines without zone files

	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], standard()))
}

// streams are the three standard streams, so that tests can have their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// terminal says that a person sits at in and err.
	terminal bool
	// color says that err shows colours.
	color bool
}

const (
	exitOK    = 0
	exitError = 1 // a tool ended with an error
	exitUsage = 2 // a wrong command line, or a server that does not load
	// exitInterrupted is what shells say of a program that was told to stop.
	exitInterrupted = 130
)

// run is the whole command with its exit status.
func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var status *exitStatus
	if errors.As(err, &status) {
		return int(*status)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(s.err, "mcpstar: interrupted")
		return exitInterrupted
	}
	s.complain(err)
	return exitUsage
}

// exitStatus ends the command with a status when all has been said.
type exitStatus int

func (e *exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(*e)) }

func exit(status int) error {
	e := exitStatus(status)
	return &e
}

// complain prints an error: a load report in colour where there is colour.
func (s streams) complain(err error) {
	var problems *report.Error
	if errors.As(err, &problems) {
		_ = report.Render(s.err, problems.Problems, problems.Sources, report.Options{Color: s.color}) // nowhere to tell
		return
	}
	fmt.Fprintln(s.err, "mcpstar:", err)
}

// failed prints where a script failed while it served, as one block.
func (s streams) failed(f calls.Failed) {
	var b strings.Builder
	_ = report.Render(&b, f.Report.Problems, f.Report.Sources, report.Options{Color: s.color}) // a Builder takes everything
	block := b.String()
	block = block[:strings.LastIndex(block, "\n\n")] // how many there are: one
	fmt.Fprintf(s.err, "%s\n\n", block)
}
