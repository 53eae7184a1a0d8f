package isolate

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// linked are two links that talk to each other. Closing the second hangs up.
func linked(t *testing.T, here, there func(context.Context, *message) *message) (a, b *link, hangUp func()) {
	t.Helper()
	aIn, bOut := io.Pipe()
	bIn, aOut := io.Pipe()
	a, b = newLink(aOut, here), newLink(bOut, there)
	done := make(chan struct{}, 2)
	go func() { a.run(aIn); _ = aOut.Close(); a.calm(); done <- struct{}{} }()
	go func() { b.run(bIn); _ = bOut.Close(); b.calm(); done <- struct{}{} }()
	return a, b, func() {
		_ = bOut.Close()
		_ = aOut.Close()
		<-done
		<-done
	}
}

func nothing(context.Context, *message) *message { return &message{} }

func TestRequestsGoBothWaysAtOnce(t *testing.T) {
	var b *link
	a, b, hangUp := linked(t, func(_ context.Context, m *message) *message {
		return &message{Raw: json.RawMessage(`"here ` + m.Said.Text + `"`)}
	}, func(ctx context.Context, m *message) *message {
		inner, err := b.request(ctx, &message{Of: m.ID, Said: &said{Text: m.Call.Target}}, purpose{})
		if err != nil {
			return &message{Error: failed(err)}
		}
		return inner
	})
	defer hangUp()
	for _, target := range []string{"x", "<&>", strings.Repeat("y", 1<<20)} {
		m, err := a.request(t.Context(), &message{Call: &calls.Request{Target: target}}, purpose{})
		require.NoError(t, err)
		require.Equal(t, `"here `+target+`"`, string(m.Raw))
	}
}

func TestRequestTakenBackIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan struct{})
		ended := false
		a, _, hangUp := linked(t, nothing, func(ctx context.Context, _ *message) *message {
			close(begun)
			<-ctx.Done()
			ended = true
			return &message{Error: failed(ctx.Err())}
		})
		defer hangUp()
		ctx, stop := context.WithCancel(t.Context())
		go func() { <-begun; stop() }()
		_, err := a.request(ctx, &message{Call: &calls.Request{}}, purpose{})
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, ended)
	})
}

func TestHastyRequestIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := make(chan struct{})
		a, _, hangUp := linked(t, nothing, func(context.Context, *message) *message { <-deaf; return &message{} })
		a.hasty = true
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := a.request(ctx, &message{Said: &said{}}, purpose{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(deaf)
		synctest.Wait()
		require.Empty(t, a.waiting)
		hangUp()
	})
}

func TestOtherSideThatGoesLetsEverybodyGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan struct{})
		a, b, hangUp := linked(t, func(ctx context.Context, _ *message) *message {
			<-ctx.Done()
			close(stopped)
			return &message{}
		}, func(ctx context.Context, _ *message) *message {
			<-ctx.Done()
			return &message{}
		})
		asked := make(chan error, 2)
		go func() { _, err := a.request(t.Context(), &message{Call: &calls.Request{}}, purpose{}); asked <- err }()
		go func() { _, err := b.request(t.Context(), &message{Said: &said{}}, purpose{}); asked <- err }()
		synctest.Wait()
		hangUp()
		require.ErrorIs(t, <-asked, errGone)
		require.ErrorIs(t, <-asked, errGone)
		<-stopped
		_, err := a.request(t.Context(), &message{Call: &calls.Request{}}, purpose{})
		require.ErrorIs(t, err, errGone)
	})
}

// What cannot be read ends a link, and nothing else.
func TestLinkEndsAtWhatIsNoMessage(t *testing.T) {
	for _, text := range []string{"", "x", "\x05hello", strings.Repeat("\xff", 100)} {
		l := newLink(io.Discard, nothing)
		l.run(strings.NewReader(text))
		<-l.ended
	}
}

