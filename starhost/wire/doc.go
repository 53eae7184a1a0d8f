// Package wire puts a server on the Go SDK: it is the one place where snapshots
// meet the protocol.
//
// A request comes up through the room below, wire/frame, which stands between
// bytes and the SDK and mends what the SDK does to ids, answers and bad
// messages. Here it meets, in this order: the guard (panics, error codes), the
// snapshot of the moment, and for tools/call, prompts/get and resources/read the
// one straight way through a call (call.go): state, subject, arguments, round,
// result. Bytes are put into SDK results in exact.go, and nowhere else.
//
//	server.go    what is served, and how it is published
//	offer.go     what clients see of it at a moment; switches.go changes that
//	register.go  the SDK's own lists, by which clients hear of changes
//	guard.go     no panic and no odd error reaches a client
//	lists.go     the list methods, a page at a time
//	request.go   what the three methods of a call have in common
//	call.go      one round of a call
//	subject.go   what differs: tools, prompts, resources
//	ask.go       questions on connections that are asked in the middle of a call
//	limits.go    the time and the place that a round may take
//	context.go   the script's ctx; progress.go what it tells while it runs
//	resources.go subscriptions, and resources that a call reads itself
//	listen.go    streams of notifications
//	access.go    who calls, and what they may
//	complete.go  completion/complete
//	timers.go    functions that run by themselves
//	exact.go     our bytes in the SDK's results and requests
//
// Start reading at [Server].
package wire
