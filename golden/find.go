package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// isTest reports whether a file is a test, by its name.
func isTest(name string) bool {
	return strings.HasSuffix(name, ".txtar") || strings.HasSuffix(name, "_test.star")
}

// Find is every test file at or below the paths, in the order of their names.
// Folders that begin with a dot are left out. A path that is a file has to be a
// test; no test at all is an error.
func Find(paths ...string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
		}
		if !info.IsDir() {
			if !isTest(path) {
				return nil, fmt.Errorf("%s is no test: tests are NAME.txtar and NAME_test.star", path)
			}
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != path && d.Name() != "..":
				return fs.SkipDir
			case !d.IsDir() && isTest(name):
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no tests in %s: tests are NAME.txtar and NAME_test.star", strings.Join(paths, ", "))
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
