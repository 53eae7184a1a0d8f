package starhost_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const greetings = `
def hi(name: str, n: int = 3, loud: bool = False) -> str:
    """Greet somebody.

    Args:
        name: Who it is.
    """
    return "hi %s %d%s" % (name, n, "!" if loud else "")
prompt(hi, title = "Hi", icons = [{"src": "https://x/i.png"}], meta = {"k": 1})

def talk():
    return [
        "a",
        assistant("b"),
        user([text("c"), image(b"\x01", "image/png")]),
        embed("doc://x", "held", mime_type = "text/plain"),
        {"five": 5},
        [6],
    ]
prompt(talk, name = "a-talk", description = "Many messages.")

def nothing(): pass
prompt(nothing)
def bad(): fail("boom")
prompt(bad)
def worse(): protocol_error(-32050, "mine", {"a": 1})
prompt(worse)
def wrong() -> str: return 5
prompt(wrong)
`

func TestPromptsAreListedInNameOrder(t *testing.T) {
	onBoth(t, greetings, func(t *testing.T, c *client) {
		r := c.send("prompts/list", "", nobody)
		r.without("ttlMs", "cacheScope").is(`{"prompts":[
			{"name":"a-talk","description":"Many messages.","arguments":[]},
			{"name":"bad","description":"","arguments":[]},
			{"name":"hi","title":"Hi","description":"Greet somebody.","arguments":[
				{"name":"name","description":"Who it is.","required":true},
				{"name":"n","required":false},
				{"name":"loud","required":false}],
			 "icons":[{"src":"https://x/i.png"}],"_meta":{"k":1}},
			{"name":"nothing","description":"","arguments":[]},
			{"name":"worse","description":"","arguments":[]},
			{"name":"wrong","description":"","arguments":[]}]}`)
		if c.revision == rounds {
			require.Equal(t, "0", r.member("ttlMs"))
			require.Equal(t, `"private"`, r.member("cacheScope"))
		} else {
			require.Empty(t, r.member("ttlMs"))
		}
	})
}

func TestPromptArgumentsAreConvertedByType(t *testing.T) {
	onBoth(t, greetings, func(t *testing.T, c *client) {
		for arguments, want := range map[string]string{
			`{"name":"Bo"}`:                         "hi Bo 3",
			`{"name":"Bo","n":"5"}`:                 "hi Bo 5",
			`{"name":"[1,2]","n":"-1"}`:             "hi [1,2] -1",
			`{"name":"Bo","loud":"yes","more":"x"}`: "hi Bo 3!",
		} {
			c.send("prompts/get", `"name":"hi","arguments":`+arguments, nobody).is(
				`{"description":"Greet somebody.","messages":[{"role":"user","content":{"type":"text","text":"` + want + `"}}]}`)
		}
	})
}

func TestWhatAPromptReturnsBecomesMessages(t *testing.T) {
	onBoth(t, greetings, func(t *testing.T, c *client) {
		c.send("prompts/get", `"name":"a-talk"`, nobody).is(`{"description":"Many messages.","messages":[
			{"role":"user","content":{"type":"text","text":"a"}},
			{"role":"assistant","content":{"type":"text","text":"b"}},
			{"role":"user","content":{"type":"text","text":"c"}},
			{"role":"user","content":{"type":"image","data":"AQ==","mimeType":"image/png"}},
			{"role":"user","content":{"type":"resource","resource":{"uri":"doc://x","mimeType":"text/plain","text":"held"}}},
			{"role":"user","content":{"type":"text","text":"{\n  \"five\": 5\n}"}},
			{"role":"user","content":{"type":"text","text":"6"}}]}`)
	})
}

func TestPromptsThatCantBeRenderedAreErrors(t *testing.T) {
	onBoth(t, greetings, func(t *testing.T, c *client) {
		for params, want := range map[string]struct {
			code    int
			message string
		}{
			`"name":"hi"`: {-32602, "Error rendering prompt hi: 1 validation error for hiArguments\nname: expected a string, got nothing"},
			`"name":"hi","arguments":{"name":"Bo","n":"x"}`: {-32602,
				"Error rendering prompt hi: 1 validation error for hiArguments\nn: expected an integer, got \"x\" (str)"},
			`"name":"hi","arguments":{"nam":"Bo"}`: {-32602,
				"Error rendering prompt hi: 1 validation error for hiArguments\nname: expected a string, got nothing (did you mean to send it as name? you sent nam)"},
			`"name":"hi","arguments":{"name":5}`: {-32602, "Invalid request parameters"},
			`"name":"hello"`:                     {-32602, "Unknown prompt: hello"},
			`"name":"a-tolk"`:                    {-32602, "Unknown prompt: a-tolk (did you mean a-talk?)"},
			`"arguments":{}`:                     {-32602, "Invalid request parameters"},
			`"name":"bad"`:                       {-32603, "Error rendering prompt bad: boom"},
			`"name":"worse"`:                     {-32050, "mine"},
			`"name":"nothing"`: {-32603,
				"Error rendering prompt nothing: the prompt returned None; return the text of its message, or a list of user(...) and assistant(...)"},
			`"name":"wrong"`: {-32603, "Error rendering prompt wrong: wrong() is declared -> str, but: expected a string, got 5 (int)"},
		} {
			c.send("prompts/get", params, nobody).fails(want.code, want.message)
		}
	})
}

