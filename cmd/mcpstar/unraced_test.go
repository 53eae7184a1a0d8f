//go:build !race && linux

package main

// raced says that the race detector watches.
const raced = false
