// Command crowd has many clients come at once, and says if anybody was lost:
//
//	go run ./bench/crowd
//	go run ./bench/crowd -calls 500 -sessions 2000
//
// First -calls calls on one stdio connection, all of which wait for an answer at the
// same moment on 2025-11-25 and then all come back on 2026-07-28; then -sessions
// sessions over HTTP, open at the same time. It ends with a verdict, and with status
// 1 when a call was lost or something was left behind. Clients and server are in the
// one process that is measured, so the figures are upper bounds of a server's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/mcpstar/mcpstar/bench/drive"
)

func main() {
	calls := flag.Int("calls", 500, "calls at once on one stdio connection, at most 1,000")
	sessions := flag.Int("sessions", 2000, "sessions over HTTP at once, at most 4,000")
	flag.Parse()
	if err := crowd(context.Background(), os.Stdout, min(*calls, 1000), min(*sessions, 4000)); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	fmt.Println("PASSED: nobody was lost, nothing was left behind")
}

// crowd runs the whole, and says what was wrong.
func crowd(ctx context.Context, out io.Writer, calls, sessions int) (err error) {
	empty := drive.Measure()
	server, err := drive.Start(ctx)
	if err != nil {
		return err
	}
	idle := drive.Measure()
	fmt.Fprintf(out, "idle: %s\n", idle)
	err = errors.Join(
		onePipe(out, server, drive.Handshake, calls, idle),
		onePipe(out, server, drive.Rounds, calls, idle),
		online(out, server, sessions, idle),
		server.Stop(ctx))
	end := drive.Settled(empty.Goroutines)
	fmt.Fprintf(out, "after the end: %s\n", end)
	if end.Goroutines > empty.Goroutines {
		err = errors.Join(err, fmt.Errorf("%d goroutines were left behind", end.Goroutines-empty.Goroutines))
	}
	return err
}

// onePipe makes all calls at once on one stdio connection.
func onePipe(out io.Writer, server *drive.Server, revision string, calls int, idle drive.Size) error {
	lines, err := drive.Stdio(server.Host, revision)
	if err != nil {
		return err
	}
	if revision == drive.Handshake {
		lines.Hold(calls)
	}
	var took drive.Latencies
	var all sync.WaitGroup
	for n := range calls {
		all.Go(func() {
			took.Time(func() error { return lines.Call("order", fmt.Sprintf("title %d", n)) })
		})
	}
	all.Wait()
	open := drive.Measure()
	err = lines.Close()
	fmt.Fprintf(out, "stdio, %s, %d calls at once: %s; then %s\n", revision, calls, &took, open)
	return errors.Join(err, verdict(&took, calls), left(idle))
}

// online keeps many sessions open over HTTP, each of which calls.
func online(out io.Writer, server *drive.Server, sessions int, idle drive.Size) error {
	const atOnce = 64 // requests; sessions are as many as there are
	pool := drive.Connections(atOnce)
	clients := make([]*drive.Web, sessions)
	var opened, took drive.Latencies
	each(sessions, atOnce, func(n int) {
		opened.Time(func() (err error) {
			clients[n], err = drive.Online(pool, server.URL, drive.Handshake)
			return err
		})
	})
	if wrong := opened.Errors(); len(wrong) > 0 {
		return fmt.Errorf("%d sessions did not open: %w", len(wrong), wrong[0])
	}
	each(sessions, atOnce, func(n int) {
		for _, tool := range []string{"quote", "order"} {
			took.Time(func() error { return clients[n].Call(tool, fmt.Sprintf("title %d", n)) })
		}
	})
	open := drive.Measure()
	each(sessions, atOnce, func(n int) { _ = clients[n].Close() })
	pool.CloseIdleConnections()
	fmt.Fprintf(out, "HTTP, %d sessions: open %s; calls %s\n", sessions, &opened, &took)
	fmt.Fprintf(out, "  with all of them open: %s, %.1f goroutines and %.0f KiB a session\n", open,
		float64(open.Goroutines-idle.Goroutines)/float64(sessions), float64(int64(open.Heap)-int64(idle.Heap))/1024/float64(sessions))
	err := errors.Join(verdict(&took, 2*sessions), left(idle))
	if grown := open.Goroutines - idle.Goroutines; grown > 4*sessions+4*atOnce {
		err = errors.Join(err, fmt.Errorf("%d goroutines for %d sessions", grown, sessions))
	}
	return err
}

// each runs do for all numbers below n, so many at once.
func each(n, atOnce int, do func(int)) {
	numbers := make(chan int)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for i := range numbers {
				do(i)
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	all.Wait()
}

func verdict(took *drive.Latencies, want int) error {
	if wrong := took.Errors(); len(wrong) > 0 {
		return fmt.Errorf("calls went wrong: %w", errors.Join(wrong...))
	}
	if took.Good() != want {
		return fmt.Errorf("%d of %d calls were lost", want-took.Good(), want)
	}
	return nil
}

// left is an error when more is there than when nobody had come.
func left(idle drive.Size) error {
	const slack, heap = 2, 32 << 20 // caches, and what a pool keeps
	now := drive.Settled(idle.Goroutines + slack)
	if now.Goroutines > idle.Goroutines+slack || now.Heap > idle.Heap+heap {
		return fmt.Errorf("left behind: %s, before %s", now, idle)
	}
	return nil
}
