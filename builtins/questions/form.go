package questions

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Form is what elicit can ask a person to fill in: a model, or a raw schema.
//
// FormSchema is the whole requestedSchema, in the order in which it is to be
// sent: an object schema with "type" and "properties" whose fields are flat. Its
// error ends the call that asked, so it says which field can't be asked for. It
// must give the same bytes every time and in every process, because an answer
// counts for exactly the question that was shown.
//
// Accept, of [engine.Type], gets an answer's content as a dict. A form that can
// be called, as a model can, is also the type of its answers; the answers of any
// other form are plain dicts.
type Form interface {
	engine.Type
	FormSchema() (exactjson.Object, error)
}

// elicit is elicit(message, form).
func elicit(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	given, err := unpack(b, args, kwargs, 2, "message", "form")
	if err != nil {
		return nil, err
	}
	message, err := given.text("message")
	if err != nil {
		return nil, err
	}
	form, err := formOf(given.given["form"])
	if err != nil {
		return nil, err
	}
	requested, err := form.FormSchema()
	if err != nil {
		return nil, err // says by itself which field is wrong
	}
	q := &question{
		word:   "elicit",
		text:   fmt.Sprintf("elicit(%s, %s)", starlark.String(shorten(message)), form.TypeName()),
		pos:    engine.CallerPos(thread),
		method: "elicitation/create",
		needs:  formElicitation(),
		accept: func(answer json.RawMessage) (engine.Outcome, error) { return acceptForm(answer, form) },
	}
	if _, ok := form.(starlark.Callable); ok {
		q.answers = form
	}
	if err := q.renderForm(message, requested); err != nil {
		return nil, err
	}
	return made(thread, q), nil
}

// formOf is the form that an author gave, or an error that says what to write.
func formOf(v starlark.Value) (Form, error) {
	switch v := v.(type) {
	case Form:
		return v, nil
	case nil:
		return nil, errors.New("elicit() wants to know what to ask for; " +
			"write elicit(message, Answer), with Answer = model(confirm = bool)")
	case *starlark.Dict:
		return nil, errors.New("elicit() wants a model or a schema, got a dict; write schema({...}) around it")
	case engine.Type:
		return nil, fmt.Errorf("elicit() asks for named fields, not for a single %s; "+
			"write Answer = model(value = %s) and elicit(message, Answer)", v.TypeName(), v.TypeName())
	}
	return nil, fmt.Errorf("elicit() wants a model or a schema, got %s; "+
		"write elicit(message, Answer), with Answer = model(confirm = bool)", engine.Describe(v))
}

// renderForm writes the params. A handshake client is sent the whole schema; to
// others the protocol knows only a few of its members.
func (q *question) renderForm(message string, requested exactjson.Object) error {
	full, err := exactjson.Marshal(exactjson.Object{
		{Name: "mode", Value: "form"}, {Name: "message", Value: message}, {Name: "requestedSchema", Value: requested},
	})
	if err != nil {
		return fmt.Errorf("elicit(): %w", err)
	}
	q.handshake, q.rendering = full, full
	q.rounds = exactjson.MustMarshal(exactjson.Object{ // less than full
		{Name: "message", Value: message}, {Name: "mode", Value: "form"}, {Name: "requestedSchema", Value: reduce(requested)},
	})
	return nil
}

// reduce keeps what a schema has of the members that 2026-07-28 names.
func reduce(schema exactjson.Object) exactjson.Object {
	var kept exactjson.Object
	for _, name := range []string{"$schema", "properties", "required", "type"} {
		for _, m := range schema {
			if m.Name == name {
				kept = append(kept, m)
			}
		}
	}
	return kept
}

func acceptForm(answer json.RawMessage, form Form) (engine.Outcome, error) {
	result, err := readAnswer(answer, elicitResult, "received a non-elicitation response")
	if err != nil {
		return engine.Outcome{}, err
	}
	action := actionOf(result)
	if action != engine.Accepted {
		return engine.Outcome{Action: action}, nil
	}
	content := get(result, "content")
	if content == nil {
		return engine.Outcome{}, &engine.AnswerError{Text: "received an accepted elicitation with no content"}
	}
	// What exactly does not fit is the person's own words: not for the model.
	value, mismatches := form.Accept(content, "")
	if len(mismatches) > 0 {
		return engine.Outcome{}, &engine.AnswerError{
			Text: "received an accepted elicitation whose content does not match the requested schema",
		}
	}
	return engine.Outcome{Action: engine.Accepted, Value: value}, nil
}

func actionOf(result *starlark.Dict) engine.Action {
	return engine.Action(get(result, "action").(starlark.String))
}
