package starhost_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a client must have declared to be asked.

const asksEverything = `
Yes = model(yes = bool)
def form(): return elicit("Form?", Yes)
def url(): return elicit_url("Open?", "https://example.com/")
def model_(): return sample("Sample?", max_tokens = 5)
def tools(): return sample("Tools?", max_tokens = 5, tools = [{"name": "look", "inputSchema": {"type": "object"}}])
def choice(): return sample("Choice?", max_tokens = 5, tool_choice = {"mode": "none"})
def roots(): return list_roots()
def f(x: resolve(form)) -> str: return "f"
def u(x: resolve(url)) -> str: return "u"
def s(x: resolve(model_)) -> str: return "s"
def t(x: resolve(tools)) -> str: return "t"
def c(x: resolve(choice)) -> str: return "c"
def r(x: resolve(roots)) -> str: return "r"
def many(a: resolve(roots), b: resolve(model_), c: resolve(form)) -> str: return "many"
def never() -> str: return "never"
[tool(x) for x in [f, u, s, t, c, r, many, never]]
`

func TestMissingCapabilityIsRefused(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) {
			host := serve(t, asksEverything)
			for _, try := range []struct{ declares, tool, name, resolver, required string }{
				{`{}`, "f", "form elicitation", "form", `{"elicitation":{"form":{}}}`},
				{`{"elicitation":{"url":{}}}`, "f", "form elicitation", "form", `{"elicitation":{"form":{}}}`},
				{`{"elicitation":{}}`, "u", "url elicitation", "url", `{"elicitation":{"url":{}}}`},
				{`{"elicitation":{"form":{}}}`, "u", "url elicitation", "url", `{"elicitation":{"url":{}}}`},
				{`{"elicitation":{}}`, "s", "sampling", "model_", `{"sampling":{}}`},
				{`{"sampling":{}}`, "t", "sampling.tools", "tools", `{"sampling":{"tools":{}}}`},
				{`{"sampling":{}}`, "c", "sampling.tools", "choice", `{"sampling":{"tools":{}}}`},
				{`{"sampling":{}}`, "r", "roots", "roots", `{"roots":{}}`},
			} {
				c := connectWith(t, host, revision, try.declares)
				played := c.call(try.tool, "", answering("", decline))
				played.refused(-32021, "Client did not declare the "+try.name+" capability required by resolver 'shop:"+try.resolver+"'",
					`{"requiredCapabilities":`+try.required+`}`)
				require.Empty(t, played.asked)
				require.Equal(t, "never", c.call("never", "", nobody).text(), "the connection goes on")
			}
		})
	}
}

func TestBareElicitationCountsAsForms(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		for _, declares := range []string{`{"elicitation":{}}`, `{"elicitation":{"form":{}}}`, `{"elicitation":{"form":{},"url":{}}}`} {
			c := connectWith(t, serve(t, asksEverything), revision, declares)
			require.Equal(t, "f", c.call("f", "", answering("Form", yes)).text(), revision+" "+declares)
		}
	}
}

func TestFirstMissingCapabilityInGraphOrderIsReported(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		played := connectWith(t, serve(t, asksEverything), revision, `{"roots":{}}`).call("many", "", answering("roots", oneRoot()))
		played.refused(-32021, "Client did not declare the sampling capability required by resolver 'shop:model_'", `{"requiredCapabilities":{"sampling":{}}}`)
		if revision == rounds {
			require.Empty(t, played.asked, "nothing is asked in a round that can't be answered")
		} else {
			require.Len(t, played.asked[0], 1, "what comes before it was asked")
		}
	}
}

func TestCapabilityIsNotNeededOnTheAnsweringRound(t *testing.T) {
	host := serve(t, asksEverything)
	c := connect(t, host, rounds)
	state := c.once("f", "", "", nobody).state
	c.declares = `{}`
	require.Equal(t, "f", c.resume("f", "", state, map[string]string{"shop:form": yes}).text())
}
