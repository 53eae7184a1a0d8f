// Package testing plays calls against a host with scripted answers, the way a
// client would: raw JSON over a connection in memory, on either protocol
// revision.
//
// It judges nothing and hides nothing: what a server says comes back byte for
// byte. mcpstar call and the golden transcripts are built on it, and Go programs
// can test their hosts with it:
//
//	client, err := testing.Connect(ctx, host, testing.Options{Answer: ...})
//	reply, err := client.Call(ctx, "order_book", json.RawMessage(`{"title": "Dune"}`))
//
// It may import wire/frame and the Go SDK's transport interface. Start reading
// at [Connect].
package testing
