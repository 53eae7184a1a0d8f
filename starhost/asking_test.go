package starhost_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Asking on a handshake connection: each question is a request of the server in the
// middle of the call.

const twoQuestions = `
Order = model(copies = field(int, ge = 1, description = "How many?"), gift = field(bool, default = False))
Name = model(name = str)

def ask_copies(title): return elicit("How many of %s?" % title, Order)
def ask_name(title): return elicit("Who gets %s?" % title, Name)
def order(title: str, order: resolve(ask_copies), who: resolve(ask_name)) -> str:
    return "%d %s for %s" % (order.copies, title, who.name)
tool(order)
`

func TestHandshakeAsksOneQuestionAtATimeInGraphOrder(t *testing.T) {
	p := connect(t, serve(t, twoQuestions), handshake).pipe()
	call := p.write("tools/call", json.RawMessage(`{"name":"order","arguments":{"title":"Dune"}}`))

	first := p.next()
	require.Equal(t, "elicitation/create", first.Method)
	require.Contains(t, string(first.Params), "How many of Dune?")
	p.notify("notifications/initialized", nil) // harmless, and shows that nothing else waits
	ping := p.write("ping", nil)
	require.Equal(t, ping, string(p.next().ID), "the second question waits for the first answer")

	p.reply(first, accept(`{"copies":2}`))
	second := p.next()
	require.Contains(t, string(second.Params), "Who gets Dune?")
	require.NotEqual(t, string(first.ID), string(second.ID))
	p.reply(second, accept(`{"name":"Ann"}`))

	m := p.next()
	require.Equal(t, call, string(m.ID))
	require.Contains(t, string(m.Result), "2 Dune for Ann")
}

func TestHandshakeSendsTheWholeSchema(t *testing.T) {
	c := connect(t, serve(t, twoQuestions), handshake)
	played := c.call("order", `{"title":"Dune"}`, answering("How many", accept(`{"copies":2}`), "Who gets", accept(`{"name":"Ann"}`)))
	require.Equal(t, "2 Dune for Ann", played.text())
	require.JSONEq(t, `{"mode":"form","message":"How many of Dune?","requestedSchema":{"type":"object","title":"Order","properties":{
		"copies":{"type":"integer","title":"Copies","minimum":1,"description":"How many?"},
		"gift":{"type":"boolean","title":"Gift","default":false}},"required":["copies"]}}`,
		string(played.asked[0][0].params))
}

func TestHandshakeDeclineKeepsLaterQuestionsUnasked(t *testing.T) {
	c := connect(t, serve(t, twoQuestions), handshake)
	played := c.call("order", `{"title":"Dune"}`, answering("How many", decline, "Who gets", accept(`{"name":"Ann"}`)))
	require.Equal(t, "Error executing tool order: Resolver for parameter 'order' could not resolve: elicitation was decline", played.failure())
	require.Len(t, played.asked[0], 1)
}

func TestClientErrorIsPassedThrough(t *testing.T) {
	c := connect(t, serve(t, twoQuestions), handshake)
	c.call("order", `{"title":"Dune"}`, answering("How many",
		`{"error":{"code":-32042,"message":"the person has left","data":{"since":9007199254740993}}}`)).
		refused(-32042, "the person has left", `{"since":9007199254740993}`)
	require.Equal(t, "1 Dune for Ann", c.call("order", `{"title":"Dune"}`,
		answering("How many", accept(`{"copies":1}`), "Who gets", accept(`{"name":"Ann"}`))).text(), "the connection goes on")
}

func TestManyCallsMayWaitForAnswersAtOnce(t *testing.T) {
	p := connect(t, serve(t, twoQuestions), handshake).pipe()
	const calls = 20
	waiting := map[string]message{} // the question that a call waits for, by title
	ids := map[string]string{}
	for i := range calls {
		title := "book" + string(rune('a'+i))
		ids[p.write("tools/call", json.RawMessage(`{"name":"order","arguments":{"title":"`+title+`"}}`))] = title
		q := p.next()
		require.Contains(t, string(q.Params), "How many of "+title+"?")
		waiting[title] = q
	}
	ping := p.write("ping", nil)
	require.Equal(t, ping, string(p.next().ID), "others are served meanwhile")

	for _, q := range waiting { // in any order
		p.reply(q, accept(`{"copies":3}`))
	}
	for done := 0; done < calls; {
		m := p.next()
		if m.Method != "" {
			title := strings.TrimSuffix(strings.SplitAfter(string(m.Params), "Who gets ")[1], "")
			p.reply(m, accept(`{"name":"reader of `+title[:5]+`"}`))
			continue
		}
		title := ids[string(m.ID)]
		require.Contains(t, string(m.Result), "3 "+title+" for reader of "+title)
		done++
	}
}

func TestCancelledCallCancelsItsQuestion(t *testing.T) {
	p := connect(t, serve(t, twoQuestions), handshake).pipe()
	call := p.write("tools/call", json.RawMessage(`{"name":"order","arguments":{"title":"Dune"}}`))
	q := p.next()
	p.notify("notifications/cancelled", json.RawMessage(`{"requestId":`+call+`}`))
	note := p.next()
	require.Equal(t, "notifications/cancelled", note.Method)
	require.JSONEq(t, `{"requestId":`+string(q.ID)+`,"reason":"caller cancelled"}`, string(note.Params))
	p.reply(q, accept(`{"copies":2}`)) // too late: nobody waits for it
	ping := p.write("ping", nil)
	require.Equal(t, ping, string(p.next().ID), "no response to the cancelled call")
}

