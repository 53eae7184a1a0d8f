package isolate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpstar/mcpstar/engine"
)

// A process is one worker process.
type process struct {
	cmd   *exec.Cmd
	in    io.Closer
	link  *link
	began time.Time

	words   *words
	overfed atomic.Bool            // the host has ended it for its memory
	silent  atomic.Bool            // the host has ended it because it did not answer
	leaving atomic.Pointer[string] // why it ends, by its own word
	ready   atomic.Bool            // it has loaded the scripts
	ended   chan struct{}
	how     error // of cmd.Wait; valid when ended
	memory  int64 // the limit, for what is said of its end
}

// launch starts a worker process. Its end closes ended, when the link has let go of
// all who waited.
func (o *Options) launch(handle func(context.Context, *process, *message) *message, heard func(*message)) (*process, error) {
	p := &process{words: &words{to: o.Stderr}, ended: make(chan struct{}), memory: o.Memory, began: time.Now()}
	p.cmd = exec.Command(o.Command[0], o.Command[1:]...)
	p.cmd.Env = workerEnv(os.Environ())
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	said, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the process for the scripts did not start: %w", err)
	}
	p.in = in
	p.link = newLink(in, func(ctx context.Context, m *message) *message { return handle(ctx, p, m) })
	p.link.heard = func(m *message) {
		if m.Leaving != "" {
			p.leaving.Store(&m.Leaving)
			time.AfterFunc(patience, p.kill) // it may hang in saying so to standard error
			return
		}
		heard(m)
	}
	p.attend(out, said)
	return p, nil
}

// attend reads what the worker says until its end, in goroutines of its own.
func (p *process) attend(out, said io.Reader) {
	go func() {
		<-p.link.ended // a worker that nobody can talk to is of no use
		time.AfterFunc(patience, p.kill)
	}()
	heardAll := make(chan struct{})
	go func() {
		defer close(heardAll)
		_, _ = io.Copy(p.words, said)
	}()
	go func() {
		defer close(p.ended)
		p.link.run(out)
		select { // Wait wants all to be read, but whoever reads after us may be slow, or not read at all
		case <-heardAll:
		case <-time.After(patience):
		}
		p.how = p.cmd.Wait()
		p.words.end(fatal(p.cmd.ProcessState))
	}()
}

// patience is how long a worker may take to end when there is nothing left to do.
const patience = 2 * time.Second

// fatal reports whether a process has ended as one of Go's does that finds no memory:
// by the runtime, the race detector, or C.
func fatal(s *os.ProcessState) bool {
	const ofRuntime, ofRaceDetector = 2, 66
	return s != nil && (s.ExitCode() == ofRuntime || s.ExitCode() == ofRaceDetector || s.ExitCode() < 0 && strings.Contains(s.String(), "abort"))
}

// workerEnv is the environment of a worker: the host's without its secrets.
func workerEnv(env []string) []string {
	var kept []string
	for _, v := range env {
		if !strings.HasPrefix(v, "MCPSTAR_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// begin has the worker load the scripts, with a limit on its memory that it keeps
// itself, if it can.
func (p *process) begin(ctx context.Context, memory int64) (*ready, error) {
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, func() { p.endUnready() }) })()
	m, err := p.link.request(ctx, &message{Begin: &begin{Memory: memory}}, purpose{})
	if errors.Is(err, errGone) {
		<-p.ended
		return nil, errDied{errors.New(p.died())}
	}
	if err != nil {
		return nil, err
	}
	p.ready.Store(true)
	return m.Ready, nil
}

// endUnready ends a process that does not notice that nobody waits for it.
func (p *process) endUnready() {
	if !p.ready.Load() {
		p.kill()
	}
}

// errDied is why a process did not begin that has ended before it could say why.
type errDied struct{ error }

// ask makes sure that the process is alive, every so often, until it has ended. One
// that is frozen takes no request and no end from us; what waits for it would wait for
// ever.
func (p *process) ask(every, longest time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-ticker.C:
		}
		answered := make(chan struct{})
		go func() { // writing may hang as well
			defer close(answered)
			_, _ = p.link.request(context.Background(), &message{Ping: true}, purpose{})
		}()
		late := time.NewTimer(longest)
		select {
		case <-answered:
		case <-late.C:
			p.silent.Store(true)
			p.kill()
			<-answered
		}
		late.Stop()
	}
}

// watch ends the process when it takes up more than its limit. It is for systems on
// which a process can't limit itself.
func (p *process) watch(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-ticker.C:
		}
		if size, err := resident(p.cmd.Process.Pid); err == nil && size > p.memory {
			p.overfed.Store(true)
			p.kill()
		}
	}
}

// kill ends the process at once.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // it may have ended by itself

// died says why the process ended, for models and operators. It waits for the end.
func (p *process) died() string {
	<-p.ended
	if p.overfed.Load() || p.words.hungry() {
		return fmt.Sprintf("the scripts' process needed more than %s of memory and was ended; ask for less, or a part at a time (raise the limit with --isolate-memory)", engine.Size(p.memory))
	}
	if p.silent.Load() {
		return "the scripts' process did not answer any more and was ended; it is started again"
	}
	if why := p.leaving.Load(); why != nil {
		return "the scripts' process was ended, because " + *why + "; it is started again"
	}
	how := "it ended"
	if p.how != nil {
		how = p.how.Error()
	}
	if !p.ready.Load() {
		return fmt.Sprintf("the scripts' process ended before it was ready (%s)", how)
	}
	return fmt.Sprintf("the scripts' process ended in the middle of its work (%s); it is started again", how)
}

// close has the worker end its scripts, and waits for its end.
func (p *process) close(ctx context.Context) error {
	closed := make(chan error, 1)
	go func() {
		_, err := p.link.request(ctx, &message{Close: true}, purpose{})
		closed <- err
	}()
	late := make(chan struct{})
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, func() { close(late) }) })()
	select {
	case err := <-closed:
		p.dismiss(patience)
		if errors.Is(err, errGone) {
			return nil // it has ended without being told
		}
		return err
	case <-late:
		p.dismiss(0)
		<-closed
		return errors.New("the scripts' process did not end when it was told to; it was killed")
	}
}

// dismiss hangs up, and kills a process that does not end by itself.
func (p *process) dismiss(within time.Duration) {
	timer := time.AfterFunc(within, p.kill)
	defer timer.Stop()
	_ = p.in.Close() // it may be closed
	<-p.ended
}
