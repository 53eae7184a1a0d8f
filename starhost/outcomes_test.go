package starhost_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a person does with a question: accept, decline, cancel.

func TestAcceptedContentIsConverted(t *testing.T) {
	onBoth(t, `
Size = model(width = int, unit = field(enum("cm", "in"), default = "cm"), wrap = field(bool, default = True))
def ask(): return elicit("Size?", Size)
def run(s: resolve(ask)) -> str: return repr(s)
tool(run)
`, func(t *testing.T, c *client) {
		for content, want := range map[string]string{
			`{"width":7}`: `Size(width = 7, unit = "cm", wrap = True)`,
			`{"width":"7","wrap":"no","unit":"in","more":["x"]}`: `Size(width = 7, unit = "in", wrap = False)`,
			`{"width":7.0}`: `Size(width = 7, unit = "cm", wrap = True)`,
		} {
			require.Equal(t, want, c.call("run", "", answering("Size", accept(content))).text(), content)
		}
	})
}

func TestNoIsAnOrdinaryAnswer(t *testing.T) {
	onBoth(t, `
Backorder = model(confirm = bool)
def ask(): return elicit("Order anyway?", Backorder)
def run(b: resolve(ask)) -> str: return "Ordered." if b.confirm else "No order placed."
tool(run)
`, func(t *testing.T, c *client) {
		require.Equal(t, "No order placed.", c.call("run", "", answering("Order", accept(`{"confirm":false}`))).text())
	})
}

const nested = `
Yes = model(yes = bool)
def ask(): return elicit("Sure?", Yes)
def middle(sure: resolve(ask)): return sure.yes
def top(m: resolve(middle)): return m
def run(t: resolve(top), y: resolve(ask)) -> str: print("run"); return "ran"
tool(run)
`

func TestDeclineEndsTheCallAndNamesTheNearestConsumer(t *testing.T) {
	onBothPrinting(t, nested, func(t *testing.T, c *client, out *printout) {
		for answer, action := range map[string]string{decline: "decline", cancel: "cancel"} {
			played := c.call("run", "", answering("Sure", answer))
			require.Equal(t, "Error executing tool run: Resolver for parameter 'sure' could not resolve: elicitation was "+action, played.failure())
			require.Empty(t, out.take(), "the body did not run")
		}
	})
}

func TestContentOfADeclineIsIgnored(t *testing.T) {
	onBoth(t, nested, func(t *testing.T, c *client) {
		for _, content := range []string{`{"yes":true}`, `{"yes":"what?"}`, `{}`} {
			require.Contains(t, c.call("run", "", answering("Sure", `{"action":"decline","content":`+content+`}`)).failure(), "elicitation was decline")
		}
	})
}

// One text on both revisions, and nothing of what the person wrote in it.
func TestUnfitContentHasOneTextOnBothRevisions(t *testing.T) {
	onBoth(t, `
Form = model(n = field(int, ge = 1, le = 9), word = field(str, max_length = 3, default = "x"), pick = field(enum("a", "b"), default = "a"))
Loose = model(n = field(int, default = 1))
def ask(): return elicit("Form?", Form)
def loose(): return elicit("Loose?", Loose)
def run(f: resolve(ask)) -> str: return "ran"
def soft(f: resolve(loose)) -> str: return "%d" % f.n
tool(run)
tool(soft)
`, func(t *testing.T, c *client) {
		for _, content := range []string{`{}`, `{"n":0}`, `{"n":10}`, `{"n":"secret"}`, `{"n":null}`, `{"n":1,"word":"secret"}`, `{"n":1,"pick":"c"}`, `{"n":["1"]}`} {
			played := c.call("run", "", answering("Form", accept(content)))
			require.Equal(t, "Error executing tool run: Resolver 'shop:ask' received an accepted elicitation whose content does not match the requested schema",
				played.failure(), content)
			require.Len(t, played.asked, 1, "not asked again")
		}
		for _, answer := range []string{`{"action":"accept"}`, `{"action":"accept","content":null}`} {
			require.Equal(t, "Error executing tool run: Resolver 'shop:ask' received an accepted elicitation with no content",
				c.call("run", "", answering("Form", answer)).failure())
			require.Equal(t, "Error executing tool soft: Resolver 'shop:loose' received an accepted elicitation with no content",
				c.call("soft", "", answering("Loose", answer)).failure(), "also where every field has a default")
		}
		require.Equal(t, "1", c.call("soft", "", answering("Loose", accept(`{}`))).text())
	})
}

func TestAskingNobodyWhenTheAnswerIsKnown(t *testing.T) {
	const script = `
Yes = model(yes = bool)
def ask(n): return Yes(yes = True) if n > 0 else elicit("Sure?", Yes)
def run(n: int, y: resolve(ask)) -> str: return "%s" % y.yes
tool(run)
`
	for _, revision := range []string{handshake, rounds} {
		c := connectWith(t, serve(t, script), revision, `{}`)
		played := c.call("run", `{"n":1}`, nobody)
		require.Equal(t, "True", played.text(), "no question, no round trip, no capability")
		require.Empty(t, played.asked)
		require.Equal(t, 1, played.rounds)
	}
}
