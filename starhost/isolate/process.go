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
	leaving atomic.Pointer[string] // why it ends, by its own word
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
	p.cmd.Stderr = p.words
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
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
			return
		}
		heard(m)
	}
	go func() {
		defer close(p.ended)
		p.link.run(out)
		const patience = 2 * time.Second // a worker that has closed its output is of no use
		late := time.AfterFunc(patience, p.kill)
		defer late.Stop()
		p.how = p.cmd.Wait() // only when all has been read
	}()
	return p, nil
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
	m, err := p.link.request(ctx, &message{Begin: &begin{Memory: memory}}, nil)
	if errors.Is(err, errGone) {
		<-p.ended
		return nil, errors.New(p.died())
	}
	if err != nil {
		return nil, err
	}
	return m.Ready, nil
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
	if why := p.leaving.Load(); why != nil {
		return "the scripts' process was ended, because " + *why + "; it is started again"
	}
	how := "it ended"
	if p.how != nil {
		how = p.how.Error()
	}
	return fmt.Sprintf("the scripts' process ended in the middle of its work (%s); it is started again", how)
}

// close has the worker end its scripts, and waits for its end.
func (p *process) close(ctx context.Context) error {
	within := 5 * time.Second
	if end, ok := ctx.Deadline(); ok {
		within = max(time.Until(end), 0)
	}
	_, err := p.link.request(ctx, &message{Close: &closing{Within: within}}, nil)
	if errors.Is(err, errGone) {
		err = nil // it has ended without being told
	}
	p.dismiss(within)
	return err
}

// dismiss hangs up, and kills a process that does not end by itself.
func (p *process) dismiss(within time.Duration) {
	_ = p.in.Close() // it may be closed
	const least = 2 * time.Second
	timer := time.AfterFunc(max(within, least), p.kill)
	defer timer.Stop()
	<-p.ended
}