const askingPrompt = `
Who = model(name = str)
def look(topic): return topic.upper()
def ask(topic): return elicit("Who wants %s?" % topic, Who)
def review(topic: str, who: resolve(ask), up: resolve(look)) -> str:
    return "%s reviews %s" % (who.name, up)
prompt(review)
`

func TestPromptsAskAsToolsDo(t *testing.T) {
	onBoth(t, askingPrompt, func(t *testing.T, c *client) {
		p := c.play("prompts/get", `"name":"review","arguments":{"topic":"cats"}`, answering("Who wants cats?", accept(`{"name":"Bo"}`)))
		p.is(`{"description":"","messages":[{"role":"user","content":{"type":"text","text":"Bo reviews CATS"}}]}`)
		require.Len(t, p.asked, 1)

		c.play("prompts/get", `"name":"review","arguments":{"topic":"cats"}`, answering("Who wants", decline)).fails(-32603,
			"Error rendering prompt review: Resolver for parameter 'who' could not resolve: elicitation was decline")
	})
}

func TestPromptsCheckTheClientsCapabilities(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		c := connectWith(t, serve(t, askingPrompt), revision, `{}`)
		c.send("prompts/get", `"name":"review","arguments":{"topic":"x"}`, nobody).refused(-32021,
			"Client did not declare the form elicitation capability required by resolver 'shop:ask'",
			`{"requiredCapabilities":{"elicitation":{"form":{}}}}`)
	}
}

func TestStateOfAPromptIsBoundToIt(t *testing.T) {
	c := connect(t, serve(t, askingPrompt+"def other(topic: str, who: resolve(ask)) -> str: return who.name\nprompt(other)\ntool(other)"), rounds)
	first := c.send("prompts/get", `"name":"review","arguments":{"topic":"cats"}`, nobody)
	again := `,"inputResponses":{"shop:ask":` + accept(`{"name":"Bo"}`) + `},"requestState":"` + first.state + `"`
	for method, params := range map[string]string{
		"other arguments": `"name":"review","arguments":{"topic":"dogs"}`,
		"another prompt":  `"name":"other","arguments":{"topic":"cats"}`,
		"no such prompt":  `"name":"nope","arguments":{"topic":"cats"}`,
	} {
		t.Run(method, func(t *testing.T) {
			c.send("prompts/get", params+again, nobody).refused(-32602, "Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
		})
	}
	c.send("tools/call", `"name":"other","arguments":{"topic":"cats"}`+again, nobody).refused(-32602,
		"Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
	c.send("resources/read", `"uri":"x:y"`+again, nobody).refused(-32602,
		"Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
	c.send("prompts/get", `"name":"review","arguments":{"topic":"cats"}`+again, nobody).without("_meta", "resultType").is(
		`{"description":"","messages":[{"role":"user","content":{"type":"text","text":"Bo reviews CATS"}}]}`)
}

func TestABadStateIsRefusedOnOldConnectionsToo(t *testing.T) {
	onBoth(t, askingPrompt, func(t *testing.T, c *client) {
		for _, request := range [][2]string{{"prompts/get", `"name":"review"`}, {"resources/read", `"uri":"nope://x"`}, {"tools/call", `"name":"nope"`}} {
			c.send(request[0], request[1]+`,"requestState":"v1.forged"`, nobody).refused(-32602,
				"Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
		}
		require.Nil(t, c.send("prompts/list", `"requestState":"v1.forged"`, nobody).err, "the lists ignore it")
	})
}

func TestAPromptThatReturnsAQuestionIsToldWhatToWrite(t *testing.T) {
	onBoth(t, "Who = model(name = str)\ndef review(): return elicit('Who?', Who)\nprompt(review)", func(t *testing.T, c *client) {
		r := c.send("prompts/get", `"name":"review"`, nobody)
		require.NotNil(t, r.err)
		require.True(t, strings.Contains(r.err.Message, "a prompt can't ask; move the question to a resolver"), r.err.Message)
	})
}
