package starhost_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine/seal"
	"github.com/mcpstar/mcpstar/starhost"
)

// The state of a call while it is with the client.

// sealedShop has a tool that asks, a second one of the same parameters that asks the
// same, and one that never asks.
const sealedShop = `
Yes = model(yes = bool)
def ask(title): return elicit("Sure about %s?" % title, Yes)
def order(title: str, y: resolve(ask), gift: bool = False) -> str: return "ordered %s" % title
def cancel(title: str, y: resolve(ask)) -> str: return "cancelled %s" % title
def plain(title: str) -> str: return "plain"
tool(order)
tool(cancel)
tool(plain)
`

// frozen is the one answer to a state that can't be used.
func (r reply) frozen(why string) {
	r.t.Helper()
	require.NotNil(r.t, r.err, why)
	require.Equal(r.t, -32602, r.err.Code, why)
	require.Equal(r.t, "Invalid or expired requestState", r.err.Message, why)
	require.Equal(r.t, `{"reason":"invalid_request_state"}`, string(r.err.Data), why)
}

const (
	dune     = `{"title":"Dune"}`
	askKey   = "shop:ask"
	stateKey = "0123456789abcdef0123456789abcdef"
)

func TestBadStateHasOneAnswerWhateverTheCause(t *testing.T) {
	log := new(printout)
	c := connect(t, serveWith(t, sealedShop, starhost.Options{Logger: logTo(log)}), rounds)
	state := c.once("order", dune, "", nobody).state
	body, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(state, "v1."))
	require.NoError(t, err)
	sealed := func(raw []byte) string { return "v1." + base64.RawURLEncoding.EncodeToString(raw) }

	bad := map[string]string{
		`""`: "empty", `"v1."`: "nothing after the prefix", `7`: "a number", `true`: "a boolean", `{}`: "an object",
		`["` + state + `"]`: "a list", `"` + strings.TrimPrefix(state, "v1.") + `"`: "no prefix", `"v2.` + state[3:] + `"`: "another prefix",
		`"` + state + `="`: "padded", `"` + state + `\n"`: "a line break", `" ` + state + `"`: "a space",
		`"` + state[:len(state)-4] + `"`: "cut", `"` + state + state[3:] + `"`: "twice", `"not a token"`: "not a token",
		`"` + strings.Repeat("A", 2<<20) + `"`: "huge", `"\ud800"`: "half a character",
	}
	for i := range body {
		flipped := bytes.Clone(body)
		flipped[i] ^= 1
		bad[`"`+sealed(flipped)+`"`] = "a flipped byte"
	}
	for token, why := range bad {
		r := c.once("order", dune, `,"inputResponses":{"`+askKey+`":`+yes+`},"requestState":`+token, nobody)
		if r.err != nil && why == "half a character" && r.err.Code == -32700 {
			continue // refused even earlier: no Unicode text
		}
		r.frozen(why)
	}
	require.Equal(t, "ordered Dune", c.resume("order", dune, state, map[string]string{askKey: yes}).text(), "the good one is still good")

	told := strings.Join(log.take(), "\n")
	require.Contains(t, told, "requestState refused")
	require.NotContains(t, told, state[10:60], "no token in the log")
}

func TestStateIsBoundToItsCall(t *testing.T) {
	c := connect(t, serveWith(t, sealedShop, starhost.Options{}), rounds)
	state := c.once("order", dune, "", nobody).state
	answers := map[string]string{askKey: yes}
	c.resume("cancel", dune, state, answers).frozen("another tool")
	c.resume("plain", dune, state, answers).frozen("a tool that never asks")
	c.resume("nobody", dune, state, answers).frozen("a tool that does not exist")
	for _, arguments := range []string{`{"title":"Emma"}`, `{"title":"Dune","gift":false}`, `{"title":"Dune","extra":1}`, `{"title":"Dune","y":null}`, `{}`, ``, `{"title":"Dune "}`} {
		c.resume("order", arguments, state, answers).frozen("other arguments: " + arguments)
	}

	withExtra := `{"title":"Dune","y":{"yes":true},"extra":[1,{"b":2,"a":1}]}`
	state = c.once("order", withExtra, "", nobody).state
	c.resume("order", dune, state, answers).frozen("what the tool ignores counts too")
	require.Equal(t, "ordered Dune", c.resume("order", `{"extra":[1,{"a":1,"b":2}],"y":{"yes":true},"title":"\u0044une"}`, state, answers).text(),
		"the order of keys and the spelling of text don't")
}

