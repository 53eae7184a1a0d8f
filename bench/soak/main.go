// Command soak keeps a server busy for a while, and says if it grows:
//
//	go run ./bench/soak -minutes 2
//
// The load is mixed: both revisions, stdio and HTTP, connections that last and
// connections that come and go, calls that ask and calls that are cut off, and a
// reload now and then. At each tenth of the time the load pauses and the process is
// measured; after a warm-up heap and goroutines must be flat. It ends with a verdict,
// and with status 1 when a call was lost or the server grew.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpstar/mcpstar/bench/drive"
)

// longest is how long a soak may be.
const longest = 2 * time.Hour

func main() {
	minutes := flag.Float64("minutes", 2, "how long to keep the server busy, at most 120")
	flag.Parse()
	long := min(time.Duration(*minutes*float64(time.Minute)), longest)
	if err := soak(context.Background(), os.Stdout, long); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	fmt.Println("PASSED: heap and goroutines are flat, no call was lost")
}

// phases is how often the load pauses to be measured. The first fifth warms up.
const phases, warm = 10, 2

// soak runs the whole, and says what was wrong.
func soak(ctx context.Context, out io.Writer, long time.Duration) error {
	server, err := drive.Start(ctx)
	if err != nil {
		return err
	}
	l := &load{server: server}
	err = l.open()
	var sizes []drive.Size
	settled := math.MaxInt
	for phase := 0; phase < phases && err == nil; phase++ {
		l.run(ctx, long/phases)
		l.web.CloseIdleConnections() // how many the load has needed at once is chance
		size := drive.Settled(settled)
		settled = size.Goroutines
		sizes = append(sizes, size)
		fmt.Fprintf(out, "%3d%%: %s; %d calls, %d connections, %d cut off, %d reloads\n",
			(phase+1)*100/phases, size, l.took.Good(), l.connections.Load(), l.cut.Load(), l.reloads.Load())
	}
	fmt.Fprintf(out, "calls: %s\n", &l.took)
	if wrong := l.took.Errors(); len(wrong) > 0 {
		err = errors.Join(err, fmt.Errorf("calls went wrong: %w", errors.Join(wrong...)))
	}
	return errors.Join(err, flat(sizes), l.close(), server.Stop(ctx))
}

// flat compares the last measurements with the first ones after the warm-up.
func flat(sizes []drive.Size) error {
	const slackRoutines, slackHeap = 8, 2 << 20
	if len(sizes) < phases {
		return nil // something else was wrong
	}
	first, last := least(sizes[warm:warm+3]), least(sizes[phases-3:])
	if last.Goroutines > first.Goroutines+slackRoutines {
		return fmt.Errorf("goroutines grew from %d to %d", first.Goroutines, last.Goroutines)
	}
	if last.Heap > first.Heap+first.Heap/10+slackHeap {
		return fmt.Errorf("the heap grew from %d to %d bytes", first.Heap, last.Heap)
	}
	return nil
}

// least is the smallest of some measurements: what is there for a moment only does
// not count.
func least(sizes []drive.Size) drive.Size {
	size := sizes[0]
	for _, s := range sizes[1:] {
		size = drive.Size{Goroutines: min(size.Goroutines, s.Goroutines), Heap: min(size.Heap, s.Heap)}
	}
	return size
}

// A load is what keeps the server busy.
type load struct {
	server *drive.Server
	pool   []drive.Client // connections that last
	web    *http.Client   // of those over HTTP

	took                      drive.Latencies
	connections, cut, reloads atomic.Int64
}

// open makes the connections that last: of each kind two.
func (l *load) open() error {
	l.web = drive.Connections(32)
	for _, revision := range []string{drive.Handshake, drive.Rounds, drive.Handshake, drive.Rounds} {
		lines, err := drive.Stdio(l.server.Host, revision)
		if err != nil {
			return err
		}
		online, err := drive.Online(l.web, l.server.URL, revision)
		if err != nil {
			return err
		}
		l.pool = append(l.pool, lines, online)
	}
	return nil
}

func (l *load) close() error {
	var errs []error
	for _, c := range l.pool {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// run keeps the server busy for a while, and returns when all that has begun ended.
func (l *load) run(ctx context.Context, long time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	var working sync.WaitGroup
	for _, client := range l.pool {
		working.Go(func() { l.calls(ctx, client) })
	}
	working.Go(func() { l.visitors(ctx) })
	working.Go(func() { l.leavers(ctx) })
	working.Go(func() { l.reload(ctx) })
	working.Wait()
}

var tools = []string{"quote", "work", "quote", "order"}

// calls makes calls on a connection that lasts, two at a time.
func (l *load) calls(ctx context.Context, client drive.Client) {
	var both sync.WaitGroup
	for worker := range 2 {
		both.Go(func() {
			for n := worker; ctx.Err() == nil; n++ {
				l.took.Time(func() error { return client.Call(tools[n%len(tools)], fmt.Sprintf("title %d", n%150)) })
			}
		})
	}
	both.Wait()
}

// visitors come, call once, and go.
func (l *load) visitors(ctx context.Context) {
	web := drive.Connections(4)
	defer web.CloseIdleConnections()
	for n := 0; ctx.Err() == nil; n++ {
		revision := []string{drive.Handshake, drive.Rounds}[n%2]
		l.took.Time(func() error {
			var client drive.Client
			var err error
			if n%4 < 2 {
				client, err = drive.Stdio(l.server.Host, revision)
			} else {
				client, err = drive.Online(web, l.server.URL, revision)
			}
			if err != nil {
				return err
			}
			l.connections.Add(1)
			return errors.Join(client.Call("order", "title 7"), client.Close())
		})
	}
}

// leavers cut their calls off: over HTTP by leaving, on stdio by closing.
func (l *load) leavers(ctx context.Context) {
	web := drive.Connections(4)
	defer web.CloseIdleConnections()
	for ctx.Err() == nil {
		if err := drive.Leave(ctx, web, l.server.URL); err != nil && ctx.Err() == nil {
			l.took.Time(func() error { return err })
		}
		l.cut.Add(1)
	}
}

// reload serves a new version every so often.
func (l *load) reload(ctx context.Context) {
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := l.server.Reload(context.WithoutCancel(ctx)); err != nil {
			l.took.Time(func() error { return err })
		}
		l.reloads.Add(1)
	}
}
