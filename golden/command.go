package golden

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/mcpstar/mcpstar/golden/play"
	"github.com/mcpstar/mcpstar/golden/transcript"
)

// command starts the program that a transcript names as its server, in the
// folder of the transcript.
func command(t *transcript.Transcript) func(context.Context) (play.Lines, error) {
	return func(ctx context.Context) (play.Lines, error) {
		ctx, stop := context.WithCancel(ctx)
		cmd := exec.CommandContext(ctx, t.Command[0], t.Command[1:]...)
		cmd.Dir = filepath.Dir(t.Name)
		cmd.Stderr = os.Stderr
		cmd.WaitDelay = time.Second
		in, err := cmd.StdinPipe()
		if err != nil {
			stop()
			return play.Lines{}, err
		}
		// A pipe of our own: the command's would be closed by Wait, which may come
		// before all is read.
		out, theirs, err := os.Pipe()
		if err != nil {
			stop()
			return play.Lines{}, err
		}
		cmd.Stdout = theirs
		err = cmd.Start()
		_ = theirs.Close()
		if err != nil {
			stop()
			_ = out.Close()
			return play.Lines{}, err
		}
		return play.Lines{In: in, Out: out, Stop: stop, Wait: func() { _ = cmd.Wait() }}, nil
	}
}
