// Package play plays transcripts: it is the client that says the --> lines and
// writes down what the server answers.
//
// A play does not judge line by line. It makes the section that would be written
// now, from what was really said; a transcript passes when that is the section
// that stands in the file, and updating one is writing it there. So comparing,
// showing differences and updating can't disagree.
//
//	player.go    walks through a section: send, wait, take
//	pair.go      which line a message stands for
//	fill.go      answers that no line gives; the rest of a section just begun
//	explain.go   a difference in words, with the resolver it belongs to
//	conn.go      connections: in memory, over pipes, over HTTP (http.go)
//
// It opens connections to the server it is given, and nothing else. Start
// reading at [Section].
package play
