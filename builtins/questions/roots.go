package questions

import (
	"encoding/json"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// listRoots is list_roots(). Its request has no params on any revision, so all
// questions for roots are one question.
func listRoots(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if _, err := unpack(b, args, kwargs, 0); err != nil {
		return nil, err
	}
	return made(thread, &question{
		word:      "list_roots",
		text:      "list_roots()",
		pos:       engine.CallerPos(thread),
		method:    "roots/list",
		rendering: json.RawMessage("null"),
		needs:     rootsCapability(),
		accept:    acceptRoots,
	}), nil
}

func acceptRoots(answer json.RawMessage) (engine.Outcome, error) {
	result, err := readAnswer(answer, rootsResult, wrongKind)
	if err != nil {
		return engine.Outcome{}, err
	}
	return engine.Outcome{Action: engine.Accepted, Value: newRootsAnswer(result)}, nil
}
