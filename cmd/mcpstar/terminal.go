package main

import (
	"os"

	"golang.org/x/term"
)

// standard are the process's own streams.
func standard() streams {
	in, err := term.IsTerminal(int(os.Stdin.Fd())), term.IsTerminal(int(os.Stderr.Fd()))
	return streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		terminal: in && err,
		color:    err && os.Getenv("NO_COLOR") == "",
	}
}
