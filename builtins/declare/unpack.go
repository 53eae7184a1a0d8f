package declare

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/engine"
)

// unpack is starlark.UnpackArgs with better words, the option that they are about,
// and all mistakes of the call, joined, instead of the first.
func unpack(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple, pairs ...any) error {
	var names []string
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, strings.TrimRight(pairs[i].(string), "?"))
	}
	var mistakes []error
	known := make([]starlark.Tuple, 0, len(kwargs))
	for _, kw := range kwargs {
		got, _ := starlark.AsString(kw[0])
		if slices.Contains(names, got) {
			known = append(known, kw)
			continue
		}
		help := engine.DidYouMean(got, names)
		if help == "" {
			help = "it has " + strings.Join(names, ", ")
		}
		mistakes = append(mistakes, &optionError{got, fmt.Errorf("%s() has no option %q; %s", b.Name(), got, help)})
	}
	for {
		err := starlark.UnpackArgs(b.Name(), args, known, pairs...)
		if err == nil {
			return errors.Join(mistakes...)
		}
		m := forParameter.FindStringSubmatch(err.Error())
		if m == nil && len(mistakes) > 0 { // what is missing may be what was misspelt
			return errors.Join(mistakes...)
		}
		if m == nil {
			return fmt.Errorf("%s(): %s", b.Name(), strings.TrimPrefix(err.Error(), b.Name()+": "))
		}
		mistakes = append(mistakes, &optionError{m[1], fmt.Errorf("%s(): %s: %s", b.Name(), m[1], m[2])})
		// Without the option that is wrong, the next mistake is seen.
		rest := slices.DeleteFunc(slices.Clone(known), func(kw starlark.Tuple) bool { return kw[0] == starlark.String(m[1]) })
		if len(rest) == len(known) || slices.Contains(pairs, any(m[1])) { // it came without its name, or has to be there
			return errors.Join(mistakes...)
		}
		known = rest
	}
}

// each are the errors that were joined, or the one.
func each(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, err := range joined.Unwrap() {
			all = append(all, each(err)...)
		}
		return all
	}
	return []error{err}
}

// A jsonOption is an option that is kept as wire JSON; None is as if it were not
// given.
type jsonOption struct {
	to   *json.RawMessage
	read func(starlark.Value) ([]byte, error)
}

func iconsInto(to *json.RawMessage) *jsonOption       { return &jsonOption{to, content.Icons} }
func metaInto(to *json.RawMessage) *jsonOption        { return &jsonOption{to, content.Meta} }
func annotationsInto(to *json.RawMessage) *jsonOption { return &jsonOption{to, content.Annotations} }

// Unpack implements starlark.Unpacker.
func (o *jsonOption) Unpack(v starlark.Value) error {
	if v == starlark.None {
		return nil
	}
	data, err := o.read(v)
	if err == nil {
		*o.to = data
	}
	return err
}

// A Hint says how long a client may keep something, and for whom.
type Hint struct {
	TTL   *time.Duration // nil: nothing is said
	Scope string         // "private", "public", or "" where nothing is said
}

// ttl unpacks ttl = seconds.
func (h *Hint) ttl() *ttlOption { return &ttlOption{h} }

type ttlOption struct{ to *Hint }

// Unpack implements starlark.Unpacker.
func (o *ttlOption) Unpack(v starlark.Value) error {
	if v == starlark.None {
		return nil
	}
	d, err := engine.Seconds(v)
	if err == nil {
		o.to.TTL = &d
	}
	return err
}

// scope unpacks scope = "private".
func (h *Hint) scope() *scopeOption { return &scopeOption{h} }

type scopeOption struct{ to *Hint }

// Unpack implements starlark.Unpacker.
func (o *scopeOption) Unpack(v starlark.Value) error {
	switch s, _ := starlark.AsString(v); {
	case v == starlark.None:
		return nil
	case s == "private" || s == "public":
		o.to.Scope = s
		return nil
	}
	return fmt.Errorf(`scope is "private" (for one user) or "public" (for anybody), got %s`, engine.Describe(v))
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