func TestMissingNullAndEmptyArgumentsBindAlike(t *testing.T) {
	c, _ := inRounds(t, `
Yes = model(yes = bool)
def ask(): return elicit("Sure?", Yes)
def run(y: resolve(ask)) -> str: return "ran"
tool(run)
`)
	for _, first := range []string{``, `null`, `{}`} {
		state := c.once("run", first, "", nobody).state
		for _, then := range []string{``, `null`, `{}`} {
			require.Equal(t, "ran", c.resume("run", then, state, map[string]string{askKey: yes}).text(), "%q then %q", first, then)
		}
	}
}

func TestNullStateIsNoState(t *testing.T) {
	c := connect(t, serve(t, sealedShop), rounds)
	require.Equal(t, []string{askKey}, wireKeys(c.once("order", dune, `,"requestState":null`, nobody).asked))
	require.Equal(t, "plain", c.once("plain", dune, `,"requestState":null`, nobody).text())
	require.Equal(t, "plain", connect(t, serve(t, sealedShop), handshake).once("plain", dune, `,"requestState":null`, nobody).text())
}

func TestStateIsVerifiedEverywhere(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		c := connect(t, serve(t, sealedShop), revision)
		for _, tool := range []string{"plain", "order", "no_such_tool"} {
			for _, token := range []string{`"v1.AAAA"`, `""`, `7`} {
				c.once(tool, `{"title":7}`, `,"requestState":`+token, nobody).frozen(tool + " on " + revision + ", before the arguments are looked at")
			}
		}
		m := c.request("tools/list", json.RawMessage(`{"requestState":"v1.AAAA"`+c.envelope()+`}`), nobody)
		require.Nil(t, m.Error, "other methods don't care")
	}
}

func TestGoodStateOnAHandshakeConnectionChangesNothing(t *testing.T) {
	host := serve(t, sealedShop)
	state := connect(t, host, rounds).once("order", dune, "", nobody).state
	asked := 0
	r := connect(t, host, handshake).once("order", dune, `,"requestState":"`+state+`","inputResponses":{"`+askKey+`":`+yes+`}`, func(question) string {
		asked++
		return no
	})
	require.Equal(t, "ordered Dune", r.text())
	require.Equal(t, 1, asked)
}

func TestStateExpiresTenMinutesAfterItsRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serveHere(t, twoQuestions, starhost.Options{}), rounds)
		state := c.once("order", dune, "", nobody).state
		time.Sleep(600*time.Second - time.Millisecond)
		second := c.resume("order", dune, state, map[string]string{copiesKey: accept(`{"copies":2}`)})
		require.Equal(t, []string{nameKey}, wireKeys(second.asked), "just in time")
		time.Sleep(time.Millisecond)
		c.resume("order", dune, state, map[string]string{copiesKey: accept(`{"copies":2}`)}).frozen("expired")
		time.Sleep(590 * time.Second)
		last := c.resume("order", dune, second.state, map[string]string{nameKey: accept(`{"name":"Ann"}`)})
		require.Equal(t, "2 Dune for Ann", last.text(), "each round has its own time")
	})
}

// On a handshake's connection the question itself has the time of a round.
func TestQuestionThatIsNotAnsweredIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serveHere(t, twoQuestions, starhost.Options{StateTTL: 30 * time.Second}), handshake)
		p := c.pipe()
		began := time.Now()
		id := p.write("tools/call", c.params("order", dune, ""))
		asked := p.next()
		require.Equal(t, "elicitation/create", asked.Method)
		withdrawn, answer := p.next(), p.next()
		if withdrawn.Method == "" { // the two are not in step
			withdrawn, answer = answer, withdrawn
		}
		require.Equal(t, "notifications/cancelled", withdrawn.Method)
		require.Contains(t, string(withdrawn.Params), `"requestId":`+string(asked.ID))
		require.Equal(t, id, string(answer.ID))
		require.Contains(t, string(answer.Result), "Error executing tool order: the question was not answered within 30s")
		require.Equal(t, 30*time.Second, time.Since(began))
	})
}

func TestTimesThatCantBeAreRefused(t *testing.T) {
	for _, options := range []starhost.Options{{StateTTL: -1}, {MaxCallAge: -1}} {
		options.Entry = "shop.star"
		_, err := starhost.Load(context.Background(), files(twoQuestions), options)
		require.ErrorContains(t, err, "no less than 0")
	}
}

func TestStateTTLIsAnOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serveHere(t, twoQuestions, starhost.Options{StateTTL: time.Second}), rounds)
		state := c.once("order", dune, "", nobody).state
		time.Sleep(time.Second)
		c.resume("order", dune, state, map[string]string{copiesKey: accept(`{"copies":2}`)}).frozen("expired")
	})
}

