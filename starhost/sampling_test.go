package starhost_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Asking the client instead of the person: its model, and its roots.

func TestSamplingSendsEveryParameter(t *testing.T) {
	onBoth(t, `
def ask(): return sample(
    [
        {"role": "user", "content": {"type": "text", "text": "What is this?"}},
        {"role": "user", "content": {"type": "image", "data": "aGk=", "mimeType": "image/png"}},
        {"role": "assistant", "content": {"type": "text", "text": "A sound?"}},
        {"role": "user", "content": {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}},
    ],
    max_tokens = 50, system_prompt = "Be brief.", include_context = "thisServer", temperature = 0.5,
    stop_sequences = ["END"], metadata = {"n": 9007199254740993},
    model_preferences = {"hints": [{"name": "small"}], "costPriority": 1.0},
    tools = [{"name": "look", "inputSchema": {"type": "object"}}], tool_choice = {"mode": "auto"})
def run(a: resolve(ask)) -> str: return a.text
tool(run)
`, func(t *testing.T, c *client) {
		played := c.call("run", "", answering("sampling", said("A bell.")))
		require.Equal(t, "A bell.", played.text())
		require.Equal(t, "sampling/createMessage", played.asked[0][0].method)
		require.JSONEq(t, `{"messages":[
			{"role":"user","content":{"type":"text","text":"What is this?"}},
			{"role":"user","content":{"type":"image","data":"aGk=","mimeType":"image/png"}},
			{"role":"assistant","content":{"type":"text","text":"A sound?"}},
			{"role":"user","content":{"type":"audio","data":"aGk=","mimeType":"audio/wav"}}],
			"maxTokens":50,"systemPrompt":"Be brief.","includeContext":"thisServer","temperature":0.5,"stopSequences":["END"],
			"metadata":{"n":9007199254740993},"modelPreferences":{"hints":[{"name":"small"}],"costPriority":1.0},
			"tools":[{"name":"look","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}}`, string(played.asked[0][0].params))
		require.Contains(t, string(played.asked[0][0].params), "9007199254740993")
	})
}

const samples = `
def plain(): return sample("Say something", max_tokens = 5)
def tooled(): return sample("Say something", max_tokens = 5, tools = [{"name": "look", "inputSchema": {"type": "object"}}])
def chosen(): return sample("Say something", max_tokens = 5, tool_choice = {"mode": "none"})
def show(a): return "%s|%s|%r|%s|%s" % (a.text, a.role, [(b.type, b.text, b.name, b.input) for b in (a.content if type(a.content) == "list" else [a.content])], a.model, a.stop_reason)
def run(a: resolve(plain)) -> str: return show(a)
def with_tools(a: resolve(tooled)) -> str: return show(a)
def with_choice(a: resolve(chosen)) -> str: return show(a)
[tool(f) for f in [run, with_tools, with_choice]]
`

func TestSamplingAnswerIsTheClientsResult(t *testing.T) {
	onBoth(t, samples, func(t *testing.T, c *client) {
		require.Equal(t, `Hi|assistant|[("text", "Hi", None, None)]|m|endTurn`, c.call("run", "", answering("sampling", said("Hi"))).text())
		require.Equal(t, `|assistant|[("image", None, None, None)]|m|None`,
			c.call("run", "", answering("sampling", `{"role":"assistant","content":{"type":"image","data":"aGk=","mimeType":"image/png"},"model":"m"}`)).text())
	})
}

func TestSamplingWithToolsMayAnswerWithAList(t *testing.T) {
	list := `{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"1","name":"look","input":{"n":9007199254740993}}],"model":"m","stopReason":"toolUse"}`
	onBoth(t, samples, func(t *testing.T, c *client) {
		want := `I look.|assistant|[("text", "I look.", None, None), ("tool_use", None, "look", {"n": 9007199254740993})]|m|toolUse`
		require.Equal(t, want, c.call("with_tools", "", answering("sampling", list)).text())
		require.Equal(t, want, c.call("with_choice", "", answering("sampling", list)).text())
		require.Equal(t, `Hi|assistant|[("text", "Hi", None, None)]|m|endTurn`, c.call("with_tools", "", answering("sampling", said("Hi"))).text())
		require.Equal(t, "Error executing tool run: Resolver 'shop:plain' received a response of the wrong kind", c.call("run", "", answering("sampling", list)).failure())
	})
}

