package starhost_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost"
)

// An answer is pinned to the exact question it was given for.

// A wall is what scripts can read and the test can change between two rounds, by
// the words wall("name").
type wall map[string]string

func (w wall) words() starlark.StringDict {
	return starlark.StringDict{"wall": starlark.NewBuiltin("wall",
		func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			name, _ := starlark.AsString(args[0])
			return starlark.String(w[name]), nil
		})}
}

const asksTheWall = `
Yes = model(yes = bool)
def first():
    if wall("first") == "none":
        return Yes(yes = False)
    return elicit("First: %s?" % wall("first"), Yes)
def second(a: resolve(first)): return elicit("Second, after %s?" % a.yes, Yes)
def other(): return elicit("Other: %s?" % wall("other"), Yes)
def run(a: resolve(first), b: resolve(second), c: resolve(other)) -> str:
    return "%s %s %s" % (a.yes, b.yes, c.yes)
tool(run)
`

const yes, no = `{"action":"accept","content":{"yes":true}}`, `{"action":"accept","content":{"yes":false}}`

func atTheWall(t *testing.T, w wall) *client {
	t.Helper()
	return connect(t, serveWith(t, asksTheWall, starhost.Options{Words: w.words()}), rounds)
}

func TestRewordedQuestionIsAskedAgain(t *testing.T) {
	w := wall{"first": "now", "other": "x"}
	c := atTheWall(t, w)
	state := c.once("run", "", "", nobody).state
	w["first"] = "later"
	again := c.resume("run", "", state, map[string]string{"shop:first": yes, "shop:other": yes})
	require.Equal(t, []string{"shop:first"}, wireKeys(again.asked))
	require.Contains(t, string(again.asked[0].params), "First: later?")
}

func TestRewordedQuestionDropsItsRecordedAnswer(t *testing.T) {
	w := wall{"first": "now", "other": "x"}
	c := atTheWall(t, w)
	state := c.once("run", "", "", nobody).state
	state = c.resume("run", "", state, map[string]string{"shop:first": yes}).state
	w["first"] = "later"
	again := c.resume("run", "", state, map[string]string{"shop:other": yes})
	require.Equal(t, []string{"shop:first"}, wireKeys(again.asked), "the recorded answer was for other words")
	w["first"] = "now"
	third := c.resume("run", "", again.state, map[string]string{})
	require.Equal(t, []string{"shop:first"}, wireKeys(third.asked), "and is gone, even if the words come back")
}

func TestChangedSchemaIsAnotherQuestion(t *testing.T) {
	keys := [][]byte{[]byte("0123456789abcdef0123456789abcdef")}
	shop := func(model string) *client {
		return connect(t, serveWith(t, model+`
def ask(): return elicit("Sure?", Yes)
def run(a: resolve(ask)) -> str: return "%s" % a.yes
tool(run)
`, starhost.Options{StateKeys: keys}), rounds)
	}
	state := shop(`Yes = model(yes = bool)`).once("run", "", "", nobody).state
	answers := map[string]string{"shop:ask": yes}
	require.Equal(t, "True", shop(`Yes = model(yes = bool)`).resume("run", "", state, answers).text())
	for _, changed := range []string{
		`Yes = model(yes = bool, why = field(str, default = ""))`,
		`Yes = model(yes = field(bool, description = "Really?"))`,
		`Yes = describe(model(yes = bool), "Really")`,
		`Yes = describe(model(yes = bool), "", title = "Renamed")`, // not shown on this revision, and still another question
	} {
		require.Equal(t, []string{"shop:ask"}, wireKeys(shop(changed).resume("run", "", state, answers).asked), changed)
	}
}

func TestComputedValueAlwaysWins(t *testing.T) {
	w := wall{"first": "now", "other": "x"}
	c := atTheWall(t, w)
	state := c.once("run", "", "", nobody).state
	w["first"] = "none"
	second := c.resume("run", "", state, map[string]string{"shop:first": yes, "shop:other": yes})
	require.Contains(t, string(second.asked[0].params), "Second, after False?", "not what the client sent")
	require.Equal(t, "False True True", c.resume("run", "", second.state, map[string]string{"shop:second": yes, "shop:first": yes}).text())
}

