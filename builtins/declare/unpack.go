package declare

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
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
