// Package starhost is the host that Go programs embed: it loads a server written
// in Starlark and serves it to MCP clients.
//
//	host, err := starhost.LoadDir(ctx, "shop.star", starhost.Options{})
//	if err != nil {
//		return err // a load report: every problem with its place and a remedy
//	}
//	defer host.Close(ctx)
//	http.ListenAndServe("127.0.0.1:8080", host.Handler())
//
// It is a small front. The work is done in the rooms below: starhost/load makes
// a snapshot of the scripts or a report of what is wrong with them, starhost/calls
// runs calls on it, starhost/isolate has that done in another process, starhost/wire
// puts it on the Go SDK, starhost/testing plays calls with scripted answers.
//
// Start reading at [LoadDir], then [Host].
package starhost
