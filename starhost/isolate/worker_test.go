package isolate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/reload"
)

// asWorker is the argument that makes this test binary a worker.
const asWorker = "worker-of-tests"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asWorker {
		open := func(context.Context, func(string)) (Program, error) { return &toy{}, nil }
		if Serve(os.Stdin, os.Stdout, open) != nil {
			os.Exit(1)
		}
		return
	}
	_ = os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=10") // processes that tests start end at once
	goleak.VerifyTestMain(m)
}

// A toy is a program without scripts: its calls do what their target says.
type toy struct{ stays atomic.Bool }

var offered = &calls.Offer{Name: "toy"}

func (p *toy) Offer() *calls.Offer     { return offered }
func (p *toy) Attach(a calls.Audience) { a.Offered(&calls.Offer{}, offered) }
func (p *toy) Reload(context.Context) (*reload.Change, error) {
	return &reload.Change{Compiled: 3}, nil
}
func (p *toy) Watch(ctx context.Context, _ func(*reload.Change, error)) error {
	<-ctx.Done()
	return nil
}
func (p *toy) Close(context.Context) error {
	if p.stays.Load() {
		select {}
	}
	return nil
}

var hoard [][]byte

func (p *toy) Call(ctx context.Context, req *calls.Request, client calls.Client) (*calls.Answer, error) {
	say := func(text string) (*calls.Answer, error) {
		return &calls.Answer{Members: exactjson.Object{{Name: "said", Value: text}, {Name: "raw", Value: json.RawMessage(`[1.50]`)}}}, nil
	}
	switch req.Target {
	case "exit":
		os.Exit(7)
	case "hoard":
		for {
			block := make([]byte, 1<<20)
			for i := range block {
				block[i] = 1
			}
			hoard = append(hoard, block)
			if ctx.Err() != nil {
				return say("stopped")
			}
		}
	case "freeze":
		freeze()
	case "shout":
		fmt.Fprintln(os.Stderr, "fatal error: out of memory\nhush")
	case "stay":
		p.stays.Store(true)
	case "environment":
		return say(os.Getenv("MCPSTAR_SECRET") + os.Getenv("OTHER"))
	}
	return say(req.Target)
}

func started(t *testing.T, options Options) *Worker {
	t.Helper()
	options.Command = []string{os.Args[0], asWorker}
	w, err := Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close(context.Background())) })
	return w
}

func answered(t *testing.T, w *Worker, target string) string {
	t.Helper()
	answer, err := w.Call(t.Context(), &calls.Request{Method: "tools/call", Target: target}, nil)
	require.NoError(t, err)
	text, err := exactjson.Append(nil, answer.Members, "", exactjson.Limits{})
	require.NoError(t, err)
	return string(text)
}

func TestWorkerEndsAndBeginsAgain(t *testing.T) {
	w := started(t, Options{})
	require.Equal(t, "toy", w.Offer().Name)
	for range 3 {
		require.Equal(t, `{"said":"hi","raw":[1.50]}`, answered(t, w, "hi"))
		require.Contains(t, answered(t, w, "exit"), "the scripts' process ended in the middle of its work (exit status 7); it is started again")
	}
	change, err := w.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, &reload.Change{Compiled: 3}, change)
}

// Where a process can't limit itself the host looks at it.
func TestWatchedWorkerIsEndedWhenItHasTooMuch(t *testing.T) {
	w := started(t, Options{Memory: 200 << 20, watched: time.Millisecond})
	require.Contains(t, answered(t, w, "hoard"), "the scripts' process needed more than 200 MiB of memory and was ended")
	require.Contains(t, answered(t, w, "hi"), "hi")
}

func TestWorkerHasNoSecretsOfItsHost(t *testing.T) {
	t.Setenv("MCPSTAR_SECRET", "hush")
	t.Setenv("OTHER", "open")
	require.Contains(t, answered(t, started(t, Options{}), "environment"), `"said":"open"`)
}

func TestCancelledCallIsStoppedInTheWorker(t *testing.T) {
	w := started(t, Options{})
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	answer, err := w.Call(ctx, &calls.Request{Method: "tools/call", Target: "hoard"}, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded, "nobody waits any more")
	require.Equal(t, "stopped", string(answer.Members[0].Value.(json.RawMessage)[1:8]))
}

// A process that neither answers nor ends is ended.
func TestFrozenWorkerIsReplaced(t *testing.T) {
	w := started(t, Options{asked: 20 * time.Millisecond})
	require.Contains(t, answered(t, w, "freeze"), "the scripts' process did not answer any more and was ended")
	require.Contains(t, answered(t, w, "hi"), "hi")
}

func TestWorkerThatDoesNotEndIsKilled(t *testing.T) {
	w, err := Start(t.Context(), Options{Command: []string{os.Args[0], asWorker}})
	require.NoError(t, err)
	require.Contains(t, answered(t, w, "stay"), "stay")
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	require.ErrorContains(t, w.Close(ctx), "did not end when it was told to; it was killed")
}

// blocked is a standard error that nobody reads.
type blocked chan struct{}

func (b blocked) Write([]byte) (int, error) { <-b; return 0, errors.New("broken") }

func TestWorkerIsReplacedThoughNobodyReadsItsWords(t *testing.T) {
	stderr := make(blocked)
	t.Cleanup(func() { close(stderr) })
	w := started(t, Options{Stderr: stderr, Logger: slog.New(slog.NewTextHandler(stderr, nil))})
	require.Contains(t, answered(t, w, "shout"), "shout")
	for range 2 {
		require.Contains(t, answered(t, w, "exit"), "(exit status 7); it is started again", "what a script prints is no verdict")
		require.Contains(t, answered(t, w, "hi"), "hi")
	}
}

func TestWorkerWithoutACommandIsRefused(t *testing.T) {
	_, err := Start(t.Context(), Options{})
	require.ErrorContains(t, err, "the command that starts a worker is not set")
}
