package questions_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/engine"
)

const (
	formAsk     = `elicit("?", Backorder)`
	urlAsk      = `elicit_url("?", "https://a.example/")`
	plainAsk    = `sample("?", max_tokens = 1)`
	toolsAsk    = `sample("?", max_tokens = 1, tools = [])`
	choiceAsk   = `sample("?", max_tokens = 1, tool_choice = {"mode": "auto"})`
	rootsAsk    = `list_roots()`
	isMalformed = "MALFORMED"
	nonElicit   = "received a non-elicitation response"
	wrongKind   = "received a response of the wrong kind"
	noContent   = "received an accepted elicitation with no content"
	unfitting   = "received an accepted elicitation whose content does not match the requested schema"
)

// accepting gives what came of an answer: the action, the error's text, or
// MALFORMED.
func accepting(t testing.TB, q engine.Question, answer string) string {
	t.Helper()
	outcome, err := q.Accept(json.RawMessage(answer))
	var bad *engine.AnswerError
	switch {
	case errors.As(err, &bad) && bad.Malformed:
		return isMalformed
	case bad != nil:
		return bad.Text
	}
	require.NoError(t, err)
	require.NotNil(t, outcome.Value)
	if outcome.Action != engine.Accepted {
		require.Equal(t, starlark.None, outcome.Value)
	}
	return string(outcome.Action)
}

