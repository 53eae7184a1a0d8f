// Package transcript is the format of golden transcripts: what a client and a
// server say to each other, as text that people read and review.
//
// It reads a file without losing anything (a [Transcript] remembers every line,
// comments and blank ones too), compares what a server said with what is written
// (placeholders, exact numbers, members in wire order) and writes it down. It
// runs nothing and reads no files.
//
//	parse.go    a file and its sections
//	entry.go    the lines of a section: -->, <--, <~~, {{ and }}
//	json.go     JSON that keeps order, spelling and repetitions
//	pattern.go  ${name}, ${any}, ${re:...}, ${b64:...} in texts
//	match.go    what was said against what is written
//	write.go    what was said as lines
//	diff.go     two texts, line by line
//
// Start reading at [Parse].
package transcript
