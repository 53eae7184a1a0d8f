package dialect

import (
	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
)

// Words are the names this package gives to scripts.
func Words() starlark.StringDict {
	return starlark.StringDict{
		"sum":            starlark.NewBuiltin("sum", sum),
		"round":          starlark.NewBuiltin("round", round),
		"pow":            starlark.NewBuiltin("pow", pow),
		"divmod":         starlark.NewBuiltin("divmod", divmod),
		"format":         starlark.NewBuiltin("format", format),
		"print":          starlark.NewBuiltin("print", printLine),
		"attempt":        starlark.NewBuiltin("attempt", attempt),
		"fail":           starlark.NewBuiltin("fail", fail),
		"protocol_error": starlark.NewBuiltin("protocol_error", protocolError),
		"text":           textWord{},
		"json":           jsonModule(),
		"math":           math.Module,
	}
}
