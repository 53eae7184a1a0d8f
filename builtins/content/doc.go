// Package content holds content blocks: what a tool's result, a prompt's message
// or a sampling message is made of on the wire. Scripts make them with text("…")
// (a word of package dialect), image, audio, embed and link, and messages of them
// with user and assistant.
//
// It touches nothing outside the script. Start reading at [Block], then [Message].
package content
