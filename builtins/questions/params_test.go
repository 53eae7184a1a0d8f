package questions_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
)

const backorderProperties = `"properties":{"confirm":{"title":"CONFIRM","type":"boolean"}},"required":["confirm"]`

// The member order is the reference's on each revision.
func TestParamsAndRendering(t *testing.T) {
	const formHandshake = `{"mode":"form","message":"Order \"Dune\"?\n<é>","requestedSchema":` +
		`{"additionalProperties":false,"description":"An order that waits.",` + backorderProperties + `,"title":"Backorder","type":"object"}}`
	const sampleHandshake = `{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"modelPreferences":{"costPriority":1},` +
		`"systemPrompt":"s","includeContext":"none","temperature":0.5,"maxTokens":5,"stopSequences":["a"],"metadata":{"z":1,"a":2},` +
		`"tools":[],"toolChoice":{}}`
	for _, c := range []struct {
		about, ask                   string
		handshake, rounds, rendering string
	}{
		{
			"a form loses what the 2026-07-28 schema does not have", `elicit("Order \"Dune\"?\n<é>", Backorder)`,
			formHandshake,
			`{"message":"Order \"Dune\"?\n<é>","mode":"form","requestedSchema":{` + backorderProperties + `,"type":"object"}}`,
			formHandshake,
		},
		{
			"url", `elicit_url("Pay", "https://pay.example/?a=1&b=2")`,
			`{"mode":"url","message":"Pay","url":"https://pay.example/?a=1&b=2"}`,
			`{"message":"Pay","mode":"url","url":"https://pay.example/?a=1&b=2"}`,
			`{"mode":"url","message":"Pay","url":"https://pay.example/?a=1&b=2"}`,
		},
		{
			"sampling", `sample("Hi", tool_choice = {}, tools = [], model_preferences = {"costPriority": 1}, metadata = {"z": 1, "a": 2}, ` +
				`stop_sequences = ["a"], temperature = 0.5, include_context = "none", system_prompt = "s", max_tokens = 5)`,
			sampleHandshake,
			`{"includeContext":"none","maxTokens":5,"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"metadata":{"z":1,"a":2},` +
				`"modelPreferences":{"costPriority":1},"stopSequences":["a"],"systemPrompt":"s","temperature":0.5,"toolChoice":{},"tools":[]}`,
			sampleHandshake,
		},
		{"roots have no params", `list_roots()`, "", "", "null"},
	} {
		t.Run(c.about, func(t *testing.T) {
			q := ask(t, c.ask)
			require.Equal(t, c.handshake, string(q.Params(engine.Handshake)))
			require.Equal(t, c.rounds, string(q.Params(engine.Rounds)))
			require.Equal(t, c.rendering, string(q.Rendering()))
		})
	}
}

func TestASchemaKeepsItsDialect(t *testing.T) {
	q := ask(t, `elicit("?", Dialect)`)
	require.Equal(t, `{"message":"?","mode":"form","requestedSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema",`+
		`"properties":{},"type":"object"}}`, string(q.Params(engine.Rounds)))
}

func TestParamsAreTheCallersOwn(t *testing.T) {
	q := ask(t, `elicit("?", Backorder)`)
	before := engine.Digest(q)
	for _, raw := range []json.RawMessage{q.Params(engine.Handshake), q.Params(engine.Rounds), q.Rendering()} {
		clear(raw)
	}
	require.Equal(t, before, engine.Digest(q))
	require.True(t, json.Valid(q.Params(engine.Handshake)))
	require.True(t, json.Valid(q.Params(engine.Rounds)))
}

// An answer counts in another process only if the question has the same digest
// there, so these must never change by themselves.
func TestDigestsAreTheSameInEveryProcess(t *testing.T) {
	for expression, digest := range map[string]string{
		`elicit("Order anyway?", Backorder)`:                              "ov0OC-eBoCb_F1hRVYEuOA",
		`elicit("Order anyway!", Backorder)`:                              "vYsu5ELvSsOswrz9fS-tnQ",
		`elicit_url("Pay", "https://pay.example/")`:                       "Rv313h4HgetsAYCxPs93Qw",
		`sample("Hi", max_tokens = 5, metadata = {"b": 1.0, "a": 1e100})`: "bRVJqSkz1SUS7gm1WDBxQg",
		`sample("Hi", max_tokens = 5, temperature = 1)`:                   "wDp4CYJN-0kDtrsvaavHng",
		`list_roots()`: "X2qls9r0qgM6C24IxXHLLQ",
	} {
		require.Equal(t, digest, engine.Digest(ask(t, expression)), expression)
	}
}

