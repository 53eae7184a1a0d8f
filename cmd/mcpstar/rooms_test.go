package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/mcpstar/mcpstar/"

// may says, room by room, what a room may import beside itself, the standard
// library and go.starlark.net. The longest name that fits counts.
var may = map[string][]string{
	"engine":                 {},
	"builtins":               {"engine", "github.com/google/jsonschema-go"},
	"scripts":                {},
	"starhost":               {"builtins", "engine", "scripts", "github.com/modelcontextprotocol/go-sdk", "go.opentelemetry.io/otel"},
	"starhost/load":          {"builtins", "engine", "scripts", "github.com/yosida95/uritemplate"},
	"starhost/load/annotate": {"engine", "starhost/load/tokens"},
	"starhost/load/habits":   {"engine", "starhost/load/tokens"},
	"starhost/load/tokens":   {},
	"starhost/load/report":   {"engine"},
	"starhost/reload":        {"starhost/load", "github.com/fsnotify/fsnotify"},
	"starhost/testing":       {"engine", "starhost/wire/frame", "github.com/modelcontextprotocol/go-sdk"},
	"starhost/calls":         {"builtins", "engine", "starhost/load"},
	"starhost/isolate":       {"engine", "starhost/calls", "starhost/load", "starhost/reload", "github.com/shirou/gopsutil/v4"},
	"starhost/wire":          {"builtins", "engine", "starhost/calls", "starhost/load", "github.com/modelcontextprotocol/go-sdk", "go.opentelemetry.io/otel"},
	"starhost/wire/auth":     {"engine", "github.com/modelcontextprotocol/go-sdk", "github.com/golang-jwt/jwt/v5"},
	"starhost/wire/frame":    {"github.com/modelcontextprotocol/go-sdk"},
	"golden":                 {"engine", "builtins", "starhost", "scripts"},
	"cmd":                    {"golden", "starhost", "builtins", "engine", "scripts"},
	"bench":                  {"starhost", "builtins", "engine"},
}

// Imports point downwards: no room knows those above it, and the engine knows
// neither the protocol's SDK nor files nor the network.
func TestImportsPointDownwards(t *testing.T) {
	root := filepath.Join("..", "..")
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			require.Truef(t, allowed(filepath.ToSlash(rel), imported), "%s may not import %s", path, imported)
		}
		return nil
	})
	require.NoError(t, err)
}

func allowed(room, imported string) bool {
	if room == "engine" || strings.HasPrefix(room, "engine/") {
		for _, outside := range []string{"os", "net", "io/fs", "path/filepath", "net/http"} {
			if imported == outside {
				return false
			}
		}
	}
	inside, ours := strings.CutPrefix(imported, module)
	if !ours {
		inside = imported
		if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") || first == "go.starlark.net" {
			return true // the standard library, or Starlark
		}
	}
	name := room
	for ; may[name] == nil; name = name[:strings.LastIndexByte(name, '/')] {
		if !strings.Contains(name, "/") {
			return false
		}
	}
	if strings.HasPrefix(inside+"/", name+"/") && ours {
		return true
	}
	if !ours && (name == "cmd" || name == "golden" || name == "bench" || name == "starhost/load/report") {
		return true
	}
	if strings.HasSuffix(room, "test") && strings.HasPrefix(imported, "github.com/stretchr/testify") {
		return true // help for tests
	}
	for _, ok := range may[name] {
		if strings.HasPrefix(inside+"/", ok+"/") {
			return true
		}
	}
	return false
}

// Every package says what its room is for.
func TestEveryPackageHasADoc(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata" {
			return fs.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil || len(files) == 0 {
			return err
		}
		_, missing := os.Stat(filepath.Join(path, "doc.go"))
		if _, err := os.Stat(filepath.Join(path, "main.go")); err == nil {
			missing = nil // a command says it in main.go
		}
		require.NoErrorf(t, missing, "%s has no doc.go", path)
		return nil
	})
	require.NoError(t, err)
}
