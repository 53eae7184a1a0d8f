// Package isolate keeps the scripts of a server in a process of their own, under a
// limit on its memory: what the guards of the interpreter can't stop ends that
// process, and not the server. The host's process keeps transports, sessions, keys
// and the clients; the other one, the worker, loads the scripts and runs the calls.
//
// A [Worker] stands for the scripts in the host's process. It starts the process, and
// another one when it ends; the calls that were in it get an error. [Serve] is the
// worker's side. Between them is a link over the worker's standard streams: requests
// in both directions, since a call asks, logs and reports on its way.
//
// A process is not a sandbox. What keeps hostile authors in is the operating system's:
// a user, a container, seccomp.
//
//	program.go   what both sides are about
//	worker.go    the host's side: start, watch, start again
//	process.go   one worker process, and why it ended; words.go is what it prints
//	call.go      a call, from the host's side
//	serve.go     the worker's side; client.go is a call's client there
//	link.go      requests in both directions over a pair of streams
//	message.go   what they say; failure.go is an error that crosses
//	memory_*.go  the limit: the kernel's where it has one, else the host watches
//
// It may import starhost/calls, starhost/load and starhost/reload. Start reading at
// [Worker].
package isolate
