package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/mcpstar/mcpstar/starhost"
)

// keepUp reloads the server when its files change, if watch is set, and when the
// process gets a SIGHUP. reloaded is told how each reload ended. stop ends that and
// waits.
func keepUp(ctx context.Context, s streams, host *starhost.Host, watch bool, reloaded func(error)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	console := func(change *starhost.Change, err error) {
		reloaded(err)
		s.reloaded(change, err)
	}
	if watch {
		working.Go(func() {
			if err := host.Watch(ctx, console); err != nil {
				s.complain(err)
			}
		})
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, hangup...)
	working.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				console(host.Reload(ctx))
			}
		}
	})
	return func() {
		signal.Stop(hangups)
		cancel()
		working.Wait()
	}
}

// reloaded prints one line for a reload, or the report of what is wrong.
func (s streams) reloaded(change *starhost.Change, err error) {
	if err != nil {
		s.complain(err)
		fmt.Fprintln(s.err, "reload failed; the version before goes on serving")
		return
	}
	fmt.Fprintf(s.err, "reloaded in %s: %s\n", change.Took.Round(time.Millisecond), change)
}
