package load

import (
	"crypto/sha256"
	"io/fs"
)

// A Sum names the content of a file; the zero Sum is that of a file which can't be
// read.
type Sum [sha256.Size]byte

// Blank reports whether the file has no content: it is empty or can't be read.
// Editors that write in place pass through that state.
func (s Sum) Blank() bool { return s == Sum{} || s == sha256.Sum256(nil) }

func sumOf(src *source) Sum {
	if src == nil {
		return Sum{}
	}
	return src.hash
}

// SumOf reads a file below a root as [Load] would, and names its content.
func SumOf(root fs.FS, path string) Sum {
	src, err := (&tree{root: root}).read(path)
	if err != nil {
		return Sum{}
	}
	return sumOf(src)
}

// Entries are the files that make up the server at entry: see [Options.Entry].
func Entries(root fs.FS, entry string) ([]string, error) { return entries(root, entry) }
