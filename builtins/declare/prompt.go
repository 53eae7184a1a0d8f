package declare

import (
	"encoding/json"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A Prompt is prompt(fn, ...) as it was written.
type Prompt struct {
	Func *starlark.Function
	Span engine.Span // of the prompt(...) call
	// Name, Title and Description are nil where nothing is written.
	Name, Title, Description *string
	// Icons and Meta are wire JSON, or nil.
	Icons, Meta json.RawMessage
	// Enabled says that it is on the list when the server starts.
	Enabled bool
}

// declarePrompt is prompt(fn, name =, title =, description =, icons =, meta =, enabled = True).
func declarePrompt(r *Registry, thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (err error) {
	p := &Prompt{Span: callSpan(thread), Enabled: true}
	var fn starlark.Value
	if err := unpack(b, args, kwargs, "fn", &fn, "name?", &optional{&p.Name}, "title?", &optional{&p.Title},
		"description?", &optional{&p.Description}, "icons?", iconsInto(&p.Icons), "meta?", metaInto(&p.Meta),
		"enabled?", &p.Enabled); err != nil {
		return err
	}
	if p.Func, err = ownFunction(b.Name(), fn); err != nil {
		return err
	}
	r.Prompts = append(r.Prompts, p)
	return nil
}