func TestOlderHandshakeRevisionsAskTheSameWay(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18"} {
		c := connect(t, serve(t, twoQuestions), revision)
		played := c.call("order", `{"title":"Dune"}`, answering("How many", accept(`{"copies":2}`), "Who gets", accept(`{"name":"Ann"}`)))
		require.Equal(t, "2 Dune for Ann", played.text(), revision)
		require.Len(t, played.asked[0], 2)
	}
}

func TestInputResponsesOnAHandshakeConnectionAreIgnored(t *testing.T) {
	c := connect(t, serve(t, twoQuestions), handshake)
	var asked int
	answer := func(q question) string {
		asked++
		return answering("How many", accept(`{"copies":1}`), "Who gets", accept(`{"name":"Bea"}`))(q)
	}
	for _, responses := range []string{`{"shop:ask_copies":{"action":"accept","content":{"copies":9}}}`, `{"x":7}`, `[]`, `null`, `"x"`} {
		asked = 0
		r := c.once("order", `{"title":"Dune"}`, `,"inputResponses":`+responses, answer)
		require.Equal(t, "1 Dune for Bea", r.text(), responses)
		require.Equal(t, 2, asked)
	}
}

func TestToolBodyCanNotAsk(t *testing.T) {
	onBoth(t, `
Name = model(name = str)
def returned() -> str: return elicit("Who?", Name)
def made() -> str:
    elicit("Who?", Name)
    return "made"
def read() -> str: return elicit("Who?", Name).name
def hidden() -> dict: return {"a": [elicit("Who?", Name)]}
tool(returned)
tool(made)
tool(read)
tool(hidden)
`, func(t *testing.T, c *client) {
		for tool, says := range map[string]string{
			"returned": "a tool can't ask", "made": "a tool can't ask", "read": "does not wait for its answer", "hidden": "can't ask",
		} {
			played := c.call(tool, "", answering("Who", accept(`{"name":"Ann"}`)))
			require.Contains(t, played.failure(), "Error executing tool "+tool+": ")
			require.Contains(t, played.failure(), says)
			require.Contains(t, played.failure(), "shop.star:", "says where")
			require.Contains(t, played.failure(), "resolve", "says what to write")
			require.Empty(t, played.asked)
		}
	})
}

func TestQuestionMadeAndNotReturnedIsTold(t *testing.T) {
	onBoth(t, `
Name = model(name = str)
def forgot():
    elicit("Who?", Name)
def twice():
    elicit("Who?", Name)
    return elicit("Who else?", Name)
def wrapped(): return [elicit("Who?", Name)]
def read(): return elicit("Who?", Name).name
def used(): return "Hello " + elicit("Who?", Name)
def a(x: resolve(forgot)) -> str: return "a"
def b(x: resolve(twice)) -> str: return "b"
def c(x: resolve(wrapped)) -> str: return "c"
def d(x: resolve(read)) -> str: return "d"
def e(x: resolve(used)) -> str: return "e"
[tool(f) for f in [a, b, c, d, e]]
`, func(t *testing.T, c *client) {
		for tool, says := range map[string][]string{
			"a": {"shop.star:4:", "made a question that forgot() did not return", "return elicit(...)"},
			"b": {"shop.star:6:", "made a question that twice() did not return"},
			"c": {"shop.star:8:", "made a question that wrapped() did not return"},
			"d": {"shop.star:9:", "a question has no .name", "does not wait for its answer"},
			"e": {"shop.star:10:", "does not wait for its answer"},
		} {
			played := c.call(tool, "", answering("Who", accept(`{"name":"Ann"}`)))
			for _, text := range says {
				require.Contains(t, played.failure(), text)
			}
			require.Empty(t, played.asked)
		}
	})
}

func TestQuestionMustFitTheDeclaredType(t *testing.T) {
	onBoth(t, `
Name = model(name = str)
Age = model(age = int)
def right() -> Name: return elicit("Who?", Name)
def either() -> Name | None: return elicit("Who?", Name)
def wrong() -> Age: return elicit("Who?", Name)
def sampled() -> str: return sample("Who?", max_tokens = 5)
def a(x: resolve(right)) -> str: return x.name
def b(x: resolve(either)) -> str: return x.name
def c(x: resolve(wrong)) -> str: return "c"
def d(x: resolve(sampled)) -> str: return "d"
[tool(f) for f in [a, b, c, d]]
`, func(t *testing.T, c *client) {
		answer := answering("sampling/", said("Bea"), "Who?", accept(`{"name":"Ann"}`))
		require.Equal(t, "Ann", c.call("a", "", answer).text())
		require.Equal(t, "Ann", c.call("b", "", answer).text())
		played := c.call("c", "", answer)
		require.Contains(t, played.failure(), "shop.star:6:")
		require.Contains(t, played.failure(), "wrong() asks for Name but is declared -> Age")
		require.Empty(t, played.asked)
		require.Contains(t, c.call("d", "", answer).failure(), "sampled() is declared -> str")
	})
}
