package starhost_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Requests of any method, in the way client.once and client.call do tools/call.

// send sends a request. members are those of its params, without braces.
func (c *client) send(method, members string, answer answerer) reply {
	c.t.Helper()
	params := "{" + members + c.envelope() + "}"
	if members == "" {
		params = "{" + trimComma(c.envelope()) + "}"
	}
	m := c.request(method, json.RawMessage(params), answer)
	r := reply{t: c.t, err: m.Error, raw: m.Result}
	if m.Error != nil {
		return r
	}
	var result struct {
		ResultType    string
		InputRequests json.RawMessage
		RequestState  string
	}
	require.NoError(c.t, json.Unmarshal(m.Result, &result))
	if c.revision != rounds {
		require.Empty(c.t, result.ResultType, "resultType on %s", c.revision)
		return r
	}
	if result.ResultType == "input_required" {
		r.state = result.RequestState
		r.asked = []question{}
		if result.InputRequests != nil {
			r.asked = questionsOf(c.t, result.InputRequests)
		}
	} else {
		require.Equal(c.t, "complete", result.ResultType)
	}
	return r
}

func trimComma(s string) string {
	if s == "" {
		return s
	}
	return s[1:]
}

// play sends a request and answers its questions, round by round.
func (c *client) play(method, members string, answer answerer) played {
	c.t.Helper()
	var now []question
	p := played{rounds: 1, reply: c.send(method, members, func(q question) string {
		now = append(now, q)
		return answer(q)
	})}
	if now != nil {
		p.asked = append(p.asked, now)
	}
	for p.reply.asked != nil && p.rounds < mostRounds {
		p.asked = append(p.asked, p.reply.asked)
		given := map[string]json.RawMessage{}
		for _, q := range p.reply.asked {
			if a := answer(q); a != "" {
				given[q.key] = json.RawMessage(a)
			}
		}
		if len(given) == 0 && len(p.reply.asked) > 0 {
			return p
		}
		next := members + `,"inputResponses":` + string(mustJSON(c.t, given))
		if p.state != "" {
			next += `,"requestState":` + string(mustJSON(c.t, p.state))
		}
		p.reply = c.send(method, next, nobody)
		p.rounds++
	}
	return p
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

// is compares the whole result with JSON, without what 2026-07-28 adds to every one.
func (r reply) is(want string) {
	r.t.Helper()
	require.Nil(r.t, r.err)
	var got map[string]any
	require.NoError(r.t, json.Unmarshal(r.raw, &got))
	delete(got, "resultType")
	if meta, ok := got["_meta"].(map[string]any); ok {
		delete(meta, "io.modelcontextprotocol/serverInfo")
		if len(meta) == 0 {
			delete(got, "_meta")
		}
	}
	require.JSONEq(r.t, want, string(mustJSON(r.t, got)))
}

// without is a copy of the reply without some members of its result.
func (r reply) without(names ...string) reply {
	r.t.Helper()
	require.Nil(r.t, r.err)
	var got map[string]json.RawMessage
	require.NoError(r.t, json.Unmarshal(r.raw, &got))
	for _, name := range names {
		delete(got, name)
	}
	r.raw = mustJSON(r.t, got)
	return r
}

// fails is the JSON-RPC error of the reply, whatever its data.
func (r reply) fails(code int, message string) {
	r.t.Helper()
	require.NotNilf(r.t, r.err, "no error but %s", r.raw)
	require.Equal(r.t, code, r.err.Code)
	require.Equal(r.t, message, r.err.Message)
}
