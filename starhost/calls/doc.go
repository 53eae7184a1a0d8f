// Package calls answers the calls of a server whose scripts run in this process: a
// [Request] in, an [Answer] out, and what a call says on its way to the [Client]
// that made it. All three are plain data, so that the scripts can as well live in
// another process: see starhost/isolate. Nothing here knows the protocol's SDK,
// transports or sessions, and nothing holds keys.
//
// A call takes one straight way (call.go): subject, capabilities, arguments,
// resolvers, body, result. It stays on the version of the scripts that it began
// with, whatever is published meanwhile.
//
//	runner.go    what is served, and how it is replaced
//	version.go   one version, which lives as long as a call uses it
//	offer.go     what clients see of it at a moment; shown.go as JSON, and
//	             switches.go changes that
//	request.go   what goes in, comes out, and is said in between
//	call.go      one round of a call
//	subject.go   what differs: tools, prompts, resources
//	limits.go    the time and the place that a round may take
//	info.go      the script's ctx; progress.go what it tells while it runs
//	resources.go resources that a call reads itself
//	complete.go  completion/complete
//	timers.go    functions that run by themselves
//	report.go    what operators are told; text.go makes text that can be written
//
// Start reading at [Runner].
package calls