func TestStateOfAnotherProcessIsRefused(t *testing.T) {
	state := connect(t, serve(t, sealedShop), rounds).once("order", dune, "", nobody).state
	connect(t, serve(t, sealedShop), rounds).resume("order", dune, state, map[string]string{askKey: yes}).frozen("a key of its own")
}

func TestStateOfAServerOfAnotherNameIsRefused(t *testing.T) {
	named := func(name string) *client {
		return connect(t, serveWith(t, "server(name = \""+name+"\")\n"+sealedShop, starhost.Options{StateKeys: [][]byte{[]byte(stateKey)}}), rounds)
	}
	state := named("Books").once("order", dune, "", nobody).state
	named("Films").resume("order", dune, state, map[string]string{askKey: yes}).frozen("made for another service")
	require.Equal(t, "ordered Dune", named("Books").resume("order", dune, state, map[string]string{askKey: yes}).text())
}

func TestFirstKeyOfTheRingSealsAndAllOpen(t *testing.T) {
	older, newer := []byte("older-"+stateKey), []byte("newer-"+stateKey)
	with := func(keys ...[]byte) *client {
		return connect(t, serveWith(t, sealedShop, starhost.Options{StateKeys: keys}), rounds)
	}
	answers := map[string]string{askKey: yes}
	sealedByOlder := with(older).once("order", dune, "", nobody).state
	sealedByNewer := with(newer, older).once("order", dune, "", nobody).state
	require.Equal(t, "ordered Dune", with(newer, older).resume("order", dune, sealedByOlder, answers).text())
	require.Equal(t, "ordered Dune", with(newer).resume("order", dune, sealedByNewer, answers).text(), "the first key sealed it")
	with(newer).resume("order", dune, sealedByOlder, answers).frozen("that key is gone")
	with(older).resume("order", dune, sealedByNewer, answers).frozen("that key has not come yet")
}

func TestUnfitStateKeysAreRefusedAtStart(t *testing.T) {
	for says, keys := range map[string][][]byte{
		"there must be at least one state key":     {},
		"keys[0] is 31 bytes":                      {[]byte(stateKey[1:])},
		"keys[1] is the same state key as keys[0]": {[]byte(stateKey), []byte(stateKey)},
		"must be at least 32 bytes of secret":      {[]byte(stateKey), []byte("short")},
	} {
		_, err := starhost.Load(context.Background(), files(sealedShop), starhost.Options{Entry: "shop.star", StateKeys: keys})
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), stateKey[1:], "no secret in an error")
	}
}

func TestClientCanNotReadTheState(t *testing.T) {
	c := connect(t, serve(t, twoQuestions), rounds)
	state := c.once("order", `{"title":"Middlemarch"}`, "", nobody).state
	state = c.resume("order", `{"title":"Middlemarch"}`, state, map[string]string{copiesKey: accept(`{"copies":77}`)}).state
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(state, "v1."))
	require.NoError(t, err)
	for _, secret := range []string{"Middlemarch", "shop:", "copies", "accept"} {
		require.NotContains(t, string(raw), secret)
	}
	require.NotEqual(t, state, c.resume("order", `{"title":"Middlemarch"}`, state, map[string]string{}).state, "sealed anew in each round")
}

func TestStateThatGrowsTooLargeEndsTheCallWithAnError(t *testing.T) {
	c := connect(t, serve(t, batch), rounds)
	state := c.once("order", dune, "", nobody).state
	failure := c.resume("order", dune, state, map[string]string{suggestKey: said(strings.Repeat("long ", 300_000))}).failure()
	require.Contains(t, failure, "Error executing tool order: ")
	require.Contains(t, failure, "too large")
	require.Less(t, len(failure), 500)
}

// A state that an older or newer version of the server has made is no progress, and
// no error: the person is asked again.
func TestStateOfAnotherVersionIsNoProgress(t *testing.T) {
	c := connect(t, serveWith(t, sealedShop, starhost.Options{StateKeys: [][]byte{[]byte(stateKey)}}), rounds)
	ring, err := seal.NewRing([]byte(stateKey))
	require.NoError(t, err)
	arguments, err := seal.ArgumentsDigest(json.RawMessage(dune))
	require.NoError(t, err)
	binding := seal.Binding{Method: "tools/call", Target: "order", Arguments: arguments, Audience: "shop"}
	for _, state := range []string{``, `what?`, `[]`, `{}`, `{"v":3,"outcomes":{},"asked":{"shop:ask":"x"}}`, `{"v":99,"c":"x"}`} {
		token, err := ring.Seal([]byte(state), binding, time.Now(), time.Minute)
		require.NoError(t, err)
		require.Equal(t, []string{askKey}, wireKeys(c.resume("order", dune, token, map[string]string{askKey: yes}).asked), state)
	}
}
