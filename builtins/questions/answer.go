package questions

import (
	"encoding/json"
	"strings"
	"unicode"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// The three results a client may answer with. Anything else is no answer at all.
var (
	elicitResult = record("a result",
		required("action", oneOf(nil, string(engine.Accepted), string(engine.Declined), string(engine.Cancelled))),
		optional("content", formContent),
		meta)

	samplingResult = record("a result",
		required("role", role),
		required("content", oneOrMany(sampledBlock, listOf("a list of content blocks", sampledBlock))),
		required("model", text("text")),
		optional("stopReason", text("text")),
		meta)

	rootsResult = record("a result",
		required("roots", listOf("a list of roots", record("a root",
			required("uri", fileURI), optional("name", text("text")), meta))),
		meta)
)

// formContent is flat: a form has no nested fields, so nor has what was filled in.
func formContent(v starlark.Value, _ direction) (starlark.Value, *misfit) {
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil, expected("an object", v)
	}
	for _, item := range dict.Items() {
		if !isFieldValue(item[1]) {
			return nil, expected("a form's field", item[1]).in("." + string(item[0].(starlark.String)))
		}
	}
	return dict, nil
}

func isFieldValue(v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int, starlark.Float, starlark.String:
		return true
	case *starlark.List:
		for i := range v.Len() {
			if _, ok := v.Index(i).(starlark.String); !ok {
				return false
			}
		}
		return true
	}
	return false
}

// fileURI takes file: URIs as they come, but for control characters, which would
// make two lines of one wherever a script prints it.
func fileURI(v starlark.Value, _ direction) (starlark.Value, *misfit) {
	const scheme = "file:"
	s, ok := v.(starlark.String)
	if !ok || len(s) < len(scheme) || !strings.EqualFold(string(s[:len(scheme)]), scheme) ||
		strings.ContainsFunc(string(s), unicode.IsControl) {
		return nil, expected("a file: URI", v)
	}
	return v, nil
}

// Malformed reports whether an answer is none of the three results that a client
// can answer a question with. A request that carries such an answer is invalid as
// a whole, whether or not anybody asked for it.
func Malformed(answer json.RawMessage) bool {
	decoded, err := exactjson.Decode(answer, exactjson.Limits{})
	return err != nil || !isResult(decoded)
}

func isResult(decoded starlark.Value) bool {
	for _, result := range []shape{elicitResult, samplingResult, rootsResult} {
		if _, m := result(decoded, reading); m == nil {
			return true
		}
	}
	return false
}

// readAnswer is an answer as the result that the question asked for. When it is
// another of the three results the error is otherKind.
//
// Looking for our own result first means that an answer which fits two of them
// is taken as what was asked for.
func readAnswer(answer json.RawMessage, own shape, otherKind string) (*starlark.Dict, error) {
	decoded, err := exactjson.Decode(answer, exactjson.Limits{})
	if err != nil {
		return nil, malformed()
	}
	if clean, m := own(decoded, reading); m == nil {
		return clean.(*starlark.Dict), nil
	}
	if !isResult(decoded) {
		return nil, malformed()
	}
	return nil, &engine.AnswerError{Text: otherKind}
}

func malformed() error {
	return &engine.AnswerError{
		Malformed: true,
		Text:      "received something that is not a result of elicitation, sampling or roots",
	}
}

const wrongKind = "received a response of the wrong kind"
