package declare

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// A Marker is resolve(fn) as a value: the annotation of a parameter that an
// author's own function fills.
type Marker struct{ graph.Marker }

var _ starlark.HasBinary = (*Marker)(nil)

// String is the marker as an author writes it.
func (m *Marker) String() string        { return fmt.Sprintf("resolve(%s)", m.Target.Name()) }
func (m *Marker) Type() string          { return "resolve" }
func (m *Marker) Freeze()               {}
func (m *Marker) Truth() starlark.Bool  { return true }
func (m *Marker) Hash() (uint32, error) { return 0, errors.New("unhashable: resolve") }

// Binary refuses resolve(fn) | None: a resolver always runs, so there is no
// "or nothing" to say.
func (m *Marker) Binary(op syntax.Token, _ starlark.Value, _ starlark.Side) (starlark.Value, error) {
	return nil, fmt.Errorf("%s stands alone, not in a union; write `x: %s`", m, m)
}

// Attr explains what went wrong when a marker is used as if it were the value.
func (m *Marker) Attr(name string) (starlark.Value, error) {
	return nil, fmt.Errorf("%s marks a parameter, it has no .%s; the value arrives when the tool is called: `x: %s`", m, name, m)
}

// AttrNames is empty: a marker has no attributes.
func (m *Marker) AttrNames() []string { return nil }

// makeMarker is resolve(fn, outcome = False, key = "").
func makeMarker(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var fn starlark.Value
	m := &Marker{graph.Marker{Span: callSpan(thread)}}
	if err := unpack(b, args, kwargs, "fn", &fn, "outcome?", &m.Outcome, "key?", &m.Key); err != nil {
		return nil, each(err)[0]
	}
	switch fn := fn.(type) {
	case *starlark.Function:
		m.Target = fn
	case *starlark.Builtin:
		if fn.Receiver() != nil {
			return nil, fmt.Errorf("resolve() wants a function of yours, got the method %s; wrap it in a def", fn.Name())
		}
		m.Target = fn
	case engine.Question, starlark.NoneType, starlark.String:
		return nil, fmt.Errorf("resolve() wants the function itself, got %s; write it without calling it: resolve(check_stock)", engine.Describe(fn))
	case engine.Type:
		return nil, fmt.Errorf("resolve() wants a function, got the type %s; a resolver is a def that returns the value", fn.TypeName())
	default:
		return nil, fmt.Errorf("resolve() wants a function made with def, got %s", engine.Describe(fn))
	}
	if err := checkKey(m.Key); err != nil {
		return nil, err
	}
	return m, nil
}

// checkKey refuses wire keys that would be hard to read or to carry.
func checkKey(key string) error {
	if len(key) > 200 {
		return errors.New("key is longer than 200 bytes; it only names the question: write a word or two")
	}
	for _, r := range key {
		if r < 0x21 || r == 0x7f {
			return fmt.Errorf("key %q has a space or control character; write letters, digits, `:`, `/`, `-` or `_`", key)
		}
	}
	return nil
}