func TestErrorsCross(t *testing.T) {
	file := "lib/shop.star"
	at := func(line, col int32) engine.Span {
		start := syntax.MakePosition(&file, line, col)
		return engine.Span{Start: start, End: syntax.MakePosition(&file, line, col+3)}
	}
	problem := &engine.Problem{
		Code: "cycle", Message: "a goes round", At: engine.Label{Span: at(1, 1), Text: "here"},
		Also: []engine.Label{{Span: at(2, 1)}, {Span: at(3, 5), Text: "and here"}}, Help: "don't", Notes: []string{"a note"},
	}
	nowhere := &engine.Problem{Code: "entry", Message: "no file", Warning: true}
	whole := &report.Error{Problems: []*engine.Problem{problem, nowhere}, Sources: report.Sources{file: "abc\ndef\nif abc\n", "other.star": "unused"}}
	crossed := func(err error) error {
		var got error
		a, _, hangUp := linked(t, nothing, func(context.Context, *message) *message { return &message{Error: failed(err)} })
		defer hangUp()
		_, got = a.request(t.Context(), &message{Call: &calls.Request{}}, purpose{})
		return got
	}
	require.NoError(t, crossed(nil))
	require.EqualError(t, crossed(errors.New("plain")), "plain")
	require.ErrorIs(t, crossed(context.Canceled), context.Canceled)
	protocol := &engine.ProtocolError{Code: -32602, Message: "no", Data: json.RawMessage(`{"a":1}`)}
	require.Equal(t, protocol, crossed(protocol))
	var got *report.Error
	require.ErrorAs(t, crossed(whole), &got)
	require.Equal(t, whole.Error(), got.Error())
	require.Equal(t, whole.Problems, got.Problems)
	require.Equal(t, report.Sources{file: whole.Sources[file]}, got.Sources)
}

func TestWordsLeaveOutStacksAfterStarvation(t *testing.T) {
	const before, after = "printed\nruntime: out of memory: cannot allocate\nfatal error: out of memory\n", "\ngoroutine 1 [running]:\nmain.main()\n"
	for size := 1; size < 20; size++ {
		var out strings.Builder
		w := &words{to: &out}
		for text := before + after; text != ""; text = text[min(size, len(text)):] {
			n, err := w.Write([]byte(text[:min(size, len(text))]))
			require.NoError(t, err)
			require.Equal(t, min(size, len(text)), n)
		}
		w.end(true)
		require.Equal(t, before, out.String())
		require.True(t, w.hungry())
	}
	for _, text := range []string{"fatal error: concurrent map writes\n\ngoroutine 1", "said: fatal error: out of memory\nmore\n", "out of memory\n"} {
		var out strings.Builder
		w := &words{to: &out}
		_, _ = w.Write([]byte(text))
		require.Equal(t, text, out.String())
		require.False(t, w.hungry())
	}
}

// What a script prints is not the runtime's, if the process goes on.
func TestWordsOfAScriptAreNotLost(t *testing.T) {
	const text = "fatal error: out of memory\njoking\n"
	synctest.Test(t, func(t *testing.T) {
		for name, goOn := range map[string]func(*words){
			"it ends otherwise":  func(w *words) { w.end(false) },
			"it goes on":         func(w *words) { time.Sleep(lastWordsFor); _, _ = w.Write(nil) },
			"it says very much":  func(w *words) { _, _ = w.Write(make([]byte, lastWords)) },
			"it goes on at once": func(w *words) { _, _ = w.Write([]byte("x\n")); time.Sleep(lastWordsFor); _, _ = w.Write(nil) },
		} {
			var out strings.Builder
			w := &words{to: &out}
			_, _ = w.Write([]byte(text))
			goOn(w)
			synctest.Wait()
			require.True(t, strings.HasPrefix(out.String(), text), name)
			require.False(t, w.hungry(), name)
		}
	})
}

// A message that can't be written ends the link: its reply would never come.
func TestLinkThatCannotSendIsOver(t *testing.T) {
	l := newLink(brokenWriter{}, nothing)
	_, err := l.request(t.Context(), &message{Call: &calls.Request{}}, purpose{})
	require.ErrorIs(t, err, errGone)
	require.True(t, l.hungUp())
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }
