// Package store is where a script keeps what changes: store.memory() makes a
// table of keys and values that all calls share, for as long as the file that made
// it is served. A reload runs the file again, and begins with an empty store.
//
// Everything else that functions share is frozen. A store stays writable on
// purpose: it is a Go object with a lock, each of its methods is one atomic step,
// and what it holds is frozen, so that no two threads ever write one value.
//
// It touches nothing outside the process. Start reading at [Memory].
package store
