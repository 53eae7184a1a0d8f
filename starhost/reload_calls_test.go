package starhost

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	hosttest "github.com/mcpstar/mcpstar/starhost/testing"
)

// asker is a server whose tool asks one question and says what was answered.
func asker(question, reply string) string {
	return `
Answer = model(text = str)

def ask() -> Answer:
    return elicit("` + question + `", Answer)

def say(answer: resolve(ask)) -> str:
    return "` + reply + ` " + answer.text

tool(say)
`
}

func accept(text string) hosttest.Answer {
	return hosttest.Answer{Result: json.RawMessage(`{"action":"accept","content":{"text":"` + text + `"}}`)}
}

// A call that waits for an answer inside one request goes on with the code that
// it began with.
func TestACallFinishesOnTheVersionItBeganWith(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": asker("Well?", "old")})
	host := loadDir(t, f.dir, Options{})
	asked, answer := make(chan string), make(chan hosttest.Answer)
	client, err := hosttest.Connect(t.Context(), host, hosttest.Options{
		Revision: hosttest.Handshake,
		Answer: func(_ context.Context, q hosttest.Question) (hosttest.Answer, error) {
			asked <- q.Method
			return <-answer, nil
		},
	})
	require.NoError(t, err)
	defer client.Close()
	said := make(chan string)
	go func() {
		played, err := client.Call(t.Context(), "say", nil)
		if err != nil {
			said <- err.Error()
			return
		}
		said <- textOf(t, played.Reply)
	}()
	<-asked
	f.write("server.star", asker("Well?", "new"))
	_, err = host.Reload(t.Context())
	require.NoError(t, err)
	answer <- accept("yes")
	require.Equal(t, "old yes", <-said)
}

// A call of several rounds goes on with the new code: an unchanged question keeps
// its answer, a reworded one is asked again, and that is not held against it.
func TestACallOfSeveralRoundsGoesOnAfterAReload(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": asker("Well?", "one")})
	host := loadDir(t, f.dir, Options{})
	var questions []string
	reworded := []string{"Well, then?", "Well, then? Really?", "So?", "And now?", "Now."}
	client, err := hosttest.Connect(t.Context(), host, hosttest.Options{
		Answer: func(_ context.Context, q hosttest.Question) (hosttest.Answer, error) {
			var params struct{ Message string }
			if err := json.Unmarshal(q.Params, &params); err != nil {
				return hosttest.Answer{}, err
			}
			questions = append(questions, params.Message)
			if len(reworded) > 0 {
				f.write("server.star", asker(reworded[0], "two"))
				reworded = reworded[1:]
				if _, err := host.Reload(context.Background()); err != nil {
					return hosttest.Answer{}, err
				}
			} else {
				f.write("server.star", asker("Now.", "three"))
				if _, err := host.Reload(context.Background()); err != nil {
					return hosttest.Answer{}, err
				}
			}
			return accept("yes"), nil
		},
	})
	require.NoError(t, err)
	defer client.Close()
	played, err := client.Call(t.Context(), "say", nil)
	require.NoError(t, err)
	require.Equal(t, "three yes", textOf(t, played.Reply))
	require.Equal(t, []string{"Well?", "Well, then?", "Well, then? Really?", "So?", "And now?", "Now."}, questions)
}

func TestAToolThatIsGoneAnswersClearly(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": asker("Well?", "one")})
	host := loadDir(t, f.dir, Options{})
	client, err := hosttest.Connect(t.Context(), host, hosttest.Options{
		Answer: func(context.Context, hosttest.Question) (hosttest.Answer, error) {
			f.write("server.star", greeter("hello"))
			_, err := host.Reload(context.Background())
			return accept("yes"), err
		},
	})
	require.NoError(t, err)
	defer client.Close()
	played, err := client.Call(t.Context(), "say", nil)
	require.NoError(t, err)
	require.Equal(t, "Unknown tool: say", textOf(t, played.Reply))
}

// counter is a server whose lifespan makes a store.
func counter(first, version string) string {
	return `
START = ` + first + `

def open():
    s = store.memory()
    s.put("n", START)
    print("open %d" % START)
    return s

def close(s):
    print("close %d" % s.get("n"))

lifespan(open, close)

def count(ctx) -> str:
    return "` + version + ` %d" % ctx.state.add("n")

tool(count)
`
}

func TestLifespanStateIsKeptUntilItsOwnCodeChanges(t *testing.T) {
	var printed lockedText
	f := newFolder(t, map[string]string{"server.star": counter("10", "one")})
	host, err := LoadDir(t.Context(), f.dir, Options{Output: &printed})
	require.NoError(t, err)
	require.Equal(t, "one 11", call(t, host, "count"))

	f.write("server.star", counter("10", "two"))
	_, err = host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, "two 12", call(t, host, "count"), "the tool has changed, the state has not")

	f.write("server.star", counter("20", "two"))
	_, err = host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, "two 21", call(t, host, "count"), "what open() names has changed")

	require.NoError(t, host.Close(t.Context()))
	require.Equal(t, "open 10\nopen 20\nclose 12\nclose 21\n", printed.String())
}

