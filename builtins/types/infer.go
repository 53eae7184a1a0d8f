package types

import (
	"errors"
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"go.starlark.net/starlark"
)

// Infer is the field of a parameter that has a default and no type: `x = 10` is
// an int. A default that does not tell its type is an error that says what to write.
func Infer(def starlark.Value) (*Field, error) {
	t, err := inferType(def, 0)
	if err != nil {
		return nil, err
	}
	return (&Field{Type: t}).WithDefault(def)
}

func inferType(v starlark.Value, depth int) (shape, error) {
	if depth > maxTypeDepth/2 {
		return nil, errors.New("this default is nested too deep to tell its type; write the type")
	}
	switch v := v.(type) {
	case starlark.String:
		return strType, nil
	case starlark.Bool:
		return boolType, nil
	case starlark.Int:
		return intType, nil
	case starlark.Float:
		return floatType, nil
	case *Instance:
		return v.model, nil
	case starlark.NoneType:
		return nil, errors.New("the default None does not tell the type; write `x: T | None = None`, for instance `x: str | None = None`")
	case *starlark.List:
		if v.Len() == 0 {
			return nil, errors.New("the default [] does not tell the type of its elements; write it, for instance `x: list[str] = []`")
		}
		elem, err := oneType(v.Len(), v.Index, depth)
		if err != nil {
			return nil, fmt.Errorf("a list as default: %w", mixed(err, "its elements are", "list[%s] = [...]"))
		}
		return newList(elem), nil
	case *starlark.Dict:
		return inferDict(v, depth)
	case starlark.Tuple:
		return nil, errors.New("a tuple as default does not tell the type, JSON has no tuples; write a list")
	case *word, engine.Type:
		name := v.(interface{ TypeName() string }).TypeName()
		return nil, fmt.Errorf("the default is the type %s; write a colon: `x: %s`", name, name)
	case *fieldValue:
		return nil, errors.New("the default is field(...); write a colon: `x: field(...)`")
	}
	return nil, fmt.Errorf("the default, %s, does not tell the type; write it: `x: T = ...`", engine.Describe(v))
}

func inferDict(v *starlark.Dict, depth int) (shape, error) {
	if v.Len() == 0 {
		return nil, errors.New("the default {} does not tell the type of its values; write it, for instance `x: dict[str, int] = {}`")
	}
	var elems []starlark.Value
	for k, e := range v.Entries() {
		if _, ok := k.(starlark.String); !ok {
			return nil, fmt.Errorf("a dict as default has text as keys, as JSON has, got the key %s", engine.Describe(k))
		}
		elems = append(elems, e)
	}
	elem, err := oneType(len(elems), func(i int) starlark.Value { return elems[i] }, depth)
	if err != nil {
		return nil, fmt.Errorf("a dict as default: %w", mixed(err, "its values are", "dict[str, %s] = {...}"))
	}
	return newDict(elem), nil
}

// oneType is the type that n values have in common.
func oneType(n int, at func(int) starlark.Value, depth int) (shape, error) {
	first, err := inferType(at(0), depth+1)
	if err != nil {
		return nil, err
	}
	for i := 1; i < n; i++ {
		t, err := inferType(at(i), depth+1)
		switch {
		case err != nil:
			return nil, err
		case first.same(t):
		case isNumber(first) && isNumber(t):
			first = floatType
		default:
			return nil, &severalTypes{first, t}
		}
	}
	return first, nil
}

func isNumber(t shape) bool { return intType.same(t) || floatType.same(t) }

// severalTypes says that the parts of a default are not of one type.
type severalTypes struct{ a, b shape }

func (s *severalTypes) Error() string {
	return fmt.Sprintf("of several types, %s and %s", s.a.TypeName(), s.b.TypeName())
}

// mixed completes the error of oneType.
func mixed(err error, what, remedy string) error {
	several, ok := err.(*severalTypes)
	if !ok {
		return err
	}
	union := several.a.TypeName() + " | " + several.b.TypeName()
	return fmt.Errorf("%s %w; write the type, for instance `x: "+remedy+"`", what, err, union)
}

func inferName(v starlark.Value) string {
	if t, err := inferType(v, 0); err == nil {
		return t.TypeName()
	}
	return "T"
}
