package dialect

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// show is v as str(v) gives it, or an error when that is more than maxText bytes
// or would take long to find out.
func show(v starlark.Value) (string, error) {
	if s, ok := starlark.AsString(v); ok {
		if len(s) > maxText {
			return "", fmt.Errorf("a text of %d bytes, more than %d", len(s), maxText)
		}
		return s, nil
	}
	size := 0
	err := engine.Unfold(v, maxItems, func(v starlark.Value) error {
		switch v := v.(type) {
		case starlark.String:
			size += len(v)
		case starlark.Bytes:
			size += len(v)
		case starlark.Int:
			if err := checkBits(v); err != nil {
				return err
			}
			size += v.BigInt().BitLen() / 3
		}
		if size += 2; size > maxText {
			return fmt.Errorf("a value of more than %d bytes of text", maxText)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if b, ok := v.(starlark.Bytes); ok {
		return string(b), nil // as Starlark's own print
	}
	return v.String(), nil
}

// joined is what print and fail say.
func joined(args starlark.Tuple, sep string) (string, error) {
	var out strings.Builder
	for i, arg := range args {
		if i > 0 {
			out.WriteString(sep)
		}
		s, err := show(arg)
		if err != nil {
			return "", err
		}
		out.WriteString(s)
		if out.Len() > maxText {
			return "", fmt.Errorf("more than %d bytes of text", maxText)
		}
	}
	return out.String(), nil
}
