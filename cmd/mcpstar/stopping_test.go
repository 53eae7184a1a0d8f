//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The end of a whole process, as its supervisor sees it.

const stoppable = `
Yes = model(yes = bool)
def start(): return "state"
def stop(state): print("lifespan ended")
lifespan(start, stop)

def hello(name: str) -> str:
    print("running")
    while True: pass

def ask(): return elicit("Sure?", Yes)
def asks(y: resolve(ask)) -> str: return "said %s" % y.yes
tool(hello)
tool(asks)
`

// A process is a running mcpstar.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs *announcer
}

// launch starts mcpstar serve with [stoppable]; said is closed when it has printed
// when.
func launch(t *testing.T, when string, args ...string) (p *process, said chan struct{}) {
	t.Helper()
	said = make(chan struct{})
	p = &process{t: t, errs: &announcer{when: when, do: func() { close(said) }}}
	p.cmd = exec.Command(os.Args[0], append([]string{"serve", script(t, stoppable), "--max-steps", "1000000000000"}, args...)...)
	p.cmd.Env = append(os.Environ(), asCommand+"=1")
	p.cmd.Stderr = p.errs
	var err error
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewReader(out)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p, said
}

func (p *process) send(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err)
}

func (p *process) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(p.t, err, p.errs)
	return line
}

func (p *process) greet() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"0"}}}`)
	require.Contains(p.t, p.line(), `"protocolVersion"`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (p *process) signal() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
}

// ended waits for the process, which must have ended well.
func (p *process) ended() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Wait(), p.errs)
	require.Contains(p.t, p.errs.String(), "lifespan ended")
}

// wherever tries it with the scripts in the server's process, and in one of their own.
func wherever(t *testing.T, try func(t *testing.T, where []string)) {
	t.Run("here", func(t *testing.T) { try(t, nil) })
	t.Run("isolated", func(t *testing.T) { try(t, []string{"--isolate"}) })
}

func TestSignalEndsAnIdleServerOnStdio(t *testing.T) {
	wherever(t, func(t *testing.T, where []string) {
		p, _ := launch(t, "never", where...)
		p.greet()
		p.signal()
		p.ended()
	})
}

func TestSignalLetsACallGetItsAnswer(t *testing.T) {
	wherever(t, func(t *testing.T, where []string) {
		p, _ := launch(t, "never", append(where, "--grace", "1h")...)
		p.greet()
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks"}}`)
		require.Contains(t, p.line(), `"elicitation/create"`)
		p.signal()
		for refused := false; !refused; { // the signal takes its time
			p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			refused = strings.Contains(p.line(), "the server is stopping")
		}
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"yes":true}}}`)
		require.Contains(t, p.line(), "said True")
		p.ended()
	})
}

func TestSignalEndsACallThatOutlivesTheGrace(t *testing.T) {
	wherever(t, func(t *testing.T, where []string) {
		p, running := launch(t, "running", append(where, "--grace", "50ms")...)
		p.send(callHello)
		<-running
		p.signal()
		p.ended()
	})
}

func TestSecondSignalEndsTheProcessAtOnce(t *testing.T) {
	wherever(t, func(t *testing.T, where []string) {
		p, running := launch(t, "running", append(where, "--grace", "1h")...)
		p.send(callHello)
		<-running
		p.signal()
		for refused := false; !refused; {
			p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + envelope + `}}`)
			refused = strings.Contains(p.line(), "the server is stopping")
		}
		p.signal()
		var exit *exec.ExitError
		require.ErrorAs(t, p.cmd.Wait(), &exit)
		require.Equal(t, syscall.SIGTERM, exit.Sys().(syscall.WaitStatus).Signal())
	})
}

func TestSignalEndsAServerOverHTTP(t *testing.T) {
	wherever(t, func(t *testing.T, where []string) {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			p, listening := launch(t, "listening on", append(where, "--http", "127.0.0.1:0", "--grace", "50ms")...)
			<-listening
			url := regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(p.errs.String())[1]
			running := make(chan struct{})
			p.errs.await("running", func() { close(running) })
			gone := make(chan struct{})
			header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {version}}
			body := callHello
			if version == "2026-07-28" {
				header.Set("Mcp-Method", "tools/call")
				header.Set("Mcp-Name", "hello")
			} else {
				header.Set("Mcp-Session-Id", open(t, url))
				body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":{"name":"x"}}}`
			}
			go func() {
				defer close(gone)
				post(url, body, header)
			}()
			<-running
			p.signal()
			p.ended()
			<-gone
		}
	})
}

// open begins a session and gives its id.
func open(t *testing.T, url string) string {
	t.Helper()
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	got := post(url, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`, header)
	require.NotEmpty(t, got.Get("Mcp-Session-Id"))
	return got.Get("Mcp-Session-Id")
}

// post sends a message and gives the header of the response, or nil.
func post(url, body string, header http.Header) http.Header {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil
	}
	r.Header = header
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.Header
}
