package guard

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// Methods reports whether a method of that name needs a guard on some value. The
// others are left alone: they make nothing, or no more than a step may.
func Methods(name string) bool { return guardOf(name) != nil }

// method guards x if it is a method of a value of Starlark's own that needs it.
func (g *Gate) method(x starlark.Value) starlark.Value {
	b, ok := x.(*starlark.Builtin)
	if !ok || b.Receiver() == nil {
		return x
	}
	switch b.Receiver().(type) {
	case starlark.String, starlark.Bytes, *starlark.List, *starlark.Dict, *starlark.Set:
		if guard := guardOf(b.Name()); guard != nil {
			guarded := func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				return guard(GateOf(thread), b, args, kwargs)
			}
			return starlark.NewBuiltin(b.Name(), guarded).BindReceiver(b.Receiver())
		}
	}
	return x
}

type guardFunc = func(*Gate, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

func guardOf(name string) guardFunc {
	switch name {
	case "join":
		return join
	case "replace":
		return replace
	case "format":
		return template
	case "split", "rsplit", "splitlines":
		return split
	case "upper", "lower", "title", "capitalize":
		return recased
	case "strip", "lstrip", "rstrip":
		return strip
	case "extend":
		return extend
	case "index", "remove":
		return find
	case "insert":
		return insert
	case "items", "keys", "values", "popitem":
		return listed
	case "update", "union", "difference", "intersection", "symmetric_difference", "issubset", "issuperset":
		return combined
	}
	return nil
}

func (g *Gate) native(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return b.CallInternal(g.thread, args, kwargs)
}

// watching calls b with its arguments watched; bytes is what is made of an element.
func (g *Gate) watching(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple, bytes int) (starlark.Value, error) {
	return g.judging(b, args, kwargs, func(arg starlark.Value, failed *error) (starlark.Value, error) {
		return g.watch(arg, bytes, failed)
	})
}

// judging calls b with what judge makes of its arguments. failed is for what goes wrong
// while b reads one.
func (g *Gate) judging(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple, judge func(arg starlark.Value, failed *error) (starlark.Value, error)) (starlark.Value, error) {
	var failed error
	in := make(starlark.Tuple, len(args))
	for i, arg := range args {
		v, err := judge(arg, &failed)
		if err != nil {
			return nil, err
		}
		in[i] = v
	}
	v, err := g.native(b, in, kwargs)
	if failed != nil {
		return nil, failed
	}
	return v, err
}

// join is sep.join(iterable).
func join(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sep, ok := b.Receiver().(starlark.String)
	if !ok || len(args) != 1 {
		return g.native(b, args, kwargs)
	}
	it, ok := args[0].(starlark.Iterable)
	if !ok {
		return g.native(b, args, kwargs)
	}
	var failed error
	w := watched{Iterable: it, gate: g, err: &failed, bytes: func(v starlark.Value) int {
		s, _ := v.(starlark.String)
		return len(s) + len(sep)
	}}
	v, err := g.native(b, starlark.Tuple{w}, kwargs)
	if failed != nil {
		return nil, failed
	}
	return v, err
}

// replace is s.replace(old, new, count=-1).
func replace(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	s, ok := b.Receiver().(starlark.String)
	if ok && len(args) >= 2 {
		before, isText := starlark.AsString(args[0])
		after, alsoText := starlark.AsString(args[1])
		if isText && alsoText {
			times := strings.Count(string(s), before)
			if len(args) > 2 {
				if most, err := starlark.AsInt32(args[2]); err == nil && most >= 0 {
					times = min(times, most)
				}
			}
			if err := g.budget.Charge(int64(len(s)) + int64(times)*int64(max(len(after)-len(before), 0))); err != nil {
				return nil, err
			}
		}
	}
	return g.native(b, args, kwargs)
}

// template is s.format(*args, **kwargs).
func template(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if s, ok := b.Receiver().(starlark.String); ok {
		if err := g.beforeTemplate(string(s), args, kwargs); err != nil {
			return nil, err
		}
	}
	return g.native(b, args, kwargs)
}

// split is s.split(sep, maxsplit) and what is like it.
func split(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if s, ok := b.Receiver().(starlark.String); ok {
		pieces := len(s)/2 + 1
		if b.Name() == "splitlines" {
			pieces = strings.Count(string(s), "\n") + 1
		} else if len(args) > 0 {
			if sep, ok := args[0].(starlark.String); ok && sep != "" {
				pieces = strings.Count(string(s), string(sep)) + 1
			}
		}
		if len(args) > 1 {
			if most, err := starlark.AsInt32(args[1]); err == nil && most >= 0 {
				pieces = min(pieces, most+1)
			}
		}
		if err := g.charge(int64(pieces), 2*slotBytes); err != nil {
			return nil, err
		}
	}
	return g.native(b, args, kwargs)
}

// recased is s.upper() and what is like it.
func recased(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := g.charge(int64(max(starlark.Len(b.Receiver()), 0)), 1); err != nil {
		return nil, err
	}
	return g.native(b, args, kwargs)
}

// strip is s.strip(cutset), which looks at the whole cutset for each character.
func strip(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	s, _ := b.Receiver().(starlark.String)
	if len(args) == 1 {
		if cutset, ok := args[0].(starlark.String); ok && len(cutset) > 100 {
			few := distinct(string(cutset))
			if utf8.RuneCountInString(few)*len(s) > 1<<30 {
				return nil, g.budget.Stop(fmt.Sprintf("stopped before %s() of so long a text looked for so many characters", b.Name()))
			}
			args = starlark.Tuple{starlark.String(few)}
		}
	}
	return g.native(b, args, kwargs)
}

// distinct is s with each of its characters once.
func distinct(s string) string {
	seen := map[rune]bool{}
	var out strings.Builder
	for _, r := range s {
		if !seen[r] {
			seen[r] = true
			out.WriteRune(r)
		}
	}
	return out.String()
}

// extend is list.extend(iterable).
func extend(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if list, ok := b.Receiver().(*starlark.List); ok && len(args) == 1 && args[0] == starlark.Value(list) {
		if err := g.charge(int64(list.Len()), slotBytes); err != nil {
			return nil, err
		}
		return g.native(b, args, kwargs)
	}
	return g.watching(b, args, kwargs, slotBytes)
}

// find is list.index(x) and list.remove(x). Text has an index too, which is fast.
func find(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if list, ok := b.Receiver().(*starlark.List); ok && len(args) > 0 {
		if err := g.beforeFind(args[0], list.Len()); err != nil {
			return nil, err
		}
	}
	return g.native(b, args, kwargs)
}

// insert is list.insert(i, x), which moves what stands behind it.
func insert(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := g.work(max(starlark.Len(b.Receiver()), 0) / 1024); err != nil {
		return nil, err
	}
	return g.native(b, args, kwargs)
}

// listed is dict.items() and what is like it.
func listed(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	unit := int64(slotBytes)
	switch b.Name() {
	case "items":
		unit = 4 * slotBytes
	case "popitem":
		unit = 0
	}
	if err := g.charge(int64(max(starlark.Len(b.Receiver()), 0)), unit); err != nil {
		return nil, err
	}
	v, err := g.native(b, args, kwargs)
	if err != nil {
		return nil, err
	}
	switch b.Name() {
	case "items":
		return v, g.sharedRows(v.(*starlark.List))
	case "popitem":
		return v, g.shared(v)
	}
	return v, nil
}

// combined is set.union(iterable), dict.update(pairs) and what is like them.
func combined(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 0 && b.Name() != "update" && b.Name() != "union" {
		// The interpreter would panic.
		return nil, fmt.Errorf("%s: got 0 arguments, want a set, a list or another iterable", b.Name())
	}
	if set, ok := b.Receiver().(*starlark.Set); ok && b.Name() != "update" {
		if err := g.charge(int64(set.Len()), entryBytes); err != nil {
			return nil, err
		}
		if err := g.uncrowded(set); err != nil {
			return nil, err
		}
	}
	return g.filling(b, args, kwargs)
}

// filling calls b, which puts what its arguments hold into a dict or set.
func (g *Gate) filling(b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return g.judging(b, args, kwargs, func(arg starlark.Value, failed *error) (starlark.Value, error) {
		m, ok := arg.(starlark.IterableMapping)
		if !ok {
			return g.watch(arg, entryBytes, failed)
		}
		if err := g.charge(int64(max(starlark.Len(m), 0)), entryBytes); err != nil {
			return nil, err
		}
		return arg, g.uncrowded(m)
	})
}
