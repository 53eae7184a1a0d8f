package drive

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"

	"github.com/mcpstar/mcpstar/starhost"
)

// Lines is a client of one stdio connection, which any number of calls may share.
type Lines struct {
	revision string
	out      *os.File
	served   chan error
	read     chan struct{} // closed when there is no more to read

	writing sync.Mutex
	mu      sync.Mutex
	ids     int
	waiting map[string]chan *frame
	held    []string // answers that wait, while hold is set
	hold    int      // how many questions are to come before any is answered
	err     error
}

// Stdio connects to a host over a pair of pipes.
func Stdio(host *starhost.Host, revision string) (*Lines, error) {
	theirs, mine, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	l := &Lines{revision: revision, out: mine, served: make(chan error, 1), read: make(chan struct{}), waiting: map[string]chan *frame{}}
	go func() {
		l.served <- errors.Join(host.ServeStdio(context.Background(), theirs, out), out.Close())
	}()
	go l.readAll(in)
	if revision == Rounds {
		return l, nil
	}
	if _, err := l.request("initialize", greeting); err != nil {
		return nil, err
	}
	return l, l.write(initialized)
}

// Hold keeps answers to questions back until n of them were asked, so that as many
// calls wait at the same time.
func (l *Lines) Hold(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold = n
}

func (l *Lines) readAll(in *os.File) {
	defer close(l.read)
	defer in.Close()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			l.fail(err)
			return
		}
		f, err := decode(line)
		if err != nil {
			l.fail(err)
			return
		}
		switch {
		case f.Method != "" && f.ID != nil:
			l.asked(answer(f.ID))
		case f.Method == "":
			l.arrived(f)
		}
	}
}

func (l *Lines) asked(answer string) {
	l.mu.Lock()
	l.held = append(l.held, answer)
	var now []string
	if len(l.held) >= l.hold {
		now, l.held, l.hold = l.held, nil, 0
	}
	l.mu.Unlock()
	for _, text := range now {
		if err := l.write(text); err != nil {
			l.fail(err)
		}
	}
}

func (l *Lines) arrived(f *frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ch := l.waiting[string(f.ID)]; ch != nil {
		ch <- f
		delete(l.waiting, string(f.ID))
	}
}

// fail ends all calls that wait.
func (l *Lines) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
	for id, ch := range l.waiting {
		close(ch)
		delete(l.waiting, id)
	}
}

func (l *Lines) write(line string) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := io.WriteString(l.out, line+"\n")
	return err
}

func (l *Lines) request(method, params string) (*frame, error) {
	ch := make(chan *frame, 1)
	l.mu.Lock()
	l.ids++
	id := strconv.Itoa(l.ids)
	err := l.err
	if err == nil {
		l.waiting[id] = ch
	}
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := l.write(request(id, method, params)); err != nil {
		return nil, err
	}
	if f := <-ch; f != nil {
		return f, nil
	}
	return nil, errors.New("the connection ended before the answer")
}

// Call implements [Client].
func (l *Lines) Call(tool, title string) error {
	resume := ""
	for {
		f, err := l.request("tools/call", params(l.revision, tool, title, resume))
		if err != nil {
			return err
		}
		if resume, err = f.outcome(tool, title); err != nil || resume == "" {
			return err
		}
	}
}

// Close implements [Client].
func (l *Lines) Close() error {
	err := errors.Join(l.out.Close(), <-l.served)
	<-l.read
	return err
}
