package questions

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// inputRequired is input_required({key: question}, state = ...): what a tool, a
// prompt or a template returns that asks by itself.
type inputRequired struct {
	requests []engine.InputRequest
	kept     json.RawMessage
}

var _ engine.InputRequired = (*inputRequired)(nil)

func (i *inputRequired) Requests() []engine.InputRequest { return slices.Clone(i.requests) }
func (i *inputRequired) Kept() json.RawMessage           { return i.kept }

func (i *inputRequired) String() string {
	keys := make([]string, len(i.requests))
	for at, r := range i.requests {
		keys[at] = syntax.Quote(r.Key, false) + ": " + r.Question.String()
	}
	return "input_required({" + strings.Join(keys, ", ") + "})"
}
func (i *inputRequired) Type() string         { return "input_required" }
func (i *inputRequired) Freeze()              {}
func (i *inputRequired) Truth() starlark.Bool { return true }
func (i *inputRequired) Hash() (uint32, error) {
	return 0, errors.New("unhashable: input_required")
}

// makeInputRequired is input_required(requests = {}, state = None).
func makeInputRequired(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var requests, state starlark.Value
	if err := starlark.UnpackArgs("input_required", args, kwargs, "requests?", &requests, "state?", &state); err != nil {
		return nil, err
	}
	i := new(inputRequired)
	if requests != nil && requests != starlark.None {
		dict, ok := requests.(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf(`input_required() wants a dict of questions, got %s; write input_required({"name": elicit("...", Name)})`, engine.Describe(requests))
		}
		for _, item := range dict.Items() {
			r, err := inputRequest(item[0], item[1])
			if err != nil {
				return nil, err
			}
			i.requests = append(i.requests, r)
		}
	}
	if state != nil && state != starlark.None {
		kept, err := exactjson.Marshal(state)
		if err != nil {
			return nil, fmt.Errorf("input_required(): state: %w", err)
		}
		i.kept = kept
	}
	if len(i.requests) == 0 && i.kept == nil {
		return nil, errors.New("input_required() asks nothing and keeps nothing; give it questions, or a state to come back with")
	}
	return i, nil
}

func inputRequest(key, v starlark.Value) (engine.InputRequest, error) {
	name, ok := starlark.AsString(key)
	if !ok || name == "" || len(name) > 200 || strings.ContainsFunc(name, unicode.IsControl) {
		return engine.InputRequest{}, fmt.Errorf("input_required(): the key of a question is a short text, got %s", engine.Describe(key))
	}
	q, ok := v.(engine.Question)
	if !ok {
		return engine.InputRequest{}, fmt.Errorf("input_required(): %q is %s; want a question: elicit, elicit_url, sample or list_roots", name, engine.Describe(v))
	}
	return engine.InputRequest{Key: name, Question: q}, nil
}

// inputRequiredWord is the word input_required: a function, and after -> the type
// of what it makes.
type inputRequiredWord struct{}

var (
	_ engine.Type        = inputRequiredWord{}
	_ starlark.Callable  = inputRequiredWord{}
	_ starlark.HasBinary = inputRequiredWord{}
)

// IsInputRequired reports whether t is the type of what input_required() makes.
func IsInputRequired(t engine.Type) bool {
	_, ok := t.(inputRequiredWord)
	return ok
}

func (inputRequiredWord) String() string        { return "<built-in function input_required>" }
func (inputRequiredWord) Type() string          { return "builtin_function_or_method" }
func (inputRequiredWord) Freeze()               {}
func (inputRequiredWord) Truth() starlark.Bool  { return true }
func (inputRequiredWord) Hash() (uint32, error) { return starlark.String("input_required").Hash() }
func (inputRequiredWord) Name() string          { return "input_required" }
func (inputRequiredWord) TypeName() string      { return "input_required" }

// Accept takes what the function makes.
func (inputRequiredWord) Accept(v starlark.Value, path string) (starlark.Value, []engine.Mismatch) {
	if _, ok := v.(*inputRequired); ok {
		return v, nil
	}
	return nil, []engine.Mismatch{{Path: path, Want: "input_required(...)", Got: engine.Describe(v)}}
}

// Binary is input_required | T, which is T's to make.
func (w inputRequiredWord) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	if other == starlark.None && op == syntax.PIPE {
		return w, nil
	}
	if t, ok := other.(starlark.HasBinary); ok {
		return t.Binary(op, w, !side)
	}
	return nil, nil
}

// CallInternal is input_required(...).
func (inputRequiredWord) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return makeInputRequired(thread, args, kwargs)
}

// Responses are the client's answers as scripts see them, by key: those of
// elicitation have .action and .content, those of sampling and roots are what a
// resolver's consumer gets. They are judged already; what is none of the three is
// left out.
func Responses(answers map[string]json.RawMessage) *starlark.Dict {
	dict := starlark.NewDict(len(answers))
	for _, key := range slices.Sorted(maps.Keys(answers)) {
		if v := response(answers[key]); v != nil {
			_ = dict.SetKey(starlark.String(key), v) // text keys can't fail
		}
	}
	dict.Freeze()
	return dict
}

func response(answer json.RawMessage) starlark.Value {
	decoded, err := exactjson.Decode(answer, exactjson.Limits{})
	if err != nil {
		return nil
	}
	if clean, m := elicitResult(decoded, reading); m == nil {
		return newAnswerValue(elicitAnswer, clean.(*starlark.Dict), nil)
	}
	if clean, m := samplingResult(decoded, reading); m == nil {
		return newSamplingAnswer(clean.(*starlark.Dict))
	}
	if clean, m := rootsResult(decoded, reading); m == nil {
		return newRootsAnswer(clean.(*starlark.Dict))
	}
	return nil
}
