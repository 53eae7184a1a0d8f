package store

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// Words are the names this package gives to scripts.
func Words() starlark.StringDict {
	return starlark.StringDict{
		"store": &starlarkstruct.Module{Name: "store", Members: starlark.StringDict{
			"memory": starlark.NewBuiltin("store.memory", memory),
		}},
	}
}

// memory is store.memory(): a new, empty store. It lives in the process, and as
// long as something refers to it.
//
// It holds at most 100,000 entries and about 64 MiB. Keys are str of at most
// 1,024 bytes. Values are data: anything but functions, questions, types and
// values that stand for something outside, to a depth of 200. What is put is
// frozen, not copied: it can no longer be changed by whoever still holds it.
func memory(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	return NewMemory(), nil
}

type method func(m *Memory, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

func methodOf(name string) method {
	switch name {
	case "get":
		return get
	case "put":
		return put
	case "add":
		return add
	case "compare_and_set":
		return compareAndSet
	case "delete":
		return del
	case "keys":
		return keys
	}
	return nil
}

// AttrNames lists the methods.
func (m *Memory) AttrNames() []string {
	return []string{"add", "compare_and_set", "delete", "get", "keys", "put"}
}

// Attr is the method of that name. Each runs as one atomic step.
func (m *Memory) Attr(name string) (starlark.Value, error) {
	do := methodOf(name)
	if do == nil {
		return nil, nil
	}
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return do(m, "store."+name, args, kwargs)
	}).BindReceiver(m), nil
}

// get(key, default=None) is the value under key, or default when there is none.
func get(m *Memory, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var k key
	var fallback starlark.Value = starlark.None
	if err := starlark.UnpackArgs(name, args, kwargs, "key", &k, "default?", &fallback); err != nil {
		return nil, err
	}
	if v := m.get(string(k)); v != nil {
		return v, nil
	}
	return fallback, nil
}

// put(key, value) stores value under key, and freezes it.
func put(m *Memory, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var k key
	var v starlark.Value
	if err := starlark.UnpackArgs(name, args, kwargs, "key", &k, "value", &v); err != nil {
		return nil, err
	}
	e, err := keep(string(k), v)
	if err == nil {
		err = m.put(string(k), e)
	}
	return starlark.None, named(name, err)
}

// add(key, n=1) adds n to the number under key (0 when there is none), and
// returns the new number. n is an int or a float. The number may have at most
// 4,096 bits.
func add(m *Memory, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var k key
	var n starlark.Value = starlark.MakeInt(1)
	if err := starlark.UnpackArgs(name, args, kwargs, "key", &k, "n?", &n); err != nil {
		return nil, err
	}
	if !number(n) {
		return nil, fmt.Errorf("%s: n is %s; want a number", name, engine.Describe(n))
	}
	sum, err := m.change(string(k), func(v starlark.Value) (entry, error) {
		if v == nil {
			v = starlark.MakeInt(0)
		}
		if !number(v) {
			return entry{}, fmt.Errorf("what is under %q is %s, not a number", string(k), engine.Describe(v))
		}
		sum, err := starlark.Binary(syntax.PLUS, v, n)
		if err != nil {
			return entry{}, err
		}
		if i, ok := sum.(starlark.Int); ok && i.BigInt().BitLen() > maxCounter {
			return entry{}, fmt.Errorf("a number of more than %d bits", maxCounter)
		}
		return keep(string(k), sum)
	})
	return sum, named(name, err)
}

const maxCounter = 4_096

func number(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.Float:
		return true
	}
	return false
}

// compare_and_set(key, old, new) stores new under key if what is there equals
// old, and returns whether it did. What is not there equals None. new is frozen in
// either case.
func compareAndSet(m *Memory, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var k key
	var before, after starlark.Value
	if err := starlark.UnpackArgs(name, args, kwargs, "key", &k, "old", &before, "new", &after); err != nil {
		return nil, err
	}
	if _, err := weigh(before); err != nil {
		return nil, named(name, err)
	}
	e, err := keep(string(k), after)
	if err != nil {
		return nil, named(name, err)
	}
	swapped, err := m.swap(string(k), before, e)
	return starlark.Bool(swapped), named(name, err)
}

// delete(key) removes what is under key, and returns whether there was anything.
func del(m *Memory, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var k key
	if err := starlark.UnpackArgs(name, args, kwargs, "key", &k); err != nil {
		return nil, err
	}
	return starlark.Bool(m.delete(string(k))), nil
}

// keys(prefix="") is a new list of the keys that start with prefix, sorted.
func keys(m *Memory, name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var prefix string
	if err := starlark.UnpackArgs(name, args, kwargs, "prefix?", &prefix); err != nil {
		return nil, err
	}
	found := m.keys(prefix)
	list := make([]starlark.Value, len(found))
	for i, k := range found {
		list[i] = starlark.String(k)
	}
	return starlark.NewList(list), nil
}

// A key is a key as a script gives it.
type key string

// Unpack refuses what can't be a key.
func (k *key) Unpack(v starlark.Value) error {
	s, ok := v.(starlark.String)
	if !ok {
		return fmt.Errorf("got %s, want str: str(key)", engine.Describe(v))
	}
	if len(s) > maxKey {
		return fmt.Errorf("a key of %d bytes, more than %d", len(s), maxKey)
	}
	*k = key(s)
	return nil
}

func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
