// Package frame stands between bytes and the Go SDK, so that an *mcp.Server only
// ever sees well-formed messages and its answers reach the client exactly.
//
// What it adds to any server:
//
//   - Framing of its own. A line that is no message is answered and stdio goes on;
//     ids of any size and spelling come back as they came; batches, NaN, BOMs, too
//     deep and too long messages never reach the SDK.
//   - Both protocol eras, on one stdio connection (the first request decides) and
//     on one URL: the handshake revisions up to 2025-11-25, and 2026-07-28, whose
//     requests carry an envelope in params._meta.
//   - The judgements the protocol asks for before a handler runs: the envelope, the
//     mirrored HTTP headers, Origin and Host, sizes, sessions, status codes.
//   - The client's answers in their exact JSON text, in params._meta, because the
//     SDK reads numbers as float64 and refuses what a server may want to judge
//     itself. See [MetaInputResponses], [MetaRequestState] and [MetaResult].
//
// It may import the Go SDK and the standard library, and knows nothing of scripts.
//
// Start reading at message.go (what a message is and how it is judged), then
// rewrite.go (what the SDK gets instead) and outbound.go (what the client gets).
// The transports are [NewStdio], [Pipe] and [NewHandler].
package frame
