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
const maxSource = 2 << 20

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

	missed int // how many files were not there
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
		return nil, errNotRegular
	}
	f, err := fsys.Open(inside)
	if err != nil {
		return nil, plainly(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errNotRegular
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

var (
	errNoFile     = errors.New("no such file")
	errNotRegular = errors.New("not a regular file")
)

// plainly drops the machine's paths from an error: an author knows the file by
// the name in the script.
func plainly(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNoFile
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
	if isUTF16(data) {
		return nil, at(name, data, 0, "not-utf8", "the file is UTF-16, not UTF-8", "save it as UTF-8")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		// The interpreter would take a NUL for the end of the file.
		return nil, at(name, data, i, "nul-byte", "the file has a NUL byte, so it is no text", "save the script as UTF-8 text; a NUL in a string is written `\"\\x00\"`")
	}
	if i := firstInvalid(data); i >= 0 {
		return nil, at(name, data, i, "not-utf8", fmt.Sprintf("byte 0x%02x is not UTF-8", data[i]), "save the file as UTF-8")
	}
	return data, nil
}

// isUTF16 reports whether data begins as UTF-16 does, with its mark or without.
func isUTF16(data []byte) bool {
	if len(data) < 2 {
		return false
	}
	marked := data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff
	return marked || len(data)%2 == 0 && (data[0] == 0) != (data[1] == 0)
}

// shown is the text of an odd file for the report, which counts a byte that is
// no text as one column. UTF-16 would be shown as noise.
func shown(data []byte) string {
	if isUTF16(data) {
		return ""
	}
	return string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
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
	before := bytes.ReplaceAll(data[:offset], []byte("\r\n"), []byte("\n"))
	before = bytes.ReplaceAll(before, []byte("\r"), []byte("\n"))
	line := 1 + bytes.Count(before, []byte("\n"))
	col := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	pos := syntax.MakePosition(&name, int32(line), int32(col))
	return &engine.Problem{Code: code, Message: message, Help: help, At: engine.Label{Span: engine.Span{Start: pos, End: pos}}}
}

// A badPath is why load() can't take a path, and what to write instead.
type badPath struct{ message, help string }

// moduleName is the module that load(name) means in the file from.
func moduleName(from, name string) (string, *badPath) {
	switch rest, std := strings.CutPrefix(name, stdPrefix); {
	case std:
		if !fs.ValidPath(rest) || !strings.HasSuffix(rest, ".star") {
			return "", &badPath{fmt.Sprintf("there is no %q", name), "what ships with mcpstar is loaded as `\"@std/NAME.star\"`"}
		}
		return name, nil
	case strings.HasPrefix(from, stdPrefix):
		return "", &badPath{fmt.Sprintf("what ships with mcpstar loads only @std modules, not %q", name), ""}
	}
	if bad := notRelative(name); bad != nil {
		return "", bad
	}
	full := path.Join(path.Dir(from), name)
	if full == ".." || strings.HasPrefix(full, "../") || !fs.ValidPath(full) {
		return "", &badPath{fmt.Sprintf("%q leaves the root folder of the server", name),
			"move the file below the root, or the root up: it is the nearest folder with a mcpstar.toml, else the server's own"}
	}
	if strings.HasSuffix(name, "/") || strings.Trim(path.Base(name), ".") == "" {
		return "", &badPath{fmt.Sprintf("%q is a folder", name), "load() reads one file: write `\"lib/stock.star\"`"}
	}
	if !strings.HasSuffix(full, ".star") {
		return "", &badPath{fmt.Sprintf("%q is no .star file", name), fmt.Sprintf("write `%q`", strings.TrimSuffix(name, path.Ext(name))+".star")}
	}
	return full, nil
}

// notRelative refuses what people write in other places that have a load().
func notRelative(name string) *badPath {
	const relative = "load() takes a path relative to this file"
	switch {
	case name == "":
		return &badPath{"load() wants the path of a file", "write `load(\"lib/stock.star\", \"check\")`"}
	case strings.Contains(name, "://"):
		return &badPath{fmt.Sprintf("load() reads files of this server only, not %q", name), "put a copy of the file below the root folder"}
	case strings.HasPrefix(name, "//"), strings.HasPrefix(name, ":"), strings.HasPrefix(name, "@"):
		as := strings.TrimLeft(strings.ReplaceAll(strings.TrimLeft(name, "@"), ":", "/"), "/")
		return &badPath{fmt.Sprintf("%s, got %q", relative, name), fmt.Sprintf("write `%q`", as)}
	case path.IsAbs(name):
		return &badPath{fmt.Sprintf("%s, got %q", relative, name), "write `\"lib/stock.star\"` for a file in the folder lib beside this one"}
	case strings.Contains(name, "\\"):
		return &badPath{fmt.Sprintf("%s, got %q", relative, name), fmt.Sprintf("write / between folders: `%q`", strings.ReplaceAll(name, "\\", "/"))}
	}
	return nil
}