func TestAWholeTemperatureIsTheSameQuestionAsItsFloat(t *testing.T) {
	require.Equal(t, engine.Digest(ask(t, `sample("Hi", max_tokens = 5, temperature = 1)`)),
		engine.Digest(ask(t, `sample("Hi", max_tokens = 5, temperature = 1.0)`)))
}

func TestTheHostGivesAURLQuestionItsID(t *testing.T) {
	q := ask(t, `elicit_url("Pay", "https://pay.example/")`)
	require.Implements(t, (*questions.Identified)(nil), q)
	before := engine.Digest(q)
	require.Equal(t, `{"mode":"url","message":"Pay","url":"https://pay.example/","elicitationId":"e-1"}`,
		string(q.(questions.Identified).WithID("e-1")))
	require.Equal(t, `{"mode":"url","message":"Pay","url":"https://pay.example/","elicitationId":"e-2"}`,
		string(q.(questions.Identified).WithID("e-2")))
	require.True(t, json.Valid(q.(questions.Identified).WithID("\xff")), "an id that is not UTF-8")
	require.Equal(t, before, engine.Digest(q), "the id is no part of the question")

	for _, other := range []string{`elicit("?", Backorder)`, `sample("?", max_tokens = 1)`, `list_roots()`} {
		_, ok := ask(t, other).(questions.Identified)
		require.False(t, ok, other)
	}
}

func TestAQuestionKnowsItsWordMethodAndPlace(t *testing.T) {
	for _, c := range []struct{ word, method, call string }{
		{"elicit", "elicitation/create", `elicit("?", Backorder)`},
		{"elicit_url", "elicitation/create", `elicit_url("?", "https://a.example/")`},
		{"sample", "sampling/createMessage", `sample("?", max_tokens = 1)`},
		{"list_roots", "roots/list", `list_roots()`},
	} {
		globals, err := run("lib/shop.star", "def ask():\n    return "+c.call+"\n\nq = ask()\n")
		require.NoError(t, err)
		q := globals["q"].(engine.Question)
		require.Equal(t, c.word, q.Word())
		require.Equal(t, c.method, q.Method())
		require.Equal(t, "lib/shop.star:2:"+column(c.word), q.Pos().String())
		require.True(t, bool(q.Truth()))
	}
}

// column is where the parenthesis of `    return WORD(` stands: the place of a
// call in Starlark.
func column(word string) string {
	return starlark.MakeInt(len("    return ") + len(word) + 1).String()
}

func TestEveryQuestionMadeIsRecorded(t *testing.T) {
	thread := new(starlark.Thread)
	const source = `[elicit("?", Backorder), elicit_url("?", "https://a.example/"), sample("?", max_tokens = 1), list_roots()]`
	v, err := starlark.EvalOptions(fileOptions, thread, "shop.star", source, environment())
	require.NoError(t, err)
	scope := engine.ScopeOf(thread)
	for i := range 4 {
		q := v.(*starlark.List).Index(i).(engine.Question)
		other := scope.Unreturned(q)
		require.NotNil(t, other)
		require.NotEqual(t, q.Word(), other.Word())
	}
	require.Equal(t, "elicit", scope.Unreturned(nil).Word(), "the first one made")
}

func TestAQuestionThatCanNotBeMadeIsNotRecorded(t *testing.T) {
	thread := new(starlark.Thread)
	_, err := starlark.EvalOptions(fileOptions, thread, "shop.star", `elicit("?", Nested)`, environment())
	require.Error(t, err)
	require.Nil(t, engine.ScopeOf(thread).Unreturned(nil))
}

func TestOnlyAModelIsTheTypeOfItsAnswers(t *testing.T) {
	require.Equal(t, "Backorder", ask(t, `elicit("?", Backorder)`).Answers().TypeName())
	require.IsType(t, (*types.Model)(nil), ask(t, `elicit("?", model(confirm = bool))`).Answers())
	for _, other := range []string{
		`elicit("?", Schema)`, `elicit("?", schema({"type": "object", "properties": {}}))`, `elicit_url("?", "https://a.example/")`, `sample("?", max_tokens = 1)`, `list_roots()`,
	} {
		require.Nil(t, ask(t, other).Answers(), other)
	}
}

func TestWordsAreOwnMaps(t *testing.T) {
	words := questions.Words()
	require.Equal(t, []string{"elicit", "elicit_url", "input_required", "list_roots", "sample"}, words.Keys())
	delete(words, "elicit")
	require.True(t, questions.Words().Has("elicit"))
}
