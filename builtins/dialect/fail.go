package dialect

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// fail(*args, sep=" ") ends the call with an error result that the model reads:
// the arguments, joined; there must be one. The error is an [engine.Failure]. At
// most 8 MiB of text.
func fail(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sep := " "
	if err := starlark.UnpackArgs(b.Name(), nil, kwargs, "sep?", &sep); err != nil {
		return nil, err
	}
	text, err := joined(args, sep)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("%s: there is no text for the model to read; write fail(\"what is wrong\")", b.Name())
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%s: the text is not valid UTF-8", b.Name())
	}
	return nil, &engine.Failure{Text: text}
}

// protocol_error(code, message, data=None) ends the call with a JSON-RPC error
// in the place of a result, which a client handles and a model may never see.
// The error is an [engine.ProtocolError].
//
// code is an int of 32 bits other than 0. data is any value that JSON can hold,
// at most 8 MiB of it; None leaves it out.
func protocolError(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var code, data starlark.Value
	var message string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "code", &code, "message", &message, "data?", &data); err != nil {
		return nil, err
	}
	number, err := errorCode(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	if len(message) > maxText || !utf8.ValidString(message) {
		return nil, fmt.Errorf("%s: message must be valid UTF-8 of at most %d bytes", b.Name(), maxText)
	}
	encoded, err := errorData(data)
	if err != nil {
		return nil, fmt.Errorf("%s: data: %w", b.Name(), err)
	}
	return nil, &engine.ProtocolError{Code: number, Message: message, Data: encoded}
}

func errorCode(v starlark.Value) (int64, error) {
	if i, ok := v.(starlark.Int); ok {
		if code, ok := i.Int64(); ok && code != 0 && math.MinInt32 <= code && code <= math.MaxInt32 {
			return code, nil
		}
	}
	return 0, fmt.Errorf("code is %s; want an int from %d to %d, not 0: %d says that the parameters are invalid",
		engine.Describe(v), math.MinInt32, math.MaxInt32, engine.CodeInvalidParams)
}

func errorData(v starlark.Value) (json.RawMessage, error) {
	if v == nil || v == starlark.None {
		return nil, nil
	}
	return exactjson.Append(nil, v, "", exactjson.Limits{Bytes: maxText})
}