func TestUnpairedToolMessagesAreToldWhenAsked(t *testing.T) {
	onBoth(t, `
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "look", "input": {}}]}
def result(id): return {"type": "tool_result", "toolUseId": id, "content": [{"type": "text", "text": "seen"}]}
def user(*blocks): return {"role": "user", "content": list(blocks)}
CASES = {
    "mixed": [USE, user(result("1"), {"type": "text", "text": "and"})],
    "alone": [user(result("1"))],
    "unused": [{"role": "assistant", "content": {"type": "text", "text": "x"}}, user(result("1"))],
    "other": [USE, user(result("2"))],
    "good": [USE, user(result("1"))],
}
def ask(which): return sample(CASES[which], max_tokens = 5, tools = [{"name": "look", "inputSchema": {"type": "object"}}])
def run(which: str, a: resolve(ask)) -> str: return a.text
tool(run)
`, func(t *testing.T, c *client) {
		for which, says := range map[string]string{
			"mixed":  "The last message must contain only tool_result content if any is present",
			"alone":  "tool_result requires a previous message containing tool_use",
			"unused": "tool_result blocks do not match any tool_use in the previous message",
			"other":  "ids of tool_result blocks and tool_use blocks from previous message do not match",
		} {
			played := c.call("run", `{"which":"`+which+`"}`, answering("sampling", said("ok")))
			require.Contains(t, played.failure(), "Error executing tool run: ")
			require.Contains(t, played.failure(), says)
			require.Empty(t, played.asked)
		}
		require.Equal(t, "ok", c.call("run", `{"which":"good"}`, answering("sampling", said("ok"))).text())
	})
}

func TestSamplingAndRootsHaveNoDecline(t *testing.T) {
	onBoth(t, `
def ask(): return sample("Say something", max_tokens = 5)
def where(): return list_roots()
def run(a: resolve(ask, outcome = True), w: resolve(where, outcome = True)) -> str:
    return "%s %s %s %d" % (a.action, a.data.text, w.action, len(w.data.roots))
tool(run)
`, func(t *testing.T, c *client) {
		require.Equal(t, "accept Hi accept 1", c.call("run", "", answering("sampling", said("Hi"), "roots", oneRoot())).text())
	})
}

func TestSamplingParameterThatTheProtocolDoesNotKnowIsTold(t *testing.T) {
	onBoth(t, `
def ask(which): return sample("?", max_tokens = 5, include_context = which)
def run(which: str, a: resolve(ask)) -> str: return a.text
tool(run)
`, func(t *testing.T, c *client) {
		for _, which := range []string{"none", "thisServer", "allServers"} {
			require.Equal(t, "ok", c.call("run", `{"which":"`+which+`"}`, answering("sampling", said("ok"))).text())
		}
		played := c.call("run", `{"which":"everything"}`, answering("sampling", said("ok")))
		require.Contains(t, played.failure(), "include_context")
		require.Contains(t, played.failure(), "allServers")
		require.Empty(t, played.asked)
	})
}

func TestRootsAreTheClients(t *testing.T) {
	onBoth(t, `
def where(): return list_roots()
def run(w: resolve(where)) -> str: return ", ".join(["%s=%s" % (r.uri, r.name) for r in w.roots])
tool(run)
`, func(t *testing.T, c *client) {
		played := c.call("run", "", answering("roots", `{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}`))
		require.Equal(t, "file:///a=A, file:///b=None", played.text())
		require.Equal(t, "roots/list", played.asked[0][0].method)
		c.call("run", "", answering("roots", `{"roots":[{"uri":"https://example.com"}]}`)).refused(-32602, "Invalid request parameters", `""`)
	})
}

func TestClientSamplesOncePerCall(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		sampled := 0
		played := connect(t, serve(t, batch), revision).call("order", `{"title":"Dune"}`, func(q question) string {
			if q.method == "sampling/createMessage" {
				sampled++
			}
			return answering("How many", accept(`{"copies":2}`), "like", said("Paul"), "roots", oneRoot(), "Who gets", accept(`{"name":"Ann"}`))(q)
		})
		require.Equal(t, "2 Dune for Ann in 1", played.text())
		require.Equal(t, 1, sampled)
	}
}
