package declare

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// scopes unpacks scopes = ["books:write"].
type scopes struct{ to *[]string }

// Unpack implements starlark.Unpacker.
func (s *scopes) Unpack(v starlark.Value) error {
	if v == starlark.None {
		return nil
	}
	if text, ok := starlark.AsString(v); ok {
		return fmt.Errorf("got a text, want a list; write scopes = [%q]", text)
	}
	list, ok := v.(starlark.Sequence)
	if _, isDict := v.(*starlark.Dict); !ok || isDict {
		return fmt.Errorf("got %s, want a list of texts", v.Type())
	}
	for item := range starlark.Elements(list) {
		text, ok := starlark.AsString(item)
		if !ok {
			return fmt.Errorf("a scope is a text, got %s", engine.Describe(item))
		}
		if !isScope(text) {
			return fmt.Errorf("%q can't be a scope; it is one word of ASCII characters, without quotes and backslashes", text)
		}
		if !slices.Contains(*s.to, text) {
			*s.to = append(*s.to, text)
		}
	}
	return nil
}

// isScope reports whether OAuth lets a text be a scope (RFC 6749, 3.3).
func isScope(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return text != ""
}