// The old lifespan is stopped only when the last call on it has ended.
func TestAnOldLifespanWaitsForItsCalls(t *testing.T) {
	var printed lockedText
	server := func(n string) string { return counter(n, "v") + asker("Well?", "v") }
	f := newFolder(t, map[string]string{"server.star": server("10")})
	host, err := LoadDir(t.Context(), f.dir, Options{Output: &printed})
	require.NoError(t, err)
	asked, answer := make(chan bool), make(chan hosttest.Answer)
	client, err := hosttest.Connect(t.Context(), host, hosttest.Options{
		Revision: hosttest.Handshake,
		Answer: func(context.Context, hosttest.Question) (hosttest.Answer, error) {
			asked <- true
			return <-answer, nil
		},
	})
	require.NoError(t, err)
	said := make(chan error)
	go func() {
		_, err := client.Call(t.Context(), "say", nil)
		said <- err
	}()
	<-asked
	// One reload that keeps the state, and one that does not: the call is two
	// versions behind.
	f.write("server.star", server("10")+"\n# a comment\n")
	_, err = host.Reload(t.Context())
	require.NoError(t, err)
	f.write("server.star", server("20"))
	_, err = host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, "open 10\nopen 20\n", printed.String())
	answer <- accept("yes")
	require.NoError(t, <-said)
	host.scripts.(*program).background.Wait()
	require.Equal(t, "open 10\nopen 20\nclose 10\n", printed.String())
	require.NoError(t, client.Close())
	require.NoError(t, host.Close(t.Context()))
}

func TestALifespanThatFailsKeepsTheVersionBefore(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": counter("10", "one")})
	host := loadDir(t, f.dir, Options{})
	f.write("server.star", counter(`fail("no database")`, "two"))
	_, err := host.Reload(t.Context())
	require.ErrorContains(t, err, "no database")
	f.write("server.star", strings.Replace(counter("20", "two"), "s = store.memory()", `s = fail("no disk")`, 1))
	_, err = host.Reload(t.Context())
	require.ErrorContains(t, err, "no disk")
	require.Equal(t, "one 11", call(t, host, "count"))
}

// Clients are told once, and only when their list has really changed.
func TestListChangesAreToldOnce(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": greeter("old")})
	host := loadDir(t, f.dir, Options{})
	for revision, listen := range map[string]bool{hosttest.Handshake: false, hosttest.Rounds: true} {
		t.Run(revision, func(t *testing.T) {
			f.write("server.star", greeter("old"))
			_, err := host.Reload(t.Context())
			require.NoError(t, err)
			notified := make(chan string, 100)
			client, err := hosttest.Connect(t.Context(), host, hosttest.Options{
				Revision: revision,
				Notify:   func(method string, _ json.RawMessage) { notified <- method },
			})
			require.NoError(t, err)
			defer client.Close()
			if listen {
				params := client.Envelope(exactjson.Object{
					{Name: "notifications", Value: exactjson.Object{{Name: "toolsListChanged", Value: true}}},
				})
				require.NoError(t, client.Send([]byte(`{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":`+string(params)+`}`)))
				require.Equal(t, "notifications/subscriptions/acknowledged", <-notified)
			}
			// New code behind the same list is nobody's business.
			f.write("server.star", greeter("new"))
			_, err = host.Reload(t.Context())
			require.NoError(t, err)
			f.write("server.star", greeter("new")+strings.ReplaceAll(greeter("more"), "greet", "a")+strings.ReplaceAll(greeter("more"), "greet", "b"))
			_, err = host.Reload(t.Context())
			require.NoError(t, err)
			require.Equal(t, "notifications/tools/list_changed", <-notified)
			// A round trip: whatever else was on its way is here now.
			_, err = client.Call(t.Context(), "greet", nil)
			require.NoError(t, err)
			require.Empty(t, notified)
		})
	}
}

func TestAFailedReloadIsToldWhereLoggingIsOn(t *testing.T) {
	var logged lockedText
	f := newFolder(t, map[string]string{"server.star": greeter("old")})
	host := loadDir(t, f.dir, Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	notified := make(chan json.RawMessage, 10)
	client, err := hosttest.Connect(t.Context(), host, hosttest.Options{
		Revision: hosttest.Handshake,
		Notify:   func(_ string, params json.RawMessage) { notified <- params },
	})
	require.NoError(t, err)
	defer client.Close()
	reply, err := client.Request(t.Context(), "logging/setLevel", json.RawMessage(`{"level":"error"}`))
	require.NoError(t, err)
	require.Nil(t, reply.Error)
	f.write("server.star", "tool(nothing)\n")
	var told error
	host.scripts.(*program).look(t.Context(), true, func(_ *Change, err error) { told = err })
	require.ErrorContains(t, told, "undefined: nothing")
	require.Contains(t, string(<-notified), "undefined: nothing")
	require.Empty(t, logged.String(), "the caller has been told")
	f.write("server.star", "tool(nothing_else)\n")
	host.scripts.(*program).look(t.Context(), true, nil)
	require.Contains(t, string(<-notified), "undefined: nothing_else")
	require.Contains(t, logged.String(), "undefined: nothing_else")
}

// lockedText keeps what is written to it.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
