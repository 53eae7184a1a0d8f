package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/isolate"
)

// isolateFlags are the flags of mcpstar serve that have the scripts run by a process
// of their own.
type isolateFlags struct {
	on     bool
	memory size
}

func (f *isolateFlags) add(cmd *cobra.Command) {
	f.memory = isolate.DefaultMemory
	cmd.Flags().BoolVar(&f.on, "isolate", false, "run the scripts in a process of their own: what no other limit stops ends that process and not the server")
	cmd.Flags().Var(&f.memory, "isolate-memory", "with --isolate, how much memory that process may have")
}

// isolation is what the flags ask for; nil for nothing. The worker is this very
// command, on Linux also when another version has taken its place on disk.
func (f *isolateFlags) isolation(s streams, path string, serve *serveFlags) (*starhost.Isolation, error) {
	if !f.on {
		return nil, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("--isolate: %w", err)
	}
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		self = running
	}
	command := []string{self, workerName,
		fmt.Sprintf("--isolate-memory=%d", f.memory), fmt.Sprintf("--max-call-age=%s", serve.maxCallAge),
		"--log-format=" + serve.logFormat, "--log-level=" + serve.logLevel, fmt.Sprintf("--color=%t", s.color)}
	return &starhost.Isolation{Command: append(append(command, serve.limits.args()...), "--", path), Memory: int64(f.memory)}, nil
}

// workerName is the command by which serve --isolate starts a worker. It is not for
// people.
const workerName = "worker"

func newWorker(s streams) *cobra.Command {
	f := serveFlags{isolate: isolateFlags{on: true}}
	cmd := &cobra.Command{
		Use:    workerName + " PATH",
		Short:  "Run scripts for mcpstar serve --isolate, which starts this",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE:   func(_ *cobra.Command, args []string) error { return work(s, args[0], &f) },
	}
	f.addScriptFlags(cmd)
	f.isolate.add(cmd)
	cmd.Flags().BoolVar(&s.color, "color", false, "standard error shows colours")
	return cmd
}

// work serves scripts to the process that has started this one. Signals are that
// process's: a terminal sends them to both.
func work(s streams, path string, f *serveFlags) error {
	if s.terminal {
		return errors.New("worker is started by mcpstar serve --isolate")
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	signal.Ignore(hangup...)
	options, err := f.scriptOptions(s)
	if err != nil {
		return err
	}
	f.limits.tuneMemory(int64(f.isolate.memory) / 8 * 7)
	if s.out == os.Stdout {
		os.Stdout = os.Stderr // whoever writes there by mistake does not break the link
	}
	return starhost.Work(path, options, s.in, s.out)
}
