package result

import (
	"encoding/json"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Shape is what a tool has declared to return.
type Shape struct {
	// Type is what stands after ->, or nil.
	Type engine.Type
	// Structured says that the tool has an output schema, so that a result has
	// structured content as well.
	Structured bool
	// Wrapped puts the value under "result" there.
	Wrapped bool
	// Title names the schema in errors: "order_bookOutput".
	Title string
}

// An Encoded is a result in its parts, as wire JSON.
type Encoded struct {
	Content    json.RawMessage
	Structured json.RawMessage // nil without
	Meta       json.RawMessage // nil without
	IsError    bool
}

// Encode makes the result of what a tool returned. The error is an
// *[engine.Failure], which is an *[engine.WrongResult] without its place where v does
// not fit the type, or says what JSON can't hold. limits bound the text of each part.
//
// The text shows what the function returned; the structured content holds the
// value as its type converted it.
func Encode(v starlark.Value, shape Shape, limits exactjson.Limits) (*Encoded, error) {
	if q, ok := v.(engine.Question); ok {
		return nil, asked("tool", q)
	}
	if made, ok := v.(*Handmade); ok {
		return made.encode(shape, limits)
	}
	out := new(Encoded)
	var err error
	if out.Content, err = encodeBlocks(v, limits); err != nil {
		return nil, err
	}
	out.Structured, err = structured(v, shape, limits)
	return out, err
}

// asked is the error for a body that returned a question.
func asked(what string, q engine.Question) error {
	return &engine.Failure{Text: fmt.Sprintf(
		"the %s returned %s(...): a %s can't ask; return the question from a resolver, and take its answer as a parameter", what, q.Word(), what)}
}

func encodeBlocks(v starlark.Value, limits exactjson.Limits) (json.RawMessage, error) {
	list, err := toBlocks(nil, v, limits, 0)
	if err != nil {
		return nil, err
	}
	return exactjson.Append(nil, list, "", limits)
}

// structured checks v against what the tool declared, and is its structured
// content if there is to be one.
func structured(v starlark.Value, shape Shape, limits exactjson.Limits) (json.RawMessage, error) {
	if shape.Type == nil {
		return nil, nil
	}
	got, wrong := shape.Type.Accept(v, "")
	if len(wrong) > 0 {
		return nil, &engine.WrongResult{Failure: engine.Failure{Text: Mismatches(wrong, shape.Title)}}
	}
	if !shape.Structured {
		return nil, nil
	}
	var out any = got
	if shape.Wrapped {
		out = exactjson.Object{{Name: "result", Value: got}}
	}
	return exactjson.Append(nil, out, "", limits)
}

// toBlocks appends the content blocks of v: a text as it is, a block as it is,
// nothing for None, one after the other for a list, indented JSON for the rest.
func toBlocks(list []any, v starlark.Value, limits exactjson.Limits, depth int) ([]any, error) {
	if blocks, ok := content.Blocks(v); ok {
		for _, b := range blocks {
			list = append(list, b)
		}
		return list, nil
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return list, nil
	case starlark.String:
		return append(list, textBlock(string(v))), nil
	case *starlark.List, starlark.Tuple:
		return flatten(list, v.(starlark.Indexable), depth, "content blocks; return fewer, or one text",
			func(list []any, elem starlark.Value) ([]any, error) { return toBlocks(list, elem, limits, depth+1) })
	}
	text, err := exactjson.Append(nil, v, "  ", limits)
	if err != nil {
		return nil, err
	}
	return append(list, textBlock(string(text))), nil
}

// flatten appends what each element gives, within bounds. what names the parts in
// the error for too many, and says what to do.
func flatten(list []any, elems starlark.Indexable, depth int, what string, one func([]any, starlark.Value) ([]any, error)) ([]any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("a list nested deeper than %d", maxNesting)
	}
	for i := range elems.Len() {
		var err error
		if list, err = one(list, elems.Index(i)); err != nil {
			return nil, err
		}
		if len(list) > maxBlocks {
			return nil, fmt.Errorf("more than %d %s", maxBlocks, what)
		}
	}
	return list, nil
}

const (
	maxNesting = 100
	maxBlocks  = 100_000
)

func textBlock(text string) exactjson.Object {
	return exactjson.Object{{Name: "type", Value: "text"}, {Name: "text", Value: text}}
}

// Mismatches is the text of a value that does not fit: the line that the
// reference has too, then a line a problem.
func Mismatches(wrong []engine.Mismatch, title string) string {
	text := fmt.Sprintf("%d validation errors for %s", len(wrong), title)
	if len(wrong) == 1 {
		text = "1 validation error for " + title
	}
	for _, m := range wrong {
		text += "\n" + m.String()
	}
	return text
}
