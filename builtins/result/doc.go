// Package result turns what a tool returned into the protocol's result: content
// blocks for the model, and structured content for programs where the tool has
// declared what it returns.
//
// It may import engine and builtins/content. Start reading at [Encode].
package result
