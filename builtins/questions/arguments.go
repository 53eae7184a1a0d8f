package questions

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// arguments are what one call of a word was given, by parameter name.
type arguments struct {
	word  string
	given map[string]starlark.Value
}

// unpack matches a call with the parameters of a word; the first positional ones
// may be given without their name.
func unpack(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple, positional int, names ...string) (arguments, error) {
	a := arguments{word: b.Name(), given: map[string]starlark.Value{}}
	if len(args) > positional {
		return a, a.tooMany(len(args), names[:positional], names[positional:])
	}
	for i, v := range args {
		a.given[names[i]] = v
	}
	for _, kw := range kwargs {
		name := string(kw[0].(starlark.String))
		if !slices.Contains(names, name) {
			return a, fmt.Errorf("%s() has no option %q; %s", a.word, name, nearestOf(name, names))
		}
		if _, twice := a.given[name]; twice {
			return a, fmt.Errorf("%s() got %s twice", a.word, name)
		}
		a.given[name] = kw[1]
	}
	return a, nil
}

func nearestOf(name string, names []string) string {
	if len(names) == 0 {
		return "it takes no arguments"
	}
	if help := engine.DidYouMean(name, names); help != "" {
		return help
	}
	return "it has " + strings.Join(names, ", ")
}

func (a arguments) tooMany(got int, positional, named []string) error {
	if len(positional) == 0 {
		return fmt.Errorf("%s() takes no arguments, got %d", a.word, got)
	}
	help := ""
	if len(named) > 0 {
		help = fmt.Sprintf("; write the rest by name: %s = ...", named[0])
	}
	return fmt.Errorf("%s() takes only %s without a name, got %d arguments%s",
		a.word, strings.Join(positional, ", "), got, help)
}

// optional is the value of a parameter, or nil when it was left out or is None.
func (a arguments) optional(name string) starlark.Value {
	if v := a.given[name]; v != starlark.None {
		return v
	}
	return nil
}

// wants is the error for an argument that is not what it should be.
func (a arguments) wants(name, want string, got starlark.Value) error {
	return fmt.Errorf("%s() wants %s to be %s, got %s", a.word, name, want, engine.Describe(got))
}

func (a arguments) text(name string) (string, error) {
	s, ok := a.given[name].(starlark.String)
	if !ok {
		return "", a.wants(name, "text", a.given[name])
	}
	return string(s), nil
}
