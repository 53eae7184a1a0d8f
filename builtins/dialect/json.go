package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// maxCollections is how many lists and dicts json.decode makes: an empty dict
// takes 200 times the memory of its text.
const maxCollections = 200_000

// jsonModule has the members of go.starlark.net's, on package exactjson: dicts
// keep their order, integers of any size stay exact, and all is bounded.
func jsonModule() starlark.Value {
	return &starlarkstruct.Module{Name: "json", Members: starlark.StringDict{
		"encode":        starlark.NewBuiltin("json.encode", jsonEncode),
		"encode_indent": starlark.NewBuiltin("json.encode_indent", jsonEncodeIndent),
		"decode":        starlark.NewBuiltin("json.decode", jsonDecode),
		"indent":        starlark.NewBuiltin("json.indent", jsonIndent),
	}}
}

// encode(x) is x as JSON on one line. Dicts and models keep the order of their
// keys and fields; text must be valid UTF-8. At most 8 MiB, nested 200 deep.
func jsonEncode(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x); err != nil {
		return nil, err
	}
	text, err := encoded(thread, x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return starlark.String(text), nil
}

func encoded(thread *starlark.Thread, x starlark.Value) ([]byte, error) {
	text, err := exactjson.Append(nil, x, "", exactjson.Limits{Bytes: maxText})
	charge(thread, len(text))
	return text, err
}

// encode_indent(x, *, prefix="", indent="\t") is
// json.indent(json.encode(x), prefix=prefix, indent=indent).
func jsonEncodeIndent(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	prefix, indent, err := indentation(b, kwargs)
	if err != nil {
		return nil, err
	}
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, nil, 1, &x); err != nil {
		return nil, err
	}
	text, err := encoded(thread, x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return indented(b, text, prefix, indent)
}

// indent(text, *, prefix="", indent="\t") lays out JSON over lines: each but the
// first begins with prefix, and an indent for each level. At most 8 MiB.
func jsonIndent(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	prefix, indent, err := indentation(b, kwargs)
	if err != nil {
		return nil, err
	}
	var text string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, nil, 1, &text); err != nil {
		return nil, err
	}
	charge(thread, len(text))
	return indented(b, []byte(text), prefix, indent)
}

func indentation(b *starlark.Builtin, kwargs []starlark.Tuple) (prefix, indent string, err error) {
	indent = "\t"
	err = starlark.UnpackArgs(b.Name(), nil, kwargs, "prefix?", &prefix, "indent?", &indent)
	return prefix, indent, err
}

func indented(b *starlark.Builtin, text []byte, prefix, indent string) (starlark.Value, error) {
	if indentedSize(text, len(prefix), len(indent)) > maxText {
		return nil, fmt.Errorf("%s: more than %d bytes of text", b.Name(), maxText)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, prefix, indent); err != nil {
		return nil, fmt.Errorf("%s: not JSON: %w", b.Name(), err)
	}
	return starlark.String(out.String()), nil
}

// indentedSize is at least what json.Indent will write.
func indentedSize(text []byte, prefix, indent int) int {
	size, depth := len(text), 0
	structure(text, func(c byte) bool {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		}
		size += 2 + prefix + depth*indent // a newline, or the space after a colon
		return size <= maxText
	})
	return size
}

// structure calls each for the brackets, commas and colons outside of strings
// until it returns false.
func structure(text []byte, each func(c byte) bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && bytes.IndexByte([]byte("[]{},:"), c) >= 0:
			if !each(c) {
				return
			}
		}
	}
}

// decode(x, default=…) is the value that the JSON text x denotes, with new dicts
// and lists that may be changed. Numbers without fraction and exponent are ints,
// of up to 4,300 digits. Text that is no JSON is an error, or gives default.
//
// At most 8 MiB, nested 200 deep, with 1,000,000 values, of which 200,000 lists
// and dicts.
func jsonDecode(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, fallback starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "default?", &fallback); err != nil {
		return nil, err
	}
	text, err := jsonText(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	charge(thread, len(text))
	v, err := exactjson.Decode(text, exactjson.Limits{})
	switch {
	case err == nil:
		return v, nil
	case fallback != nil:
		return fallback, nil
	}
	return nil, fmt.Errorf("%s: %w", b.Name(), err)
}

// jsonText is the text to decode, if it is not too much.
func jsonText(x starlark.Value) ([]byte, error) {
	var text []byte
	switch x := x.(type) {
	case starlark.String:
		text = []byte(x)
	case starlark.Bytes:
		text = []byte(x)
	default:
		return nil, fmt.Errorf("got %s, want JSON as text", engine.Describe(x))
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("a text of %d bytes, more than %d", len(text), maxText)
	}
	values, collections := 1, 0
	structure(text, func(c byte) bool {
		switch c {
		case '[', '{':
			collections++
			values++
		case ',', ':':
			values++
		}
		return true
	})
	switch {
	case values > maxItems:
		return nil, fmt.Errorf("more than %d values", maxItems)
	case collections > maxCollections:
		return nil, fmt.Errorf("more than %d lists and dicts", maxCollections)
	}
	return text, nil
}
