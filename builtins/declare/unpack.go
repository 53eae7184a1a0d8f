package declare

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// unpack is starlark.UnpackArgs with a better word for a misspelt option.
func unpack(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple, pairs ...any) error {
	var names []string
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, strings.TrimRight(pairs[i].(string), "?"))
	}
	for _, kw := range kwargs {
		got, _ := starlark.AsString(kw[0])
		known := false
		for _, n := range names {
			known = known || n == got
		}
		if !known {
			help := engine.DidYouMean(got, names)
			if help == "" {
				help = "it has " + strings.Join(names, ", ")
			}
			return fmt.Errorf("%s() has no option %q; %s", b.Name(), got, help)
		}
	}
	return starlark.UnpackArgs(b.Name(), args, kwargs, pairs...)
}
