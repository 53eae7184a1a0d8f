package types

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// An Instance is a value of a [Model]: frozen from the start, equal by value,
// hashable if all its fields are. It never contains itself.
type Instance struct {
	model  *Model
	values []starlark.Value // in the order of the model's fields
	weight weight
}

var (
	_ starlark.HasSetField = (*Instance)(nil)
	_ starlark.Comparable  = (*Instance)(nil)
	_ exactjson.Encodable  = (*Instance)(nil)
)

// put sets a field of an instance that is being made, to a frozen value.
func (in *Instance) put(i int, v starlark.Value) {
	in.weight = in.weight.with(weigh(v))
	in.values[i] = v
}

// Model is the type of in.
func (in *Instance) Model() *Model { return in.model }

// Get is the value of the field of that name.
func (in *Instance) Get(name string) (starlark.Value, bool) {
	i, ok := in.model.index[name]
	if !ok {
		return nil, false
	}
	return in.values[i], true
}

// String is the instance as a script would write it: Stock(title = "x", copies = 1).
func (in *Instance) String() string {
	var b strings.Builder
	b.WriteString(in.model.Name() + "(")
	for i, p := range in.model.fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Name + " = " + in.values[i].String())
	}
	b.WriteByte(')')
	return b.String()
}

// Type is the model's name.
func (in *Instance) Type() string { return in.model.Name() }

// Freeze does nothing: an instance is frozen.
func (in *Instance) Freeze() {}

// Truth is True.
func (in *Instance) Truth() starlark.Bool { return starlark.True }

// Hash fails if a field can't be hashed, and names it.
func (in *Instance) Hash() (uint32, error) {
	h, _ := starlark.String(in.model.name).Hash()
	for i, v := range in.values {
		x, err := v.Hash()
		if err != nil {
			return 0, fmt.Errorf("unhashable: %s, because of its field %s (%s)", in.Type(), in.model.fields[i].Name, v.Type())
		}
		h = h*16777619 ^ x
	}
	return h, nil
}

// Attr is the value of a field.
func (in *Instance) Attr(name string) (starlark.Value, error) {
	if v, ok := in.Get(name); ok {
		return v, nil
	}
	return nil, nil // the interpreter says so, and names the nearest field
}

// AttrNames are the fields, sorted.
func (in *Instance) AttrNames() []string {
	names := in.model.names()
	slices.Sort(names)
	return names
}

// SetField refuses, and says how to do it instead.
func (in *Instance) SetField(name string, _ starlark.Value) error {
	return fmt.Errorf("an instance of %s can't be changed; make another one: replace(x, %s = ...)", in.Type(), name)
}

// CompareSameType compares by value; instances have no order.
func (in *Instance) CompareSameType(op syntax.Token, other starlark.Value, depth int) (bool, error) {
	if op != syntax.EQL && op != syntax.NEQ {
		return false, fmt.Errorf("instances have no order: %s %s %s", in.Type(), op, other.Type())
	}
	equal, err := in.equal(other, depth)
	return equal == (op == syntax.EQL), err
}

func (in *Instance) equal(other starlark.Value, depth int) (bool, error) {
	o, ok := other.(*Instance)
	switch {
	case !ok || o.model != in.model:
		return false, nil
	case o == in:
		return true, nil
	}
	for i, v := range in.values {
		equal, err := starlark.EqualDepth(v, o.values[i], depth-1)
		if err != nil || !equal {
			return false, err
		}
	}
	return true, nil
}

// JSON is the instance as an object, in the order of its fields.
func (in *Instance) JSON() any {
	o := make(exactjson.Object, len(in.values))
	for i, p := range in.model.fields {
		o[i] = exactjson.Member{Name: p.Name, Value: in.values[i]}
	}
	return o
}

// replace is replace(instance, copies = 3): another instance with these fields changed.
func replace(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	in, err := oneInstance("replace", args)
	if err != nil {
		return nil, err
	}
	all := make([]starlark.Tuple, 0, len(in.values)+len(kwargs))
	for i, p := range in.model.fields {
		all = append(all, starlark.Tuple{starlark.String(p.Name), in.values[i]})
	}
	return in.model.CallInternal(thread, nil, append(all, kwargs...)) // of two the later counts
}

// toDict is to_dict(instance): a fresh dict, with the instances in it as dicts too.
func toDict(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, errors.New("to_dict takes one instance of a model and no keywords")
	}
	in, err := oneInstance("to_dict", args)
	if err != nil {
		return nil, err
	}
	return thaw(in), nil
}

func oneInstance(word string, args starlark.Tuple) (*Instance, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("%s takes one instance of a model, got %d values", word, len(args))
	}
	in, ok := args[0].(*Instance)
	if ok {
		return in, nil
	}
	if list, ok := args[0].(*starlark.List); ok && list.Len() > 0 && isA[*Instance](list.Index(0)) {
		return nil, fmt.Errorf("%s takes one instance, got a list of %d: write [%s(x) for x in ...]", word, list.Len(), word)
	}
	return nil, fmt.Errorf("%s takes an instance of a model, got %s", word, engine.Describe(args[0]))
}

// thaw copies v with all containers in it, so that the copy may be changed. v has
// been weighed.
func thaw(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case *Instance:
		out := starlark.NewDict(len(v.values))
		for i, p := range v.model.fields {
			_ = out.SetKey(starlark.String(p.Name), thaw(v.values[i])) // a fresh dict takes any text
		}
		return out
	case *starlark.List:
		out := make([]starlark.Value, v.Len())
		for i := range out {
			out[i] = thaw(v.Index(i))
		}
		return starlark.NewList(out)
	case starlark.Tuple:
		out := make(starlark.Tuple, len(v))
		for i := range out {
			out[i] = thaw(v[i])
		}
		return out
	case *starlark.Dict:
		out := starlark.NewDict(v.Len())
		for k, part := range v.Entries() {
			_ = out.SetKey(k, thaw(part)) // k is a key already
		}
		return out
	case *starlark.Set:
		out := starlark.NewSet(v.Len())
		for part := range v.Elements() {
			_ = out.Insert(part) // likewise
		}
		return out
	}
	return v
}
