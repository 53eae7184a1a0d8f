package starhost_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// Asking on 2026-07-28: a round ends at the questions it can reach, and the next
// round brings the answers.

const batch = `
Order = model(copies = field(int, ge = 1), gift = field(bool, default = False))
Name = model(name = str)
def ask_copies(title): print("copies"); return elicit("How many of %s?" % title, Order)
def suggest(title): print("suggest"); return sample("Who might like %s?" % title, max_tokens = 20)
def roots(): print("roots"); return list_roots()
def ask_name(title, hint: resolve(suggest)): print("name"); return elicit("Who gets %s? %s?" % (title, hint.text), Name)
def order(title: str, order: resolve(ask_copies), who: resolve(ask_name), where: resolve(roots)) -> str:
    print("order")
    return "%d %s for %s in %d" % (order.copies, title, who.name, len(where.roots))
tool(order)
`

const (
	copiesKey  = "shop:ask_copies"
	suggestKey = "shop:suggest"
	rootsKey   = "shop:roots"
	nameKey    = "shop:ask_name"
)

func oneRoot() string { return `{"roots":[{"uri":"file:///home"}]}` }

func inRounds(t *testing.T, script string) (*client, *printout) {
	t.Helper()
	out := new(printout)
	host := serveWith(t, script, starhost.Options{Output: out})
	out.take()
	return connect(t, host, rounds), out
}

func TestReachableQuestionsGoOutTogetherInGraphOrder(t *testing.T) {
	c, out := inRounds(t, batch)
	first := c.once("order", `{"title":"Dune"}`, "", nobody)
	require.Equal(t, []string{copiesKey, suggestKey, rootsKey}, wireKeys(first.asked))
	require.Equal(t, []string{"copies", "suggest", "roots"}, out.take(), "the body did not run")
	require.Empty(t, first.member("content"))
	require.Empty(t, first.member("isError"))
	require.True(t, strings.HasPrefix(first.state, "v1."))
	require.Nil(t, first.asked[2].params, "roots/list has no params")

	second := c.resume("order", `{"title":"Dune"}`, first.state, map[string]string{
		copiesKey: accept(`{"copies":2}`), suggestKey: said("Paul"), rootsKey: oneRoot(),
	})
	require.Equal(t, []string{nameKey}, wireKeys(second.asked))
	require.Contains(t, string(second.asked[0].params), "Who gets Dune? Paul?")

	third := c.resume("order", `{"title":"Dune"}`, second.state, map[string]string{nameKey: accept(`{"name":"Ann"}`)})
	require.Equal(t, "2 Dune for Ann in 1", third.text())
}

func TestEveryResolverOnThePathRunsInEveryRound(t *testing.T) {
	c, out := inRounds(t, batch)
	played := c.call("order", `{"title":"Dune"}`, answering("How many", accept(`{"copies":2}`), "like", said("Paul"), "roots", oneRoot(), "Who gets", accept(`{"name":"Ann"}`)))
	require.Equal(t, 3, played.rounds)
	counts := map[string]int{}
	for _, line := range out.take() {
		counts[line]++
	}
	require.Equal(t, map[string]int{"copies": 3, "suggest": 3, "roots": 3, "name": 2, "order": 1}, counts)
	require.Len(t, played.asked, 2, "and each question was asked once")
	require.Len(t, played.asked[0], 3)
	require.Len(t, played.asked[1], 1)
}

func TestRoundsSendTheReducedSchema(t *testing.T) {
	c, _ := inRounds(t, batch)
	first := c.once("order", `{"title":"Dune"}`, "", nobody)
	require.JSONEq(t, `{"message":"How many of Dune?","mode":"form","requestedSchema":{"type":"object","properties":{
		"copies":{"type":"integer","title":"Copies","minimum":1},
		"gift":{"type":"boolean","title":"Gift","default":false}},"required":["copies"]}}`, string(first.asked[0].params))
}

func TestPartialAnswersAreKept(t *testing.T) {
	c, _ := inRounds(t, batch)
	state := c.once("order", `{"title":"Dune"}`, "", nobody).state
	second := c.resume("order", `{"title":"Dune"}`, state, map[string]string{suggestKey: said("Paul")})
	require.Equal(t, []string{copiesKey, nameKey, rootsKey}, wireKeys(second.asked), "what was answered is not asked again")
	third := c.resume("order", `{"title":"Dune"}`, second.state, map[string]string{nameKey: accept(`{"name":"Ann"}`)})
	require.Equal(t, []string{copiesKey, rootsKey}, wireKeys(third.asked))
	last := c.resume("order", `{"title":"Dune"}`, third.state, map[string]string{copiesKey: accept(`{"copies":1}`), rootsKey: oneRoot()})
	require.Equal(t, "1 Dune for Ann in 1", last.text())
}

