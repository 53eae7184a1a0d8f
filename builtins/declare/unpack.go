package declare

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// unpack is starlark.UnpackArgs with better words, and the option they are about.
func unpack(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple, pairs ...any) error {
	var names []string
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, strings.TrimRight(pairs[i].(string), "?"))
	}
	for _, kw := range kwargs {
		got, _ := starlark.AsString(kw[0])
		if slices.Contains(names, got) {
			continue
		}
		help := engine.DidYouMean(got, names)
		if help == "" {
			help = "it has " + strings.Join(names, ", ")
		}
		return &optionError{got, fmt.Errorf("%s() has no option %q; %s", b.Name(), got, help)}
	}
	err := starlark.UnpackArgs(b.Name(), args, kwargs, pairs...)
	if err == nil {
		return nil
	}
	if m := forParameter.FindStringSubmatch(err.Error()); m != nil {
		return &optionError{m[1], fmt.Errorf("%s(): %s: %s", b.Name(), m[1], m[2])}
	}
	return fmt.Errorf("%s(): %s", b.Name(), strings.TrimPrefix(err.Error(), b.Name()+": "))
}

// forParameter is how starlark.UnpackArgs names the argument that is wrong.
var forParameter = regexp.MustCompile(`: for parameter "?(\w+)"?: (.*)$`)

// An optionError is about one named argument.
type optionError struct {
	name string
	err  error
}

func (e *optionError) Error() string { return e.err.Error() }
func (e *optionError) Unwrap() error { return e.err }
