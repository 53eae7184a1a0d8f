// Package tokens cuts a script into tokens the way go.starlark.net does, but
// never stops at a mistake: it is for passes that must see a whole file, broken
// lines included, before or beside the real parser.
//
// It agrees with go.starlark.net about every place (lines, columns in runes, a
// lone CR ends a line), about where strings and comments end, and about which
// newlines count. It differs where the real scanner gives up: what Starlark does
// not know becomes an [Illegal] token, an unfinished string ends where its line
// or the file does, and a statement's keyword at the beginning of a line ends
// brackets that were left open above it.
//
// The package knows bytes and nothing else. Start reading at [Scanner.Next].
package tokens
