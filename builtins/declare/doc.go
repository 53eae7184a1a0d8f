// Package declare holds the words with which a file says what its server
// offers: tool, prompt, resource, completion, server, lifespan, every and resolve,
// and the hidden __annotate__ that the loader writes after every annotated def.
//
// Declarations are facts about one load, so they are collected in a [Registry]
// that the loader puts on the thread; nothing here checks how they fit together.
// That is the loader's work (starhost/load) and the graph's (engine/graph).
//
// It may import engine, builtins/types and builtins/content. Start reading at
// [Registry].
package declare
