package starhost_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// Bodies that drive the rounds of their call by themselves.

const byHand = `
Name = model(name = str)
Color = model(color = str)

def paint(what: str, ctx) -> str | input_required:
    state = ctx.request_state or {}
    second = ctx.input_responses.get("step2")
    if second and "name" in state:
        return "%s paints %s %s" % (state["name"], what, second.content["color"])
    first = ctx.input_responses.get("step1")
    if first:
        if first.action != "accept":
            return "nobody paints (%s)" % first.action
        return input_required({"step2": elicit("Which color, %s?" % first.content["name"], Color)}, state = {"name": first.content["name"], "n": 9007199254740993})
    return input_required({"step1": elicit("Who paints?", Name)})
tool(paint)
prompt(paint)
resource("paint://{what}", paint)
`

var painter = answering("Who paints?", accept(`{"name":"Bo"}`), "Which color, Bo?", accept(`{"color":"red"}`))

func TestABodyMayDriveItsOwnRounds(t *testing.T) {
	onBoth(t, byHand, func(t *testing.T, c *client) {
		p := c.play("tools/call", `"name":"paint","arguments":{"what":"walls"}`, painter)
		require.Equal(t, "Bo paints walls red", p.text())
		if c.revision == rounds {
			require.Equal(t, 3, p.rounds)
			require.Equal(t, "step1", p.asked[0][0].key)
		} else {
			require.Len(t, p.asked[0], 2)
		}
		c.play("prompts/get", `"name":"paint","arguments":{"what":"walls"}`, painter).is(
			`{"description":"","messages":[{"role":"user","content":{"type":"text","text":"Bo paints walls red"}}]}`)
		c.play("resources/read", `"uri":"paint://walls"`, painter).without("ttlMs", "cacheScope").is(
			`{"contents":[{"uri":"paint://walls","mimeType":"text/plain","text":"Bo paints walls red"}]}`)
		require.Equal(t, "nobody paints (decline)", c.play("tools/call", `"name":"paint","arguments":{"what":"walls"}`, answering("Who", decline)).text())
	})
}

