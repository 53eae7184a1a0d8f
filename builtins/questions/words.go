package questions

import (
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// Words are the names this room adds to every script: elicit, elicit_url, sample,
// list_roots and input_required. The values are immutable and may be shared by all threads.
func Words() starlark.StringDict {
	return starlark.StringDict{
		"elicit":     starlark.NewBuiltin("elicit", elicit),
		"elicit_url": starlark.NewBuiltin("elicit_url", elicitURL),
		"sample":     starlark.NewBuiltin("sample", sample),
		"list_roots": starlark.NewBuiltin("list_roots", listRoots),

		"input_required": inputRequiredWord{},
	}
}

// made records a question with the running function, which is how one that is
// made and not returned can be told to its author.
func made(thread *starlark.Thread, q engine.Question) starlark.Value {
	engine.ScopeOf(thread).Made(q)
	return q
}
