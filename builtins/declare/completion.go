package declare

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A Completion is completion(of, argument, fn) as it was written.
type Completion struct {
	Span engine.Span
	// Of is the function of prompts or templates; nil where URI says which.
	Of *starlark.Function
	// URI is that of a template, or "".
	URI string
	// Argument is the name of the prompt's argument or of the template's variable.
	Argument string
	Func     *starlark.Function
}

// declareCompletion is completion(of, argument, fn). of is the function of a prompt or
// template, or the URI of a template.
func declareCompletion(r *Registry, thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (err error) {
	c := &Completion{Span: callSpan(thread)}
	var of, fn starlark.Value
	if err := unpack(b, args, kwargs, "of", &of, "argument", &c.Argument, "fn", &fn); err != nil {
		return err
	}
	switch of := of.(type) {
	case *starlark.Function:
		c.Of = of
	case starlark.String:
		c.URI = string(of)
	default:
		return fmt.Errorf("completion() wants the function of a prompt or template, or a template's URI, got %s; write %s",
			engine.Describe(of), exampleOf("completion"))
	}
	if c.Func, err = ownFunction(b.Name(), fn); err != nil {
		return err
	}
	r.Completions = append(r.Completions, c)
	return nil
}
