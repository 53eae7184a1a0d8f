package starhost_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pages that name tests name tests that exist.

var testName = regexp.MustCompile(`\b(?:Test|Fuzz|Example)[A-Z]\w*`)

// testsOfTheRepository are the names of all test functions below a folder.
func testsOfTheRepository(t *testing.T, root string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && testName.MatchString(fn.Name.Name) {
				found[fn.Name.Name] = true
			}
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", name))
	require.NoError(t, err)
	return string(text)
}

func TestPagesNameTestsThatExist(t *testing.T) {
	tests := testsOfTheRepository(t, "..")
	for _, name := range []string{"promises.md", "reference-differences.md"} {
		named := testName.FindAllString(page(t, name), -1)
		require.Greater(t, len(named), 50, name)
		for _, test := range named {
			require.True(t, tests[test], "%s names %s, and there is no such test", name, test)
		}
	}
}

func TestEveryPromiseHasATest(t *testing.T) {
	promises := regexp.MustCompile(`(?m)^(\d+)\. \*\*`).FindAllStringIndex(page(t, "promises.md"), -1)
	require.NotEmpty(t, promises)
	text := page(t, "promises.md")
	for i, at := range promises {
		end := len(text)
		if i+1 < len(promises) {
			end = promises[i+1][0]
		}
		require.True(t, strings.HasPrefix(text[at[0]:], fmt.Sprintf("%d. ", i+1)), "promise %d is out of step", i+1)
		require.Regexp(t, testName, text[at[0]:end])
	}
}

// Every point is either tested or says why it is not.
func TestEveryPointOfTheReferenceHasATestOrAReason(t *testing.T) {
	points := map[byte]int{}
	for _, line := range strings.Split(page(t, "reference-differences.md"), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !regexp.MustCompile(`^ [A-O]\d+ $`).MatchString(cells[1]) {
			continue
		}
		letter := cells[1][1]
		points[letter]++
		require.Equal(t, fmt.Sprintf(" %c%d ", letter, points[letter]), cells[1], "a point is missing")
		if !testName.MatchString(cells[4]) {
			require.Regexp(t, `^ (Later|Does not apply)\b`, cells[3], cells[1])
		}
	}
	require.Equal(t, map[byte]int{'A': 19, 'B': 8, 'C': 8, 'D': 8, 'E': 12, 'F': 25, 'G': 7, 'H': 6, 'I': 7, 'J': 3, 'K': 12, 'L': 5, 'M': 2, 'N': 2, 'O': 9}, points)
}
