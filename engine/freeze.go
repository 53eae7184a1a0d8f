package engine

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Freeze makes v and everything that can be reached from it immutable, as
// v.Freeze() does, and always ends. The interpreter's own Freeze walks shared
// tuples and closures again for each way that leads to them and goes round for
// ever in a function that refers to itself; what it would not finish is an error
// here, written for the author. After an error parts of v may be frozen.
func Freeze(v starlark.Value) error {
	var f Freezer
	return f.Freeze(v)
}

// A Freezer freezes values that share parts, such as the globals of the files of
// one load, and remembers what it has seen. The zero value is ready to use. It is
// not safe for concurrent use.
type Freezer struct {
	seen map[any]bool // functions, tuples and structs, which can't be asked whether they are frozen
}

const (
	// freezeDepth bounds the interpreter's recursion, and ours.
	freezeDepth = 10_000
	// freezeWork bounds how many values one container is walked over, counting
	// shared ones as often as the interpreter meets them.
	freezeWork = 20_000_000
	// containerWork is what a container counts for: it is remembered.
	containerWork = 10
)

// Freeze is the function of that name, which goes on where the last one ended.
func (f *Freezer) Freeze(v starlark.Value) error { return f.walk(v, 0) }

// walk freezes v where it isn't inside a list, dict or set. There the steps from
// value to value are ours, so a function that refers to itself does no harm.
func (f *Freezer) walk(v starlark.Value, depth int) error {
	if depth > freezeDepth {
		return errTooDeep()
	}
	switch v := v.(type) {
	case nil, starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String, starlark.Bytes:
		return nil
	case *starlark.List, *starlark.Dict, *starlark.Set:
		m := measure{left: freezeWork}
		if err := m.walk(v, depth); err != nil {
			return err
		}
		v.Freeze()
		return nil
	}
	parts, known := partsOf(v)
	if !known {
		v.Freeze()
		return nil
	}
	if len(parts) == 0 || f.again(v) {
		return nil
	}
	for _, part := range parts {
		if err := f.walk(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// again reports whether v was walked over before, and remembers it.
func (f *Freezer) again(v starlark.Value) bool {
	var id any = v
	if t, ok := v.(starlark.Tuple); ok {
		id = [2]any{&t[0], len(t)}
	}
	if f.seen[id] {
		return true
	}
	if f.seen == nil {
		f.seen = map[any]bool{}
	}
	f.seen[id] = true
	return false
}

// partsOf are the values that the interpreter's Freeze of v goes on to. known is
// false for values of other packages, which see to themselves.
func partsOf(v starlark.Value) (parts []starlark.Value, known bool) {
	switch v := v.(type) {
	case starlark.Tuple:
		return v, true
	case *starlark.Function:
		for i := range v.NumParams() {
			if d := v.ParamDefault(i); d != nil {
				parts = append(parts, d)
			}
		}
		for i := range v.NumFreeVars() {
			if _, value := v.FreeVar(i); value != nil {
				parts = append(parts, value)
			}
		}
		return parts, true
	case *starlark.Builtin:
		if v.Receiver() != nil {
			parts = append(parts, v.Receiver())
		}
		return parts, true
	case *starlarkstruct.Struct:
		for _, name := range v.AttrNames() {
			if part, err := v.Attr(name); err == nil {
				parts = append(parts, part)
			}
		}
		return parts, true
	case *starlarkstruct.Module:
		for _, name := range v.Members.Keys() {
			parts = append(parts, v.Members[name])
		}
		return parts, true
	}
	return nil, false
}

// A measure goes the way that the interpreter's Freeze of a container would go,
// to find out whether it ends.
type measure struct {
	left    int
	entered map[starlark.Value]bool     // containers
	inside  map[*starlark.Function]bool // functions whose parts are being walked over
}

func (m *measure) walk(v starlark.Value, depth int) error {
	if m.left--; m.left < 0 {
		return fmt.Errorf("a value of more than %d parts, shared ones counted each time", freezeWork)
	}
	if depth > freezeDepth {
		return errTooDeep()
	}
	switch v := v.(type) {
	case *starlark.List, *starlark.Dict, *starlark.Set:
		return m.container(v, depth)
	case *starlark.Function:
		if m.inside[v] {
			return fmt.Errorf("%s() is made inside a function and refers to itself, so a list or dict can't hold it; make it a def at the top of a file", v.Name())
		}
		if m.inside == nil {
			m.inside = map[*starlark.Function]bool{}
		}
		m.inside[v] = true
		defer delete(m.inside, v)
	}
	parts, _ := partsOf(v)
	for _, part := range parts {
		if err := m.walk(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (m *measure) container(v starlark.Value, depth int) error {
	if m.entered[v] || isFrozen(v) {
		return nil
	}
	if m.entered == nil {
		m.entered = map[starlark.Value]bool{}
	}
	m.entered[v] = true
	m.left -= containerWork
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			if err := m.walk(v.Index(i), depth+1); err != nil {
				return err
			}
		}
	case *starlark.Dict:
		for k, e := range v.Entries() {
			if err := m.walk(k, depth+1); err != nil {
				return err
			}
			if err := m.walk(e, depth+1); err != nil {
				return err
			}
		}
	case *starlark.Set:
		for e := range v.Elements() {
			if err := m.walk(e, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// isFrozen asks a container by a change that would change nothing: the
// interpreter has no other way to ask. Nobody else may be changing v.
func isFrozen(v starlark.Value) bool {
	var err error
	switch v := v.(type) {
	case *starlark.List:
		if v.Len() == 0 {
			return false
		}
		err = v.SetIndex(0, v.Index(0))
	case *starlark.Dict:
		_, _, err = v.Delete(nobody{})
	case *starlark.Set:
		_, err = v.Delete(nobody{})
	}
	return err != nil && strings.Contains(err.Error(), "frozen")
}

// nobody is a key that no dict or set has.
type nobody struct{}

func (nobody) String() string        { return "nobody" }
func (nobody) Type() string          { return "nobody" }
func (nobody) Freeze()               {}
func (nobody) Truth() starlark.Bool  { return false }
func (nobody) Hash() (uint32, error) { return 0, nil }

func errTooDeep() error {
	return fmt.Errorf("a value nested deeper than %d", freezeDepth)
}