func TestComputedValueWinsOverARecordedAnswer(t *testing.T) {
	w := wall{"first": "now", "other": "x"}
	c := atTheWall(t, w)
	state := c.once("run", "", "", nobody).state
	state = c.resume("run", "", state, map[string]string{"shop:first": yes, "shop:other": yes}).state
	w["first"] = "none"
	again := c.resume("run", "", state, map[string]string{"shop:second": yes})
	require.Equal(t, []string{"shop:second"}, wireKeys(again.asked), "it depends on what has changed")
	require.Contains(t, string(again.asked[0].params), "Second, after False?")
}

func TestOnlyConsultedAnswersAreCarriedOn(t *testing.T) {
	w := wall{"first": "now", "other": "x"}
	c := atTheWall(t, w)
	state := c.once("run", "", "", nobody).state
	state = c.resume("run", "", state, map[string]string{"shop:first": yes}).state
	state = c.resume("run", "", state, map[string]string{"shop:second": yes}).state // recorded: first and second

	w["first"] = "later" // what second depends on is open again, so second is not reached
	again := c.resume("run", "", state, map[string]string{"shop:other": yes})
	require.Equal(t, []string{"shop:first"}, wireKeys(again.asked))

	last := c.resume("run", "", again.state, map[string]string{"shop:first": yes})
	require.Equal(t, []string{"shop:second"}, wireKeys(last.asked), "second's answer was not consulted and is gone; other's was and is kept")
	require.Equal(t, "True True True", c.resume("run", "", last.state, map[string]string{"shop:second": yes}).text())
}

func TestAnswersAreRecordedAsTheyCame(t *testing.T) {
	// A number that is written oddly, and more than the model knows: what the third
	// round sees is what the second did.
	c, _ := inRounds(t, `
Amount = model(cents = float, note = field(str, default = "-"))
Yes = model(yes = bool)
def first(): return elicit("How much?", Amount)
def second(a: resolve(first)): return elicit("Sure about %s %s?" % (a.cents, a.note), Yes)
def run(a: resolve(first), b: resolve(second)) -> str: return "%s %s" % (a.cents, a.note)
tool(run)
`)
	state := c.once("run", "", "", nobody).state
	second := c.resume("run", "", state, map[string]string{"shop:first": `{"action":"accept","content":{"cents":"1e2","more":9007199254740993}}`})
	require.Contains(t, string(second.asked[0].params), "Sure about 100.0 -?")
	require.Equal(t, "100.0 -", c.resume("run", "", second.state, map[string]string{"shop:second": yes}).text())
}

// A question that is another one each time can't be answered. After three answers
// in vain the call ends and says who asked.
func TestQuestionThatNeverSettlesEndsTheCall(t *testing.T) {
	n := 0
	words := starlark.StringDict{"tick": starlark.NewBuiltin("tick",
		func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			n++
			return starlark.MakeInt(n), nil
		})}
	c := connect(t, serveWith(t, `
Yes = model(yes = bool)
def ask(): return elicit("Number %d?" % tick(), Yes)
def run(a: resolve(ask)) -> str: return "%s" % a.yes
tool(run)
`, starhost.Options{Words: words}), rounds)
	played := c.call("run", "", answering("Number", yes))
	require.Contains(t, played.failure(), "Error executing tool run: resolver 'shop:ask' asked a different question in every round")
	require.Len(t, played.asked, 3)

	// A client that does not answer is asked as often as it likes.
	state := c.once("run", "", "", nobody).state
	for range 10 {
		state = c.resume("run", "", state, map[string]string{}).state
	}
	require.NotEmpty(t, state)
}

// Rewording by the author is no fault of the resolver: it is not counted.
func TestQuestionsRewordedByANewVersionAreNotCounted(t *testing.T) {
	keys := [][]byte{[]byte("0123456789abcdef0123456789abcdef")}
	state := ""
	for _, words := range []string{"A", "B", "C", "D", "E", "F"} {
		host, err := starhost.Load(context.Background(), fstest.MapFS{"shop.star": {Data: []byte(`
Yes = model(yes = bool)
def ask(): return elicit("Version ` + words + `?", Yes)
def run(a: resolve(ask)) -> str: return "%s" % a.yes
tool(run)
`)}}, starhost.Options{Entry: "shop.star", StateKeys: keys})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, host.Close(context.Background())) })
		c := connect(t, host, rounds)
		var r reply
		if state == "" {
			r = c.once("run", "", "", nobody)
		} else {
			r = c.resume("run", "", state, map[string]string{"shop:ask": yes})
		}
		require.Equal(t, []string{"shop:ask"}, wireKeys(r.asked), words)
		state = r.state
	}
}
