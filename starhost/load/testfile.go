package load

import (
	"maps"
	"strings"

	"go.starlark.net/starlark"
)

// wordsOf are the names that a file finds: those of all files, and in a test file
// those for tests.
func (l *loader) wordsOf(m *module) starlark.StringDict {
	if len(l.options.TestWords) == 0 || !strings.HasSuffix(m.path, "_test.star") {
		return l.words
	}
	words := maps.Clone(l.words)
	for name, v := range l.options.TestWords {
		v.Freeze()
		words[name] = v
	}
	return words
}

// Globals are the names that a file has defined, frozen; nil for a file that was
// not read. Tests find their functions there.
func (s *Snapshot) Globals(path string) starlark.StringDict {
	if m := s.modules[path]; m != nil {
		return m.globals
	}
	return nil
}
