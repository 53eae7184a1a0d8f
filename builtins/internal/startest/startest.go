package startest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarktest"
	"go.starlark.net/syntax"
)

// Run runs the scripts of the files that match pattern, each on a thread of its
// own with the given words.
func Run(t *testing.T, pattern string, words starlark.StringDict) {
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		line := 1
		for script := range strings.SplitSeq(string(data), "\n---\n") {
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(file), line), func(t *testing.T) {
				run(t, file, script, line, words)
			})
			line += strings.Count(script, "\n") + 2
		}
	}
}

func run(t *testing.T, file, script string, first int, words starlark.StringDict) {
	wantLine, want := expectation(t, script, first)
	thread := &starlark.Thread{Name: file, Print: func(_ *starlark.Thread, msg string) { t.Log(msg) }}
	starlarktest.SetReporter(thread, t)
	_, err := Exec(thread, file, strings.Repeat("\n", first-1)+script, words)
	if want == nil {
		require.NoError(t, err)
		return
	}
	require.Error(t, err, "line %d must fail", wantLine)
	require.Regexp(t, want, err.Error())
	require.Equal(t, wantLine, failingLine(err, file), "the line that fails: %v", err)
}

// Exec runs one script in the dialect that scripts are written in.
func Exec(thread *starlark.Thread, file, script string, words starlark.StringDict) (starlark.StringDict, error) {
	env, err := starlarktest.LoadAssertModule()
	if err != nil {
		return nil, err
	}
	all := starlark.StringDict{}
	for _, names := range []starlark.StringDict{env, words} {
		for name, v := range names {
			all[name] = v
		}
	}
	options := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}
	return starlark.ExecFileOptions(options, thread, file, script, all)
}

// expectation is the one `### "regexp"` of a script and its line, or nil.
func expectation(t *testing.T, script string, first int) (int, *regexp.Regexp) {
	for i, line := range strings.Split(script, "\n") {
		if _, text, ok := strings.Cut(line, "###"); ok {
			pattern, err := strconv.Unquote(strings.TrimSpace(text))
			require.NoError(t, err, "line %d", first+i)
			return first + i, regexp.MustCompile(pattern)
		}
	}
	return 0, nil
}

// failingLine is the innermost line of file that err comes from.
func failingLine(err error, file string) int {
	eval, ok := err.(*starlark.EvalError)
	if !ok {
		return 0
	}
	for depth := range len(eval.CallStack) {
		if pos := eval.CallStack.At(depth).Pos; pos.Filename() == file {
			return int(pos.Line)
		}
	}
	return 0
}
