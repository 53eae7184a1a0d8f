// Package chunktest reads the .star files in which the expected problems stand
// beside the lines that cause them, for tests only:
//
//	x = f"{y}"  ### "no-f-strings: .* format"
//	---
//	class Shop:  ### "no-class"  ### "another problem of this line"
//
// A file is cut at its lines of three dashes; each piece is a script of its own,
// whose line numbers are those of the whole file. Start reading at [Read].
package chunktest