// Each answer is given to every kind of question.
func TestAccept(t *testing.T) {
	all := func(what string) [5]string { return [5]string{what, what, what, what, what} }
	const (
		plainText = `"role":"assistant","model":"m","content":{"type":"text","text":"a"}`
		anElicit  = `"action":"accept","content":{"confirm":true}`
	)
	asks := [5]string{formAsk, urlAsk, plainAsk, toolsAsk, rootsAsk}
	elicitation := func(form, url string) [5]string { return [5]string{form, url, wrongKind, wrongKind, wrongKind} }
	sampling := func(plain, tools string) [5]string { return [5]string{nonElicit, nonElicit, plain, tools, wrongKind} }
	roots := [5]string{nonElicit, nonElicit, wrongKind, wrongKind, "accept"}

	for answer, want := range map[string][5]string{
		// No answer of any kind.
		``: all(isMalformed), `{`: all(isMalformed), `null`: all(isMalformed), `{}`: all(isMalformed), `[]`: all(isMalformed),
		`5`: all(isMalformed), `"accept"`: all(isMalformed), `{} {}`: all(isMalformed), `{"action":NaN}`: all(isMalformed),
		"{\"action\":\"cancel\",\"x\":\"\xff\"}": all(isMalformed), `{"action":"cancel","x":"\ud800"}`: all(isMalformed),
		`{"code":-32603,"message":"no"}`: all(isMalformed), `{"error":{"code":-1,"message":"no"}}`: all(isMalformed),

		// Elicitation.
		`{` + anElicit + `}`:                                elicitation("accept", "accept"),
		`{"action":"accept"}`:                               elicitation(noContent, "accept"),
		`{"action":"accept","content":null}`:                elicitation(noContent, "accept"),
		`{"action":"accept","content":{}}`:                  elicitation(unfitting, "accept"),
		`{"action":"accept","content":{"confirm":"maybe"}}`: elicitation(unfitting, "accept"),
		`{"action":"accept","content":{"confirm":1,"b":[],"c":["x"],"d":null,"e":1.5,"f":123456789012345678901}}`: elicitation(unfitting, "accept"),
		`{"action":"decline"}`: elicitation("decline", "decline"),
		`{"action":"decline","content":{"confirm":true},"_meta":{}}`: elicitation("decline", "decline"),
		`{"action":"cancel","extra":[{"deep":{}}],"_meta":null}`:     elicitation("cancel", "cancel"),
		`{"action":"decline","action":"cancel"}`:                     elicitation("cancel", "cancel"),
		`{"action":"Accept","content":{"confirm":true}}`:             all(isMalformed),
		`{"action":"yes"}`:                                  all(isMalformed),
		`{"action":null}`:                                   all(isMalformed),
		`{"action":["accept"]}`:                             all(isMalformed),
		`{"action":"decline","content":"no"}`:               all(isMalformed),
		`{"action":"accept","content":[]}`:                  all(isMalformed),
		`{"action":"accept","content":{"confirm":{"a":1}}}`: all(isMalformed),
		`{"action":"accept","content":{"confirm":[1]}}`:     all(isMalformed),
		`{"action":"accept","content":{"confirm":[null]}}`:  all(isMalformed),
		`{"action":"cancel","content":{"confirm":{}}}`:      all(isMalformed),
		`{"action":"cancel","_meta":5}`:                     all(isMalformed),

		// Sampling.
		`{` + plainText + `}`: sampling("accept", "accept"),
		`{` + plainText + `,"stopReason":"anything","x":1,"_meta":{"a":1}}`:                                                       sampling("accept", "accept"),
		`{` + plainText + `,"stopReason":null}`:                                                                                   sampling("accept", "accept"),
		`{"role":"user","model":"","content":{"type":"image","data":"?","mimeType":"?"}}`:                                         sampling("accept", "accept"),
		`{"role":"user","model":"","content":{"type":"audio","data":"","mimeType":"","annotations":{"audience":["user"],"x":1}}}`: sampling("accept", "accept"),
		`{"role":"assistant","model":"m","content":[{"type":"text","text":"a"}]}`:                                                 sampling(wrongKind, "accept"),
		`{"role":"assistant","model":"m","content":[]}`:                                                                           sampling(wrongKind, "accept"),
		`{"role":"assistant","model":"m","content":{"type":"tool_use","id":"1","name":"n","input":{}}}`:                           sampling(wrongKind, "accept"),
		`{"role":"user","model":"m","content":{"type":"tool_result","toolUseId":"1","content":[]}}`:                               sampling(wrongKind, "accept"),
		`{"role":"assistant","content":{"type":"text","text":"a"}}`:                                                               all(isMalformed),
		`{"role":"system","model":"m","content":{"type":"text","text":"a"}}`:                                                      all(isMalformed),
		`{"role":"assistant","model":5,"content":{"type":"text","text":"a"}}`:                                                     all(isMalformed),
		`{"role":"assistant","model":"m"}`:                                                                                        all(isMalformed),
		`{"role":"assistant","model":"m","content":"a"}`:                                                                          all(isMalformed),
		`{"role":"assistant","model":"m","content":null}`:                                                                         all(isMalformed),
		`{"role":"assistant","model":"m","content":{"text":"a"}}`:                                                                 all(isMalformed),
		`{"role":"assistant","model":"m","content":{"type":"video","text":"a"}}`:                                                  all(isMalformed),
		`{"role":"assistant","model":"m","content":{"type":"text","text":1}}`:                                                     all(isMalformed),
		`{"role":"assistant","model":"m","content":{"type":"tool_use","id":"1","name":"n","input":[]}}`:                           all(isMalformed),
		`{"role":"assistant","model":"m","content":[{"type":"text","text":"a"},5]}`:                                               all(isMalformed),
		`{` + plainText + `,"stopReason":5}`:                                                                                      all(isMalformed),

		// Roots.
		`{"roots":[]}`: roots,
		`{"roots":[{"uri":"file:///a","name":"a","x":1},{"uri":"FILE:/b","_meta":{}}],"x":1}`: roots,
		`{"roots":[{"uri":"https://a.example/"}]}`:                                            all(isMalformed),
		`{"roots":[{"uri":"file:///a"},{"uri":"files:///a"}]}`:                                all(isMalformed),
		`{"roots":[{"uri":"file:///a\n"}]}`:                                                   all(isMalformed),
		`{"roots":[{"uri":"file"}]}`:                                                          all(isMalformed),
		`{"roots":[{"name":"a"}]}`:                                                            all(isMalformed),
		`{"roots":[{"uri":"file:///a","name":5}]}`:                                            all(isMalformed),
		`{"roots":["file:///a"]}`:                                                             all(isMalformed),
		`{"roots":{}}`:                                                                        all(isMalformed),
		`{"roots":null}`:                                                                      all(isMalformed),

		// What fits two results is taken as the one that was asked for.
		`{` + anElicit + `,"roots":[]}`:                             {"accept", "accept", wrongKind, wrongKind, "accept"},
		`{` + anElicit + `,"roots":[{"uri":"https://a.example/"}]}`: elicitation("accept", "accept"),
		`{"action":"decline",` + plainText + `}`:                    {"decline", "decline", "accept", "accept", wrongKind},
	} {
		require.Equal(t, want[0] == isMalformed, questions.Malformed(json.RawMessage(answer)), answer)
		for i, expression := range asks {
			require.Equal(t, want[i], accepting(t, ask(t, expression), answer), "%s for %s", answer, expression)
		}
	}
}

