package testing

import (
	"context"
	"encoding/json"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// maxRounds is how often a call is continued before it is given up.
const maxRounds = 20

// A Played is a call from its first request to its end.
type Played struct {
	Reply
	// Rounds counts the requests that were sent.
	Rounds int
	// Open are questions that nobody answered, so that the call has no result.
	Open []Question
}

// Call calls a tool and answers its questions until there is a result, an error,
// or a question that nobody answers. args is a JSON object, or nil for none.
func (c *Client) Call(ctx context.Context, tool string, args json.RawMessage) (*Played, error) {
	var state, answers json.RawMessage
	for n := 1; n <= maxRounds; n++ {
		reply, err := c.Request(ctx, "tools/call", c.callParams(tool, args, state, answers))
		if err != nil {
			return nil, err
		}
		played := &Played{Reply: reply, Rounds: n}
		waiting, questions := inputRequired(reply.Result)
		if waiting == nil {
			return played, nil
		}
		given, open, err := c.answerAll(ctx, questions)
		if err != nil {
			return nil, err
		}
		if len(given) == 0 && len(questions) > 0 {
			played.Open = open
			return played, nil
		}
		state, answers = waiting.RequestState, exactjson.MustMarshal(given)
	}
	return nil, fmt.Errorf("%s still asks after %d rounds", tool, maxRounds)
}

// answerAll answers the questions of a round, those that have an answer.
func (c *Client) answerAll(ctx context.Context, questions []Question) (given exactjson.Object, open []Question, err error) {
	for _, q := range questions {
		answer, err := c.answer(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		if answer.Result == nil {
			open = append(open, q)
			continue
		}
		given = append(given, exactjson.Member{Name: q.Key, Value: answer.Result})
	}
	return given, open, nil
}

// callParams are the params of tools/call.
func (c *Client) callParams(tool string, args, state, answers json.RawMessage) json.RawMessage {
	o := exactjson.Object{{Name: "name", Value: tool}}
	if args != nil {
		o = o.With("arguments", args)
	}
	if answers != nil {
		o = o.With("inputResponses", answers)
	}
	if state != nil {
		o = o.With("requestState", state)
	}
	return c.Envelope(o)
}

// Envelope adds what every request of the client's revision carries.
func (c *Client) Envelope(params exactjson.Object) json.RawMessage {
	if c.options.Revision == Rounds {
		params = params.With("_meta", exactjson.Object{
			{Name: "io.modelcontextprotocol/protocolVersion", Value: Rounds},
			{Name: "io.modelcontextprotocol/clientCapabilities", Value: c.options.Capabilities},
			{Name: "io.modelcontextprotocol/clientInfo", Value: exactjson.Object{
				{Name: "name", Value: clientInfo()["name"]}, {Name: "version", Value: clientInfo()["version"]},
			}},
		})
	}
	return exactjson.MustMarshal(params)
}

// pending is a result that waits for answers.
type pending struct {
	ResultType    string
	RequestState  json.RawMessage
	InputRequests json.RawMessage
}

// inputRequired takes an input_required result apart, its questions in the order
// in which they stand there; nil for any other result.
func inputRequired(result json.RawMessage) (*pending, []Question) {
	p := new(pending)
	if json.Unmarshal(result, p) != nil || p.ResultType != "input_required" {
		return nil, nil
	}
	var requests map[string]struct {
		Method string
		Params json.RawMessage
	}
	if json.Unmarshal(p.InputRequests, &requests) != nil {
		return p, nil
	}
	var questions []Question
	for _, key := range keysInOrder(p.InputRequests) {
		r := requests[key]
		questions = append(questions, Question{Key: key, Method: r.Method, Params: r.Params})
	}
	return p, questions
}

// keysInOrder are the keys of an object as they are written.
func keysInOrder(object json.RawMessage) []string {
	v, err := exactjson.Decode(object, exactjson.Limits{})
	if err != nil {
		return nil
	}
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil
	}
	var keys []string
	for _, key := range dict.Keys() {
		text, _ := starlark.AsString(key)
		keys = append(keys, text)
	}
	return keys
}
