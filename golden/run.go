package golden

import (
	"context"
	"testing"
	"testing/synctest"
)

// Run runs all tests at or below a path, one subtest a file. In memory they run
// in a bubble of testing/synctest, so that nothing ever waits for the clock.
func Run(t *testing.T, path string, o Options) {
	t.Helper()
	files, err := Find(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			if o.Transport != "" && o.Transport != Memory || outside(file) {
				check(t, file, o)
				return
			}
			synctest.Test(t, func(t *testing.T) { check(t, file, o) })
		})
	}
}

// outside reports whether a file plays over the operating system even when
// nothing asks for it. Files that can't be read are reported elsewhere.
func outside(file string) bool {
	t := parsed(file)
	return t != nil && transportOf(t, Options{}) != Memory
}

func check(t *testing.T, file string, o Options) {
	t.Helper()
	outcomes, err := RunFile(context.WithoutCancel(t.Context()), file, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range outcomes {
		switch out.Status {
		case Failed:
			t.Errorf("%s\n%s", out.Name, out.Text)
		case Skipped:
			t.Logf("%s skipped: %s", out.Name, out.Text)
		case Updated:
			t.Logf("%s updated", out.Name)
		}
	}
}
