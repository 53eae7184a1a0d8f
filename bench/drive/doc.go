// Package drive puts load on a host: a server to drive, and clients of both
// revisions over stdio and HTTP that write and read JSON themselves, answer what
// they are asked, and check that each answer is that of its own call.
//
// It is for the commands bench/crowd and bench/soak. Everything runs in one process
// and talks to loopback only.
//
// Start reading at [Start], then [Client].
package drive
