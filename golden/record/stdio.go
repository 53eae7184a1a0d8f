package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"sync"
	"time"
)

// Stdio starts a command and stands between it and a client, until one of them
// has gone or ctx ends. Every byte goes on as it came. The error is that of
// starting the command, or of its end.
func Stdio(ctx context.Context, r *Recorder, command []string, in io.Reader, out, errs io.Writer) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = errs
	cmd.WaitDelay = 2 * time.Second
	toServer, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	fromServer, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { // it may hang in a read of the client's when the server has gone
		relay(in, toServer, r.Client)
		_ = toServer.Close()
	}()
	var reading sync.WaitGroup
	reading.Go(func() {
		relay(fromServer, out, func(line []byte) { r.Server(line, 0) })
	})
	reading.Wait()
	err = cmd.Wait()
	var ended *exec.ExitError
	if ctx.Err() != nil || errors.As(err, &ended) {
		return nil // how the server ends is its own affair
	}
	return err
}

// relay passes lines on, and shows each to see before it goes.
func relay(from io.Reader, to io.Writer, see func([]byte)) {
	in := bufio.NewReader(from)
	for {
		line, err := in.ReadBytes('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			see(text)
		}
		if len(line) > 0 {
			if _, err := to.Write(line); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
