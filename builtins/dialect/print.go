package dialect

import (
	"fmt"
	"os"
	"strings"

	"go.starlark.net/starlark"
)

// print(*args, sep=" ", end="\n") says something to whoever runs the server: the
// thread's Print gets it, which a host writes to standard error as one line.
//
// Every print is a line of its own, also with another end: lines of calls that
// run at the same time would mix otherwise. So end is put behind the text, and
// its newline, if it ends with one, is the line's: print("a", end = "!\n") and
// print("a", end = "!") both give the line "a!". At most 8 MiB of text.
func printLine(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sep, end := " ", "\n"
	if err := starlark.UnpackArgs(b.Name(), nil, kwargs, "sep?", &sep, "end?", &end); err != nil {
		return nil, err
	}
	text, err := joined(args, sep)
	if err == nil && len(text)+len(end) > maxText {
		err = fmt.Errorf("more than %d bytes of text", maxText)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	charge(thread, len(text))
	line := text + strings.TrimSuffix(end, "\n")
	if thread.Print != nil {
		thread.Print(thread, line)
	} else {
		fmt.Fprintln(os.Stderr, line)
	}
	return starlark.None, nil
}
