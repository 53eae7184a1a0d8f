package types

import (
	"errors"
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"go.starlark.net/starlark"
)

// AsType is the type that an annotation's value means. The error says what to
// write instead, for the author.
func AsType(v starlark.Value) (engine.Type, error) {
	switch v := v.(type) {
	case *word:
		return v.ownShape, nil
	case engine.Type:
		return v, nil
	case starlark.NoneType:
		return noneType, nil
	case *fieldValue:
		return nil, fmt.Errorf("field(...) describes a whole parameter or model field and can't be part of a type; use %s here, or write field(T, ...) with the whole type inside", v.field.Type.TypeName())
	case starlark.String:
		return nil, fmt.Errorf("%s is text, not a type; write the type without quotes", engine.Describe(v))
	case starlark.Bool, starlark.Int, starlark.Float:
		name, value := inferName(v), shown(v)
		return nil, fmt.Errorf("%s is a value, not a type; write %s, or with a default `x: %s = %s` (in a model: field(%s, default = %s))", value, name, name, value, name, value)
	case *starlark.List:
		return nil, listMistake(v)
	case *starlark.Dict:
		return nil, dictMistake(v)
	case starlark.Tuple:
		return nil, fmt.Errorf("a tuple of %d is not a type; for one type or another write A | B, for a list list[T]", len(v))
	case *Instance:
		return nil, fmt.Errorf("this is an instance of %s, not the type; write %s", v.Type(), v.Type())
	case *starlark.Function:
		return nil, fmt.Errorf("%s is a function, not a type; for a value that it computes write resolve(%s)", v.Name(), v.Name())
	case *starlark.Builtin:
		return nil, builtinMistake(v)
	}
	if v.Type() == "resolve" {
		return nil, fmt.Errorf("resolve(...) stands alone; annotate the parameter directly, `x: resolve(fn)`, and write the type after -> of fn")
	}
	return nil, fmt.Errorf("a %s is not a type; write str, int, float, bool, list[T], dict[str, T], enum(...), a model, or T | None", v.Type())
}

// shown is a value as a script would write it, or "..." if that is long.
func shown(v starlark.Value) string {
	if i, ok := v.(starlark.Int); ok && i.BigInt().BitLen() > 256 {
		return "..." // its decimals take quadratic time
	}
	return v.String()
}

func listMistake(v *starlark.List) error {
	if v.Len() == 1 {
		if t, err := AsType(v.Index(0)); err == nil {
			return fmt.Errorf("[%s] is a list that holds a type; write list[%s]", t.TypeName(), t.TypeName())
		}
	}
	if f, err := Infer(v); err == nil {
		return fmt.Errorf("a list of %d is a value, not a type; write %s", v.Len(), f.Type.TypeName())
	}
	return fmt.Errorf("a list of %d is a value, not a type; write list[T], for instance list[str]", v.Len())
}

func dictMistake(v *starlark.Dict) error {
	if v.Len() == 0 {
		return fmt.Errorf("{} is a value, not a type; write dict[str, T], or a model for fields with names")
	}
	for k, elem := range v.Entries() {
		if _, err := AsType(elem); err == nil {
			if t, err := AsType(k); err == nil && v.Len() == 1 && t.TypeName() == "str" {
				e, _ := AsType(elem)
				return fmt.Errorf("{str: %s} is a dict that holds types; write dict[str, %s]", e.TypeName(), e.TypeName())
			}
			return fmt.Errorf("a dict of types is not a type; make it a model: model(name = str, ...); for JSON Schema write schema({...})")
		}
		break
	}
	return fmt.Errorf("a dict is a value, not a type; write dict[str, T]; for JSON Schema write schema({...})")
}

func builtinMistake(b *starlark.Builtin) error {
	switch b.Name() {
	case "enum", "model", "schema", "field":
		return fmt.Errorf("%s makes a type when it is called: write %s(...)", b.Name(), b.Name())
	case "tuple":
		return fmt.Errorf("JSON has no tuples; write list[T]")
	case "set":
		return fmt.Errorf("JSON has no sets; write list[T]")
	case "bytes":
		return fmt.Errorf("JSON has no bytes; write str")
	}
	return fmt.Errorf("%s is a function, not a type", b.Name())
}

// noAttribute explains a read of an attribute on a type, as in str.upper("x").
func noAttribute(t shape, name string) error {
	what := t.TypeName()
	if bareDict.same(t) && name == "fromkeys" {
		return errors.New("dict has no .fromkeys here; write {k: None for k in keys}")
	}
	if v, ok := example(t).(starlark.HasAttrs); ok {
		if attr, err := v.Attr(name); err == nil && attr != nil {
			return fmt.Errorf("%s is a type and has no .%s; it belongs to the values of that type: write x.%s", clip(what), name, name)
		}
		if hint := engine.DidYouMean(name, v.AttrNames()); hint != "" {
			return fmt.Errorf("%s is a type and has no .%s, nor have its values (%s)", clip(what), name, hint)
		}
	}
	return fmt.Errorf("%s is a type and has no .%s", clip(what), name)
}

// example is some value of a type, or nil.
func example(t shape) starlark.Value {
	switch t := unwrap(t).(type) {
	case *scalar:
		if t == strType {
			return starlark.String("")
		}
	case *enum:
		return t.choices[0].value
	case *listOf:
		return starlark.NewList(nil)
	case *dictOf:
		return new(starlark.Dict)
	}
	return nil
}

// noIndex explains T[...] on a type that takes no parts.
func noIndex(t shape) error {
	return fmt.Errorf("%s[...] is not a type; only list[T] and dict[str, T] take types in brackets", t.TypeName())
}