func TestARoundWithoutAStateStaysWithout(t *testing.T) {
	c := connect(t, serve(t, byHand), rounds)
	const call = `"name":"paint","arguments":{"what":"walls"}`
	first := c.send("tools/call", call, nobody)
	require.Empty(t, first.member("requestState"))
	require.Equal(t, []string{"step1"}, wireKeys(first.asked))

	second := c.send("tools/call", call+`,"inputResponses":{"step1":`+accept(`{"name":"Boudicca"}`)+`,"more":`+decline+`}`, nobody)
	require.True(t, strings.HasPrefix(second.state, "v1."), "a state is sealed")
	require.NotContains(t, second.state, "Boudicca")

	again := `,"inputResponses":{"step2":` + accept(`{"color":"red"}`) + `},"requestState":"` + second.state
	c.send("tools/call", call+again+`X"`, nobody).refused(-32602, "Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
	c.send("tools/call", `"name":"paint","arguments":{"what":"doors"}`+again+`"`, nobody).refused(-32602,
		"Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
	require.Equal(t, "Boudicca paints walls red", c.send("tools/call", call+again+`"`, nobody).text())
}

func TestAWrongAnswerOfABodysOwnIsRefusedOrAskedAgain(t *testing.T) {
	c := connect(t, serve(t, byHand), rounds)
	const call = `"name":"paint","arguments":{"what":"walls"}`
	c.send("tools/call", call+`,"inputResponses":{"step1":12345}`, nobody).refused(-32602, "Invalid request parameters", `""`)
	require.Equal(t, []string{"step1"}, wireKeys(c.send("tools/call", call+`,"inputResponses":{"other":`+decline+`}`, nobody).asked))
	old := connect(t, serve(t, byHand), handshake)
	old.send("tools/call", call, answering("Who", `{"strange":true}`)).refused(-32602, "Invalid request parameters", `""`)
	old.send("tools/call", call, answering("Who", `{"error":{"code":-32099,"message":"no","data":1}}`)).refused(-32099, "no", `1`)
}

func TestEveryKindOfQuestionMayGoOutByHand(t *testing.T) {
	onBoth(t, `
Name = model(name = str)
def all(ctx):
    r = ctx.input_responses
    if len(r) < 3:
        return input_required({"who": elicit("Who?", Name), "say": sample("Hi", max_tokens = 5), "where": list_roots()})
    return "%s %s %s %s" % (r["who"].content["name"], r["say"].text, r["where"].roots[0].uri, ctx.request_state)
tool(all)
`, func(t *testing.T, c *client) {
		p := c.play("tools/call", `"name":"all"`, answering("Who?", accept(`{"name":"Bo"}`), "sampling", said("hello"), "roots", oneRoot()))
		require.Equal(t, "Bo hello file:///home None", p.text())
		require.Len(t, p.asked[0], 3)
	})
}

func TestQuestionsByHandNeedTheirCapabilities(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		connectWith(t, serve(t, byHand), revision, `{}`).send("tools/call", `"name":"paint","arguments":{"what":"x"}`, nobody).refused(-32021,
			"Client did not declare the form elicitation capability required by input request 'step1'",
			`{"requiredCapabilities":{"elicitation":{"form":{}}}}`)
	}
}

func TestResolversAndRoundsByHandAreTwoChannels(t *testing.T) {
	refusals{
		{"declared", "def look(): return 1\ndef run(x: resolve(look)) -> str | input_required: return ''\ntool(run)",
			"two-channels", "tool run combines resolve(...) parameters with -> input_required", "2:12"},
		{"declared by a prompt", "def look(): return 1\ndef run(x: resolve(look)) -> input_required: return ''\nprompt(run)",
			"two-channels", "prompt run combines", "2:12"},
	}.run(t)
	onBoth(t, `
Name = model(name = str)
def look(): return 1
def run(x: resolve(look)):
    return input_required({"who": elicit("Who?", Name)})
tool(run)
`, func(t *testing.T, c *client) {
		require.Equal(t, "Error executing tool run: the tool returned input_required(...) but its parameters use resolve(...); "+
			"a call has one input_required channel, so the multi-round flow is driven either by resolvers or by the tool body, not both",
			c.send("tools/call", `"name":"run"`, nobody).failure())
	})
}

func TestAQuestionThatIsNotHandedOverIsAnError(t *testing.T) {
	onBoth(t, `
Name = model(name = str)
def run():
    lost = elicit("Lost?", Name)
    return input_required({"who": elicit("Who?", Name)})
tool(run)
`, func(t *testing.T, c *client) {
		require.Contains(t, c.send("tools/call", `"name":"run"`, nobody).failure(), "a tool can't ask; move the question to a resolver")
	})
}

func TestABodyThatNeverHasEnoughEnds(t *testing.T) {
	c := connect(t, serve(t, "Name = model(name = str)\ndef run(): return input_required({'who': elicit('Who?', Name)})\ntool(run)"), handshake)
	require.Equal(t, "Error executing tool run: the tool asked again 100 times; does it use the answers in ctx.input_responses?",
		c.send("tools/call", `"name":"run"`, answering("Who", accept(`{"name":"x"}`))).failure())
}

func TestMisuseOfInputRequiredIsToldWhatToWrite(t *testing.T) {
	for script, want := range map[string]string{
		`input_required({"a": 5})`:        `input_required(): "a" is 5 (int); want a question`,
		`input_required({5: 5})`:          `input_required(): the key of a question is a short text, got 5 (int)`,
		`input_required("a")`:             `write input_required({"name": elicit("...", Name)})`,
		`input_required()`:                `give it questions, or a state to come back with`,
		`input_required({}, state = len)`: `input_required(): state:`,
	} {
		c := connect(t, serve(t, "def run(): return "+script+"\ntool(run)"), rounds)
		require.Contains(t, c.send("tools/call", `"name":"run"`, nobody).failure(), want)
	}
}

func TestAnswersAndStateAreSeenInResolversToo(t *testing.T) {
	out := new(printout)
	host := serveWith(t, `
Name = model(name = str)
def ask(ctx):
    print(sorted(ctx.input_responses.keys()), ctx.request_state)
    return elicit("Who?", Name)
def run(who: resolve(ask)): return who.name
tool(run)
`, starhost.Options{Output: out})
	c := connect(t, host, rounds)
	require.Equal(t, "Bo", c.call("run", "", answering("Who", accept(`{"name":"Bo"}`))).text())
	require.Equal(t, []string{`[] None`, `["shop:ask"] None`}, out.take())
}
