package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// ErrNoFile says that a folder has no file that could be a server.
var ErrNoFile = errors.New("no .star file in the folder")

// entries are the files that make up a server: the file itself; of a folder its
// server.star if there is one, else every .star file at its top but tests
// (*_test.star) and those that only others load (_*.star).
func entries(fsys fs.FS, entry string) ([]string, error) {
	if !fs.ValidPath(entry) {
		return nil, fmt.Errorf("%q is not a path below the root", entry)
	}
	info, err := fs.Stat(fsys, entry)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", entry, plainly(err))
	}
	if !info.IsDir() {
		if !strings.HasSuffix(entry, ".star") {
			return nil, fmt.Errorf("%s: a server is a .star file, or a folder of them", entry)
		}
		return []string{entry}, nil
	}
	list, err := fs.ReadDir(fsys, entry)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", entry, plainly(err))
	}
	var files []string
	for _, e := range list { // in the order of names
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".star") {
			continue
		}
		if name == "server.star" {
			return []string{path.Join(entry, name)}, nil
		}
		if strings.HasSuffix(name, "_test.star") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		files = append(files, path.Join(entry, name))
	}
	if len(files) == 0 {
		return nil, ErrNoFile
	}
	return files, nil
}

// defaultName is the server's name when no file says one: the file's, or the
// folder's.
func defaultName(entry, folder string) string {
	name := strings.TrimSuffix(path.Base(entry), ".star")
	if name == "." || name == "/" || name == "" || name == "server" {
		if folder != "" {
			return folder
		}
		return "server"
	}
	return name
}
