// Package wire puts a server on the Go SDK: it is the one place where scripts meet
// the protocol. It does not run them: what they say is asked of calls.Scripts, which
// run in this process or in a worker.
//
// A request comes up through the room below, wire/frame, which stands between
// bytes and the SDK and mends what the SDK does to ids, answers and bad
// messages. Here it meets, in this order: the guard (panics, error codes), the
// offer of the moment, and for tools/call, prompts/get and resources/read the
// one straight way of a call (call.go): unseal the state, have the scripts answer,
// seal what they leave. Bytes are put into SDK results in exact.go, and nowhere
// else.
//
//	server.go    what is served
//	register.go  the SDK's own lists, by which clients hear of changes
//	guard.go     no panic and no odd error reaches a client
//	lists.go     the list methods, a page at a time
//	request.go   what the methods of a call have in common
//	call.go      one round of a call, and the state between two
//	client.go    what a call says to its client while it runs
//	ask.go       questions on connections that are asked in the middle of a call
//	resources.go subscriptions
//	listen.go    streams of notifications
//	access.go    who calls
//	record.go    what operators are told; trace.go as spans
//	mount.go     the same on a server of somebody else's
//	sdklog.go    the SDK's own log
//	exact.go     our bytes in the SDK's results and requests
//
// Start reading at [Server].
package wire
