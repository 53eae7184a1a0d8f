package declare

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/types"
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
	// InputSchema is the JSON Schema of all arguments as it was written; nil where the
	// parameters say it.
	InputSchema *types.Verbatim
	// Enabled says that it is on the list when the server starts.
	Enabled bool
	// Scopes are what a caller's token must have, beside what the server wants.
	Scopes []string
	// Timeout is how long a call may run; 0: as long as the host says.
	Timeout time.Duration
}

// declareTool is tool(fn, name =, title =, description =, annotations =, icons =,
// meta =, scopes =, timeout =, input_schema =, enabled = True).
func declareTool(r *Registry, thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (err error) {
	t := &Tool{Span: callSpan(thread), Enabled: true}
	var fn starlark.Value
	var annotations *starlark.Dict
	icons, meta := iconsInto(&t.Icons), metaInto(&t.Meta)
	err = unpack(b, args, kwargs, "fn", &fn, "name?", &optional{&t.Name}, "title?", &optional{&t.Title},
		"description?", &optional{&t.Description}, "annotations?", &annotations, "icons?", icons, "meta?", meta,
		"scopes?", &scopes{&t.Scopes}, "timeout?", &timeout{&t.Timeout}, "input_schema?", &verbatim{&t.InputSchema},
		"enabled?", &t.Enabled)
	if fn != nil {
		var wrong error
		t.Func, wrong = ownFunction(b.Name(), fn)
		err = errors.Join(err, wrong)
	}
	if annotations != nil {
		var wrong error
		t.Annotations, wrong = toolHints(annotations)
		err = errors.Join(err, wrong)
	}
	if err != nil {
		return err
	}
	r.Tools = append(r.Tools, t)
	return nil
}

// ownFunction is the function that a declaration is given.
func ownFunction(word string, v starlark.Value) (*starlark.Function, error) {
	switch fn := v.(type) {
	case *starlark.Function:
		return fn, nil
	case engine.Type, *starlark.Builtin:
		return nil, fmt.Errorf("%s() wants a function made with def, got %s; write a def that calls it", word, described(fn))
	}
	return nil, fmt.Errorf("%s() wants the function itself, got %s; write it without calling it: %s", word, engine.Describe(v), exampleOf(word))
}

func exampleOf(word string) string {
	switch word {
	case "prompt":
		return "prompt(review)"
	case "resource":
		return `resource("config://app", config)`
	case "every":
		return "every(60, refresh)"
	case "completion":
		return `completion(review, "style", styles)`
	}
	return "tool(order_book)"
}

// toolHints checks annotations = {...}, which is in wire shape.
func toolHints(hints *starlark.Dict) (json.RawMessage, error) {
	var mistakes []error
	for _, item := range hints.Items() {
		if err := toolHint(item[0], item[1]); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	return wire("annotations", hints)
}

func toolHint(key, value starlark.Value) error {
	known := []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
	name, ok := starlark.AsString(key)
	if !ok || !contains(known, name) {
		near := engine.DidYouMean(name, known)
		if contains(known, name+"Hint") {
			near = fmt.Sprintf("did you mean %sHint?", name)
		}
		return fmt.Errorf("annotations: there is no %s; %s", named(key), orList(near, known))
	}
	_, isBool := value.(starlark.Bool)
	_, isText := value.(starlark.String)
	if name == "title" && !isText {
		return fmt.Errorf("annotations: title is a text, got %s", engine.Describe(value))
	}
	if name != "title" && !isBool {
		return fmt.Errorf("annotations: %s is True or False, got %s", name, engine.Describe(value))
	}
	return nil
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

// verbatim unpacks a JSON Schema that is shown as it is.
type verbatim struct{ to **types.Verbatim }

// Unpack implements starlark.Unpacker.
func (o *verbatim) Unpack(v starlark.Value) (err error) {
	if v != starlark.None {
		*o.to, err = types.NewVerbatim(v)
	}
	return err
}