func TestRecordedAnswerBeatsOneSentAgain(t *testing.T) {
	c, _ := inRounds(t, batch)
	state := c.once("order", `{"title":"Dune"}`, "", nobody).state
	second := c.resume("order", `{"title":"Dune"}`, state, map[string]string{copiesKey: accept(`{"copies":2}`), suggestKey: said("Paul"), rootsKey: oneRoot()})
	last := c.resume("order", `{"title":"Dune"}`, second.state, map[string]string{
		copiesKey: accept(`{"copies":99}`), rootsKey: `{"roots":[]}`, nameKey: accept(`{"name":"Ann"}`),
	})
	require.Equal(t, "2 Dune for Ann in 1", last.text())
}

func TestUnknownKeysAreDropped(t *testing.T) {
	c, _ := inRounds(t, batch)
	state := c.once("order", `{"title":"Dune"}`, "", nobody).state
	second := c.resume("order", `{"title":"Dune"}`, state, map[string]string{
		copiesKey: accept(`{"copies":2}`), suggestKey: said("Paul"), rootsKey: oneRoot(),
		"shop:other": accept(`{"name":"Eve"}`), "": decline, nameKey: accept(`{"name":"Eve"}`),
	})
	require.Equal(t, []string{nameKey}, wireKeys(second.asked), "an answer to what was not asked yet counts for nothing")
	last := c.resume("order", `{"title":"Dune"}`, second.state, map[string]string{nameKey: accept(`{"name":"Ann"}`)})
	require.Equal(t, "2 Dune for Ann in 1", last.text())
}

func TestStateWithoutAnswersAsksAgain(t *testing.T) {
	c, _ := inRounds(t, batch)
	state := c.once("order", `{"title":"Dune"}`, "", nobody).state
	for _, rest := range []string{
		``, `,"inputResponses":{}`, `,"inputResponses":null`, `,"inputResponses":{"shop:nobody":{"action":"decline"}}`,
	} {
		again := c.once("order", `{"title":"Dune"}`, `,"requestState":"`+state+`"`+rest, nobody)
		require.Equal(t, []string{copiesKey, suggestKey, rootsKey}, wireKeys(again.asked), rest)
	}
}

func TestAnswersWithoutStateAskAgain(t *testing.T) {
	c, out := inRounds(t, batch)
	c.once("order", `{"title":"Dune"}`, "", nobody)
	out.take()
	again := c.once("order", `{"title":"Dune"}`, `,"inputResponses":{"`+copiesKey+`":`+accept(`{"copies":2}`)+`}`, nobody)
	require.Equal(t, []string{copiesKey, suggestKey, rootsKey}, wireKeys(again.asked))
}

func TestSameStateMayBeUsedMoreThanOnce(t *testing.T) {
	c, _ := inRounds(t, twoQuestions)
	state := c.once("order", `{"title":"Dune"}`, "", nobody).state
	for _, copies := range []string{"1", "2", "3"} {
		last := c.resume("order", `{"title":"Dune"}`, state, map[string]string{copiesKey: accept(`{"copies":` + copies + `}`), nameKey: accept(`{"name":"Ann"}`)})
		require.Equal(t, copies+" Dune for Ann", last.text())
	}
}

func TestDeclineAndCancelAreRecorded(t *testing.T) {
	c, _ := inRounds(t, `
Name = model(name = str)
def first(): return elicit("First?", Name)
def second(): return elicit("Second?", Name)
def run(a: resolve(first, outcome = True), b: resolve(second, outcome = True)) -> str: return a.action + " " + b.action
tool(run)
`)
	for _, answer := range []string{decline, cancel} {
		state := c.once("run", "", "", nobody).state
		second := c.resume("run", "", state, map[string]string{"shop:first": answer})
		require.Equal(t, []string{"shop:second"}, wireKeys(second.asked), "not asked again")
		last := c.resume("run", "", second.state, map[string]string{"shop:second": accept(`{"name":"x"}`), "shop:first": accept(`{"name":"x"}`)})
		require.Equal(t, strings.TrimSuffix(strings.TrimPrefix(answer, `{"action":"`), `"}`)+" accept", last.text())
	}
}

func TestDeclineWinsAtOnce(t *testing.T) {
	for _, at := range []string{"first", "second"} {
		c, _ := inRounds(t, `
Name = model(name = str)
def first(): return elicit("First?", Name)
def second(): return elicit("Second?", Name)
def run(a: resolve(first), b: resolve(second)) -> str: return "ran"
tool(run)
`)
		state := c.once("run", "", "", nobody).state
		played := c.resume("run", "", state, map[string]string{"shop:" + at: decline})
		require.Equal(t, "Error executing tool run: Resolver for parameter '"+map[string]string{"first": "a", "second": "b"}[at]+
			"' could not resolve: elicitation was decline", played.failure())
	}
}

func TestWireKeyIsModuleAndFunction(t *testing.T) {
	folder := map[string]string{
		"mcpstar.toml":        "",
		"shop/server.star":    "load(\"lib/stock.star\", \"ask\")\nName = model(name = str)\ndef mine(): return elicit('Mine?', Name)\ndef run(a: resolve(ask), b: resolve(mine), c: resolve(lambda: elicit('Keyed?', Name), key = 'my:key')) -> str: return ''\ntool(run)",
		"shop/lib/stock.star": "Name = model(name = str)\ndef ask(): return elicit('Lib?', Name)",
	}
	c := connect(t, serveFolder(t, folder, "shop/server.star"), rounds)
	require.Equal(t, []string{"shop/lib/stock:ask", "shop/server:mine", "my:key"}, wireKeys(c.once("run", "", "", nobody).asked))
}

