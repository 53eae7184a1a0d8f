package play

import "io"

// Lines is a server of one message a line that somebody else has started.
type Lines struct {
	In  io.WriteCloser
	Out io.ReadCloser
	// Stop ends it, Wait waits until it has ended.
	Stop func()
	Wait func()
}
