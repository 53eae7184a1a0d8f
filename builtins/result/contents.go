package result

import (
	"encoding/json"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// What a resource holds that says no MIME type.
const (
	TextType  = "text/plain"
	BytesType = "application/octet-stream"
	JSONType  = "application/json"
)

// Contents makes the contents of a resource of what its function returned: text,
// bytes, content blocks or a list of them as they are, anything else as JSON. mimeType
// is what the resource declares, or "".
func Contents(v starlark.Value, uri, mimeType string, limits exactjson.Limits) (json.RawMessage, error) {
	blocks, err := Embedded(v, uri, mimeType, limits)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(blocks))
	for i, b := range blocks {
		list[i], _ = b.Resource()
	}
	return exactjson.Append(nil, list, "", limits)
}

// Embedded is [Contents] as blocks, which is how a script gets them.
func Embedded(v starlark.Value, uri, mimeType string, limits exactjson.Limits) ([]content.Block, error) {
	or := func(otherwise string) string {
		if mimeType != "" {
			return mimeType
		}
		return otherwise
	}
	switch v := v.(type) {
	case engine.Question:
		return nil, asked("resource", v)
	case starlark.String:
		return []content.Block{content.Embedded(uri, string(v), or(TextType))}, nil
	case starlark.Bytes:
		return []content.Block{content.EmbeddedBytes(uri, []byte(v), or(BytesType))}, nil
	case content.Block, *starlark.List, starlark.Tuple:
		if blocks := held(v, uri, or(TextType)); blocks != nil {
			return blocks, nil
		}
	}
	text, err := exactjson.Append(nil, v, "  ", limits)
	if err != nil {
		return nil, err
	}
	return []content.Block{content.Embedded(uri, string(text), or(JSONType))}, nil
}

// held are the contents of a content block or of a list of them; nil of anything else.
func held(v starlark.Value, uri, mimeType string) []content.Block {
	list, ok := v.(starlark.Indexable)
	if !ok {
		list = starlark.Tuple{v}
	}
	var blocks []content.Block
	for i := range list.Len() {
		b, ok := list.Index(i).(content.Block)
		if !ok {
			return nil
		}
		if b, ok = b.Held(uri, mimeType); !ok {
			return nil
		}
		blocks = append(blocks, b)
	}
	return blocks
}
