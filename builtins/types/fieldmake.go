package types

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpstar/mcpstar/engine"
	"go.starlark.net/starlark"
)

// fieldWords are the keywords of field, in the order of the documentation.
var fieldWords = [...]string{
	"description", "default", "factory", "ge", "gt", "le", "lt", "multiple_of",
	"min_length", "max_length", "pattern", "format", "title",
}

func makeField(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("field takes one type and then keywords: field(int, description = \"...\", ge = 0); got %d values without a keyword", len(args))
	}
	wrong := false
	mistake := func(option string, err error) error {
		wrong = true
		return mistaken(thread, option, fmt.Errorf("field: %w", err))
	}
	t, err := AsType(args[0])
	if err != nil {
		if err := mistake("", err); err != nil {
			return nil, err
		}
		t = anyType
	}
	f := &Field{Type: t}
	var def starlark.Value
	for _, kv := range kwargs {
		name := string(kv[0].(starlark.String))
		if name == "default" {
			def = kv[1] // checked when the limits are known
			continue
		}
		if err := f.put(name, kv[1]); err != nil {
			if err := mistake(name, err); err != nil {
				return nil, err
			}
		}
	}
	if wrong { // so that the rest makes no sense
		return &fieldValue{&Field{Type: anyType}}, nil
	}
	if err := f.complete(def); err != nil {
		if err := mistake("", err); err != nil {
			return nil, err
		}
		return &fieldValue{&Field{Type: anyType}}, nil
	}
	return &fieldValue{f}, nil
}

// complete sets the default, if there is one, of a field whose limits are known.
func (f *Field) complete(def starlark.Value) error {
	if err := f.Limits.valid(shapeOf(f.Type)); err != nil {
		return err
	}
	if def != nil {
		if f.Factory != nil {
			return errors.New("there are a default and a factory; keep one")
		}
		if err := f.setDefault(def); err != nil {
			return err
		}
	}
	return f.measure().tooLarge()
}

// put sets what one keyword says.
func (f *Field) put(name string, v starlark.Value) (err error) {
	switch name {
	case "description":
		f.Description, err = textOf(name, v)
	case "title":
		f.Title, err = textOf(name, v)
	case "factory":
		f.Factory, err = factoryOf(v)
	case "ge":
		f.Ge, err = numberOf(name, v)
	case "gt":
		f.Gt, err = numberOf(name, v)
	case "le":
		f.Le, err = numberOf(name, v)
	case "lt":
		f.Lt, err = numberOf(name, v)
	case "multiple_of":
		f.MultipleOf, err = numberOf(name, v)
	case "min_length":
		f.MinLength, err = lengthOf(name, v)
	case "max_length":
		f.MaxLength, err = lengthOf(name, v)
	case "pattern":
		if f.Pattern, err = textOf(name, v); err == nil {
			f.pattern, err = compile(f.Pattern)
		}
	case "format":
		f.Format, err = formatOf(v)
	default:
		return unknownName("keyword", name, fieldWords[:])
	}
	return err
}

func unknownName(what, name string, known []string) error {
	if hint := engine.DidYouMean(name, known); hint != "" {
		return fmt.Errorf("there is no %s %s (%s)", what, name, hint)
	}
	return fmt.Errorf("there is no %s %s; there are %s", what, name, strings.Join(known, ", "))
}

func textOf(name string, v starlark.Value) (string, error) {
	s, ok := starlark.AsString(v)
	if !ok {
		return "", fmt.Errorf("%s is text, got %s", name, engine.Describe(v))
	}
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("%s is not valid UTF-8", name)
	}
	return s, nil
}

func numberOf(name string, v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case starlark.Int:
		if v.BigInt().BitLen() <= 4096 { // JSON has a limit too
			return v, nil
		}
	case starlark.Float:
		if finite(v) {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s is a number, got %s", name, engine.Describe(v))
}

func lengthOf(name string, v starlark.Value) (*int, error) {
	i, ok := v.(starlark.Int)
	if ok {
		if n, small := i.Int64(); small && n >= 0 && n <= 1<<31 {
			length := int(n)
			return &length, nil
		}
	}
	return nil, fmt.Errorf("%s is a whole number from 0 on, got %s", name, engine.Describe(v))
}

func factoryOf(v starlark.Value) (starlark.Callable, error) {
	fn, ok := v.(starlark.Callable)
	if !ok {
		return nil, fmt.Errorf("factory is a function that makes the default, got %s; for a fixed default write default =", engine.Describe(v))
	}
	if f, ok := v.(*starlark.Function); ok {
		for i := range f.NumParams() - f.NumKwonlyParams() {
			if name, _ := f.Param(i); f.ParamDefault(i) == nil && !(f.HasVarargs() || f.HasKwargs()) {
				return nil, fmt.Errorf("factory is called without arguments, but %s needs %s", f.Name(), name)
			}
		}
	}
	return fn, nil
}
