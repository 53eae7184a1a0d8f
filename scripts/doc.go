// Package scripts holds the Starlark that ships inside the binary: the modules
// that scripts load as "@std/NAME.star", in the folder std.
//
// What Starlark can say is said in Starlark, here, and not in Go. It imports
// nothing of mcpstar.
package scripts

import (
	"embed"
	"io/fs"
)

//go:embed std testing
var files embed.FS

// Std is the folder of the @std modules.
func Std() fs.FS {
	std, err := fs.Sub(files, "std")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return std
}

// Testing is the script that defines the words of test files.
func Testing() []byte {
	text, err := files.ReadFile("testing/words.star")
	if err != nil {
		panic(err) // it is embedded above
	}
	return text
}
