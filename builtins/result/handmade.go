package result

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Handmade is result(...): a tool's result of which the script says each part.
// It is immutable.
type Handmade struct {
	content    starlark.Value // nil: shown from structured
	structured starlark.Value // nil: none
	isError    bool
	meta       []byte // nil: none
}

// Words are the names of this package that a script may use.
func Words() starlark.StringDict {
	return starlark.StringDict{"result": starlark.NewBuiltin("result", makeResult)}
}

// makeResult is result(content =, structured =, is_error =, meta =).
//
// content is what a tool may return otherwise: text, blocks, any value.
// structured is the value of the tool's -> T; content shows it where none is given.
func makeResult(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	h := new(Handmade)
	var meta starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "content?", &h.content, "structured?", &h.structured,
		"is_error?", &h.isError, "meta?", &meta); err != nil {
		return nil, err
	}
	for _, v := range []starlark.Value{h.content, h.structured} {
		switch v.(type) {
		case engine.Question:
			return nil, errors.New("result() got a question; return the question from a resolver, and take its answer as a parameter")
		case *Handmade:
			return nil, errors.New("result() got a result; give it what that one holds")
		}
	}
	if h.structured == starlark.None {
		h.structured = nil
	}
	if meta != nil && meta != starlark.None {
		var err error
		if h.meta, err = content.Meta(meta); err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
	}
	return h, nil
}

// String is short: what a result holds may be long.
func (h *Handmade) String() string { return "result(...)" }

// Type is "result".
func (h *Handmade) Type() string { return "result" }

// Freeze freezes what the result holds.
func (h *Handmade) Freeze() {
	for _, v := range []starlark.Value{h.content, h.structured} {
		if v != nil {
			v.Freeze()
		}
	}
}

// Truth is true.
func (h *Handmade) Truth() starlark.Bool { return true }

// Hash refuses: nobody needs results as keys.
func (h *Handmade) Hash() (uint32, error) { return 0, errors.New("unhashable: result") }

func (h *Handmade) encode(shape Shape, limits exactjson.Limits) (*Encoded, error) {
	out := &Encoded{IsError: h.isError, Meta: h.meta}
	shown := h.content
	if shown == nil && h.structured != nil {
		shown = h.structured
	}
	if shown == nil {
		shown = starlark.None
	}
	var err error
	if out.Content, err = encodeBlocks(shown, limits); err != nil {
		return nil, err
	}
	switch {
	case h.structured != nil && shape.Structured && !h.isError:
		out.Structured, err = structured(h.structured, shape, limits)
	case h.structured != nil:
		if out.Structured, err = exactjson.Append(nil, h.structured, "", limits); err == nil && out.Structured[0] != '{' {
			err = &engine.Failure{Text: "result(): structured is a dict or a model, got " + engine.Describe(h.structured) +
				"; with -> T on the tool it may be any T"}
		}
	case shape.Structured && !h.isError:
		text := fmt.Sprintf("the tool is declared -> %s, so its result has a structured part; write result(structured = ...)", shape.Type.TypeName())
		err = &engine.WrongResult{Failure: engine.Failure{Text: text}}
	}
	return out, err
}
