package store

import (
	"fmt"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// maxDepth is how deep a comparison goes; what is deeper is never stored.
const maxDepth = 256

// keep makes v ready to be stored under key: weighed, and frozen.
func keep(key string, v starlark.Value) (entry, error) {
	size, err := weigh(v)
	if err != nil {
		return entry{}, err
	}
	v.Freeze()
	const overhead = 100 // a map entry, roughly
	return entry{value: v, bytes: len(key) + size + overhead}, nil
}

// weigh is roughly how many bytes v takes. It refuses what is no data, and what
// would take long to compare or to freeze.
func weigh(v starlark.Value) (int, error) {
	total := 0
	err := engine.Unfold(v, maxValues, func(v starlark.Value) error {
		size, err := weighOne(v)
		if total += size; total > maxBytes {
			return fmt.Errorf("a value of more than %d bytes", maxBytes)
		}
		return err
	})
	return total, err
}

func weighOne(v starlark.Value) (int, error) {
	const value, collection, member = 16, 64, 32
	switch v := v.(type) {
	case starlark.String:
		return value + len(v), nil
	case starlark.Bytes:
		return value + len(v), nil
	case starlark.Int:
		return value + v.BigInt().BitLen()/8, nil
	case *starlark.Dict:
		return collection + v.Len()*2*member, nil
	case *starlark.Set:
		return collection + v.Len()*2*member, nil
	case *starlark.List, starlark.Tuple, *starlarkstruct.Struct:
		return collection, nil
	case starlark.NoneType, starlark.Bool, starlark.Float, startime.Time, startime.Duration:
		return value, nil
	case starlark.Callable, engine.Question, engine.Type:
		return 0, noData(v)
	case exactjson.Encodable:
		return collection, nil
	}
	if v.Type() == "range" {
		return value, nil
	}
	return 0, noData(v)
}

func noData(v starlark.Value) error {
	switch v := v.(type) {
	case engine.Question:
		return fmt.Errorf("a question (%s) can't be kept; keep its answer", v.Word())
	case engine.Type:
		return fmt.Errorf("the type %s can't be kept; keep values", v.TypeName())
	case starlark.Callable:
		return fmt.Errorf("the function %s can't be kept; keep data, and look functions up by name", v.Name())
	}
	return fmt.Errorf("a %s can't be kept; keep the data it holds", v.Type())
}
