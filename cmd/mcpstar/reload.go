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
// process gets a SIGHUP. reloaded is told how each reload ended, and of an error that
// ends the watching. stop ends that and waits.
func keepUp(ctx context.Context, host *starhost.Host, watch bool, reloaded func(*starhost.Change, error)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	if watch {
		working.Go(func() {
			if err := host.Watch(ctx, reloaded); err != nil {
				reloaded(nil, err)
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
				reloaded(host.Reload(ctx))
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
