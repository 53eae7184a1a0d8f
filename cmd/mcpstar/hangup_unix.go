//go:build unix

package main

import (
	"os"
	"syscall"
)

// hangup are the signals that reload.
var hangup = []os.Signal{syscall.SIGHUP}
