package load

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// maxSource is the longest file that is loaded, in bytes.
const maxSource = 4 << 20

// stdPrefix starts the name of a module that ships with mcpstar.
const stdPrefix = "@std/"

// A source is a file as it was read: the very bytes that are compiled.
type source struct {
	text []byte
	hash [sha256.Size]byte
}

// tree reads the files of one load.
type tree struct {
	root fs.FS // the author's
	std  fs.FS // what ships with mcpstar
}

// read reads one file. It opens regular files only: a named pipe would hang, a
// device would never end.
func (t *tree) read(name string) (*source, error) {
	fsys, inside := t.root, name
	if rest, ok := strings.CutPrefix(name, stdPrefix); ok {
		fsys, inside = t.std, rest
	}
	if fsys == nil || !fs.ValidPath(inside) {
		return nil, fs.ErrNotExist
	}
	info, err := fs.Stat(fsys, inside)
	if err != nil {
		return nil, plainly(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := fsys.Open(inside)
	if err != nil {
		return nil, plainly(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return nil, plainly(err)
	}
	if len(text) > maxSource {
		return nil, fmt.Errorf("longer than %d MiB", maxSource>>20)
	}
	return &source{text: text, hash: sha256.Sum256(text)}, nil
}

// plainly drops the machine's paths from an error: an author knows the file by
// the name in the script.
func plainly(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such file")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("no permission to read it")
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// decode turns the bytes of a file into text that the interpreter reads the way
// its author sees it, or says what is odd about them.
func decode(name string, data []byte) ([]byte, *engine.Problem) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, at(name, data, 0, "not-utf8", "the file is UTF-16, not UTF-8", "save it as UTF-8")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		// The interpreter would take a NUL for the end of the file.
		return nil, at(name, data, i, "nul-byte", "the file has a NUL byte", "it is no text; save the script as UTF-8 without it")
	}
	if i := firstInvalid(data); i >= 0 {
		return nil, at(name, data, i, "not-utf8", fmt.Sprintf("byte 0x%02x is not UTF-8", data[i]), "save the file as UTF-8")
	}
	return data, nil
}

func firstInvalid(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// at is a problem at a byte offset.
func at(name string, data []byte, offset int, code, message, help string) *engine.Problem {
	before := data[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	col := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	pos := syntax.MakePosition(&name, int32(line), int32(col))
	return &engine.Problem{Code: code, Message: message, Help: help, At: engine.Label{Span: engine.Span{Start: pos, End: pos}}}
}

// moduleName is the module that load(name) means in the file from.
func moduleName(from, name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, stdPrefix); ok {
		if !fs.ValidPath(rest) || !strings.HasSuffix(rest, ".star") {
			return "", fmt.Errorf(`there is no %q; modules that ship with mcpstar are "@std/NAME.star"`, name)
		}
		return name, nil
	}
	if path.IsAbs(name) || strings.Contains(name, "\\") || strings.Contains(name, "://") || strings.HasPrefix(name, "//") {
		return "", fmt.Errorf("load() takes a path relative to this file, got %q", name)
	}
	if strings.HasPrefix(from, stdPrefix) {
		return "", fmt.Errorf("what ships with mcpstar loads only @std modules, not %q", name)
	}
	full := path.Join(path.Dir(from), name)
	if full == ".." || strings.HasPrefix(full, "../") || !fs.ValidPath(full) {
		return "", fmt.Errorf("%q leaves the root folder; put the file below it", name)
	}
	if !strings.HasSuffix(full, ".star") {
		return "", fmt.Errorf("%q is no .star file", name)
	}
	return full, nil
}
