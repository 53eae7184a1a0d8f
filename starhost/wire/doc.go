// Package wire puts a server on the Go SDK: it is the one place where snapshots
// meet the protocol.
//
// A request comes up through the room below, wire/frame, which stands between
// bytes and the SDK and mends what the SDK does to ids, answers and bad
// messages. Here it meets, in this order: the guard (panics, error codes), the
// snapshot of the moment, and for tools/call the one straight way through a call
// (call.go): state, arguments, round, result. Bytes are put into SDK results in
// exact.go, and nowhere else.
//
//	server.go   what is served, and how it is published
//	guard.go    no panic and no odd error reaches a client
//	lists.go    tools/list from the snapshot
//	call.go     one round of tools/call
//	ask.go      questions on connections that are asked in the middle of a call
//	context.go  the script's ctx
//	access.go   who calls, and what they may
//	exact.go    our bytes in the SDK's results and requests
//
// Start reading at [Server].
package wire