func TestAnyInstanceWithTheKeysCanResume(t *testing.T) {
	keys := [][]byte{[]byte(strings.Repeat("k", 32)), []byte(strings.Repeat("o", 32))}
	one := connect(t, serveWith(t, twoQuestions, starhost.Options{StateKeys: keys}), rounds)
	two := connect(t, serveWith(t, twoQuestions, starhost.Options{StateKeys: [][]byte{keys[1], keys[0]}}), rounds)
	first := one.once("order", `{"title":"Dune"}`, "", nobody)
	second := two.resume("order", `{"title":"Dune"}`, first.state, map[string]string{copiesKey: accept(`{"copies":2}`)})
	last := one.resume("order", `{"title":"Dune"}`, second.state, map[string]string{nameKey: accept(`{"name":"Ann"}`)})
	require.Equal(t, "2 Dune for Ann", last.text())
}

// An answer that is none of the three results makes the whole request invalid, on
// both revisions: nobody can act on it but the client's author.
func TestAnswerThatIsNoAnswerIsInvalidParams(t *testing.T) {
	for _, answer := range []string{`{}`, `7`, `null`, `"accept"`, `[]`, `{"action":"maybe"}`, `{"action":"accept","content":{"copies":{"n":1}}}`,
		`{"action":"accept","content":[]}`, `{"error":{"code":-1,"message":"no"}}`, `{"content":{"copies":1}}`, `{"roots":[{"uri":"https://example.com"}]}`,
		`{"role":"system","content":{"type":"text","text":"x"},"model":"m"}`} {
		c, _ := inRounds(t, twoQuestions)
		state := c.once("order", `{"title":"Dune"}`, "", nobody).state
		c.resume("order", `{"title":"Dune"}`, state, map[string]string{copiesKey: answer}).refused(-32602, "Invalid request parameters", `""`)
		c.resume("order", `{"title":"Dune"}`, state, map[string]string{"shop:unknown": answer}).refused(-32602, "Invalid request parameters", `""`)
		if strings.HasPrefix(answer, `{"error"`) || !strings.HasPrefix(answer, "{") {
			continue // as an answer to a request, the one is an error and the others no JSON-RPC
		}
		h := connect(t, serve(t, twoQuestions), handshake)
		h.call("order", `{"title":"Dune"}`, answering("How many", answer)).refused(-32602, "Invalid request parameters", `""`)
	}
}

func TestInputResponsesOfTheWrongShapeAreInvalidParams(t *testing.T) {
	c, _ := inRounds(t, twoQuestions)
	for _, responses := range []string{`[]`, `7`, `"x"`, `true`} {
		c.once("order", `{"title":"Dune"}`, `,"inputResponses":`+responses, nobody).refused(-32602, "Invalid request parameters", `""`)
	}
}

func TestAnswerOfAnotherKindIsTold(t *testing.T) {
	script := `
Name = model(name = str)
def form(): return elicit("Form?", Name)
def model_(): return sample("Sample?", max_tokens = 5)
def roots(): return list_roots()
def a(x: resolve(form)) -> str: return "a"
def b(x: resolve(model_)) -> str: return "b"
def c(x: resolve(roots)) -> str: return "c"
[tool(f) for f in [a, b, c]]
`
	blocks := `{"role":"assistant","content":[{"type":"text","text":"x"}],"model":"m"}`
	onBoth(t, script, func(t *testing.T, c *client) {
		for _, try := range []struct{ tool, answer, says string }{
			{"a", said("x"), "Resolver 'shop:form' received a non-elicitation response"},
			{"a", oneRoot(), "Resolver 'shop:form' received a non-elicitation response"},
			{"b", decline, "Resolver 'shop:model_' received a response of the wrong kind"},
			{"b", oneRoot(), "Resolver 'shop:model_' received a response of the wrong kind"},
			{"b", blocks, "Resolver 'shop:model_' received a response of the wrong kind"},
			{"c", accept(`{}`), "Resolver 'shop:roots' received a response of the wrong kind"},
			{"c", said("x"), "Resolver 'shop:roots' received a response of the wrong kind"},
		} {
			require.Equal(t, "Error executing tool "+try.tool+": "+try.says,
				c.call(try.tool, "", func(question) string { return try.answer }).failure())
		}
	})
}

func TestResponseMembersComeInTheProtocolsOrder(t *testing.T) {
	c, _ := inRounds(t, twoQuestions)
	first := c.once("order", `{"title":"Dune"}`, "", nobody)
	var names []string
	for _, m := range membersOf(t, first.raw) {
		names = append(names, m.key)
	}
	require.Equal(t, []string{"resultType", "inputRequests", "requestState"}, names[:3])
	require.True(t, json.Valid(first.raw))
}