func TestAToolChoiceAloneAllowsAListOfBlocks(t *testing.T) {
	require.Equal(t, "accept", accepting(t, ask(t, choiceAsk), `{"role":"assistant","model":"m","content":[{"type":"text","text":"a"}]}`))
}

func TestAnAnswerErrorTellsNothingOfTheAnswer(t *testing.T) {
	for _, answer := range []string{
		`{"action":"accept","content":{"confirm":"hunter2"}}`, `{"action":"hunter2"}`,
		`{"roots":[{"uri":"hunter2"}]}`, `hunter2`, `{"hunter2":1}`,
	} {
		_, err := ask(t, formAsk).Accept(json.RawMessage(answer))
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hunter2")
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestWhatIsAcceptedIsFrozen(t *testing.T) {
	outcome, err := ask(t, formAsk).Accept(json.RawMessage(`{"action":"accept","content":{"confirm":true}}`))
	require.NoError(t, err)
	require.ErrorContains(t, outcome.Value.(*starlark.Dict).SetKey(starlark.String("confirm"), starlark.False), "frozen")
}

func TestARawSchemaGivesADict(t *testing.T) {
	outcome, err := ask(t, `elicit("?", Schema)`).Accept(json.RawMessage(`{"action":"accept","content":{"confirm":false}}`))
	require.NoError(t, err)
	require.Equal(t, `{"confirm": False}`, outcome.Value.String())
}

// Hostile answers end quickly, in one of the three ways.
func TestHostileAnswers(t *testing.T) {
	const many = 200_000
	deep := strings.Repeat("[", many) + strings.Repeat("]", many)
	for about, answer := range map[string]string{
		"deep lists":       `{"action":"cancel","x":` + deep + `}`,
		"deep objects":     strings.Repeat(`{"content":`, many),
		"deep input":       `{"role":"user","model":"m","content":{"type":"tool_use","id":"1","name":"n","input":{"a":` + deep + `}}}`,
		"many digits":      `{"action":"accept","content":{"confirm":` + strings.Repeat("9", many) + `}}`,
		"a huge exponent":  `{"action":"accept","content":{"confirm":1e999999999}}`,
		"infinity":         `{"action":"accept","content":{"confirm":Infinity}}`,
		"a list that ends": `{"roots":[` + strings.Repeat(`{"uri":"file:///a"},`, many/100) + `5]}`,
	} {
		for _, expression := range []string{formAsk, urlAsk, plainAsk, toolsAsk, rootsAsk} {
			require.Equal(t, isMalformed, accepting(t, ask(t, expression), answer), "%s for %s", about, expression)
		}
	}

	members := func(n int, member func(i int) string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(member(i))
		}
		return b.String()
	}
	number := func(i int) string { return starlark.MakeInt(i).String() }
	require.Equal(t, unfitting, accepting(t, ask(t, formAsk),
		`{"action":"accept","content":{`+members(many, func(i int) string { return `"` + number(i) + `":1` })+`}}`))
	require.Equal(t, "cancel", accepting(t, ask(t, formAsk),
		`{`+members(many/10, func(int) string { return `"action":"decline"` })+`,"action":"cancel"}`))
	require.Equal(t, nonElicit, accepting(t, ask(t, formAsk),
		`{"roots":[`+members(many/10, func(int) string { return `{"uri":"file:///a"}` })+`]}`))
	require.Equal(t, wrongKind, accepting(t, ask(t, plainAsk),
		`{"role":"user","model":"m","content":[`+members(many/10, func(int) string { return `{"type":"text","text":"a"}` })+`]}`))
	require.Equal(t, "accept", accepting(t, ask(t, toolsAsk),
		`{"role":"user","model":"m","content":[`+members(many/10, func(int) string { return `{"type":"text","text":"a"}` })+`]}`))
}
