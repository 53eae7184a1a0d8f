// Package record writes transcripts from live traffic: it stands between a client
// and a server, of any make, and passes on every byte as it is.
//
//	recorder.go   what is said, in order
//	write.go      the transcript
//	redact.go     secrets, before anything reaches the disk
//	stdio.go      a proxy for servers that are started as a command
//	http.go       a proxy for streamable HTTP
//	inspector.go  transcripts from a protocol export of the MCP Inspector
//
// Start reading at [Recorder].
package record
