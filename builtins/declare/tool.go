package declare

import (
	"encoding/json"
	"fmt"
	"strconv"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Tool is tool(fn, ...) as it was written.
type Tool struct {
	Func starlark.Callable
	Span engine.Span // of the tool(...) call
	// Name, Title and Description are nil where nothing is written.
	Name, Title, Description *string
	// Annotations, Icons and Meta are wire JSON, or nil.
	Annotations, Icons, Meta json.RawMessage
	// Scopes are what a caller's token must have, beside what the server wants.
	Scopes []string
}

// declareTool is tool(fn, name =, title =, description =, annotations =, icons =, meta =,
// scopes =).
func declareTool(r *Registry, thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (err error) {
	t := &Tool{Span: callSpan(thread)}
	var fn starlark.Value
	var annotations *starlark.Dict
	var icons *starlark.List
	var meta *starlark.Dict
	if err := unpack(b, args, kwargs, "fn", &fn, "name?", &optional{&t.Name}, "title?", &optional{&t.Title},
		"description?", &optional{&t.Description}, "annotations?", &annotations, "icons?", &icons, "meta?", &meta,
		"scopes?", &scopes{&t.Scopes}); err != nil {
		return err
	}
	switch fn := fn.(type) {
	case *starlark.Function:
		t.Func = fn
	case engine.Type, *starlark.Builtin:
		return fmt.Errorf("tool() wants a function made with def, got %s; write a def that calls it", described(fn))
	default:
		return fmt.Errorf("tool() wants the function itself, got %s; write it without calling it: tool(order_book)", engine.Describe(fn))
	}
	if annotations != nil {
		if t.Annotations, err = toolHints(annotations); err != nil {
			return err
		}
	}
	if icons != nil {
		if t.Icons, err = wire("icons", icons); err != nil {
			return err
		}
	}
	if meta != nil {
		if t.Meta, err = wire("meta", meta); err != nil {
			return err
		}
	}
	r.Tools = append(r.Tools, t)
	return nil
}

// toolHints checks annotations = {...}, which is in wire shape.
func toolHints(hints *starlark.Dict) (json.RawMessage, error) {
	known := []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
	for _, item := range hints.Items() {
		name, ok := starlark.AsString(item[0])
		if !ok || !contains(known, name) {
			near := engine.DidYouMean(name, known)
			if contains(known, name+"Hint") {
				near = fmt.Sprintf("did you mean %sHint?", name)
			}
			return nil, fmt.Errorf("annotations: there is no %s; %s", named(item[0]), orList(near, known))
		}
		_, isBool := item[1].(starlark.Bool)
		_, isText := item[1].(starlark.String)
		if name == "title" && !isText {
			return nil, fmt.Errorf("annotations: title is a text, got %s", engine.Describe(item[1]))
		}
		if name != "title" && !isBool {
			return nil, fmt.Errorf("annotations: %s is True or False, got %s", name, engine.Describe(item[1]))
		}
	}
	return wire("annotations", hints)
}

// named is a key for a message: as text, if it is one.
func named(v starlark.Value) string {
	if s, ok := starlark.AsString(v); ok && len(s) <= 64 {
		return strconv.Quote(s)
	}
	return engine.Describe(v)
}

// described is a type or a function by its name.
func described(v starlark.Value) string {
	switch v := v.(type) {
	case engine.Type:
		return "the type " + v.TypeName()
	case *starlark.Builtin:
		return v.Name() + "(), which is built in"
	}
	return engine.Describe(v)
}

func wire(what string, v starlark.Value) (json.RawMessage, error) {
	data, err := exactjson.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return data, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func orList(help string, known []string) string {
	if help != "" {
		return help
	}
	text := "there are"
	for i, k := range known {
		if i > 0 {
			text += ","
		}
		text += " " + k
	}
	return text
}

// optional unpacks a text into a *string that stays nil when none is given.
type optional struct{ to **string }

// Unpack implements starlark.Unpacker.
func (o *optional) Unpack(v starlark.Value) error {
	if v == starlark.None {
		return nil
	}
	s, ok := starlark.AsString(v)
	if !ok {
		return fmt.Errorf("got %s, want a text", v.Type())
	}
	*o.to = &s
	return nil
}
