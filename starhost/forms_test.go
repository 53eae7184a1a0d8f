package starhost_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The forms that elicit shows.

// requested is the requestedSchema of the one question that a call of run asks.
func requested(t *testing.T, c *client) map[string]json.RawMessage {
	t.Helper()
	played := c.call("run", "", func(question) string { return decline })
	require.Len(t, played.asked, 1)
	require.Len(t, played.asked[0], 1)
	var params struct{ RequestedSchema map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(played.asked[0][0].params, &params))
	return params.RequestedSchema
}

func TestFormFieldsOfEveryKind(t *testing.T) {
	for _, kind := range []struct {
		field, property string
		required        bool
	}{
		{`str`, `{"type":"string","title":"X"}`, true},
		{`int`, `{"type":"integer","title":"X"}`, true},
		{`float`, `{"type":"number","title":"X"}`, true},
		{`bool`, `{"type":"boolean","title":"X"}`, true},
		{`enum("a", "b")`, `{"type":"string","enum":["a","b"],"title":"X"}`, true},
		{`enum(a = "First", b = "Other")`, `{"type":"string","oneOf":[{"const":"a","title":"First"},{"const":"b","title":"Other"}],"title":"X"}`, true},
		{`list[enum("a", "b")]`, `{"type":"array","items":{"type":"string","enum":["a","b"]},"title":"X"}`, true},
		{`field(str, format = "date")`, `{"type":"string","format":"date","title":"X"}`, true},
		{`field(str, format = "date-time")`, `{"type":"string","format":"date-time","title":"X"}`, true},
		{`field(str, format = "email")`, `{"type":"string","format":"email","title":"X"}`, true},
		{`field(str, format = "uri")`, `{"type":"string","format":"uri","title":"X"}`, true},
		{`field(int, ge = 1, le = 9)`, `{"type":"integer","minimum":1,"maximum":9,"title":"X"}`, true},
		{`field(str, min_length = 1, max_length = 9, pattern = "^a")`, `{"type":"string","minLength":1,"maxLength":9,"pattern":"^a","title":"X"}`, true},
		{`field(int, gt = 0, multiple_of = 5)`, `{"type":"integer","exclusiveMinimum":0,"multipleOf":5,"title":"X"}`, true},
		{`field(bool, description = "Really?", title = "Sure", default = True)`, `{"type":"boolean","title":"Sure","description":"Really?","default":true}`, false},
		{`field(str | None, default = None)`, `{"type":"string","title":"X"}`, false},
		{`field(int | None, default = 3)`, `{"type":"integer","title":"X","default":3}`, false},
		{`str | None`, `{"type":"string","title":"X"}`, true},
	} {
		t.Run(kind.field, func(t *testing.T) {
			onBoth(t, `
Form = model(x = `+kind.field+`)
def ask(): return elicit("?", Form)
def run(f: resolve(ask)) -> str: return "ran"
tool(run)
`, func(t *testing.T, c *client) {
				form := requested(t, c)
				require.Equal(t, `"object"`, string(form["type"]))
				require.JSONEq(t, `{"x":`+kind.property+`}`, string(form["properties"]))
				if kind.required {
					require.JSONEq(t, `["x"]`, string(form["required"]))
				} else {
					require.NotContains(t, form, "required")
				}
			})
		})
	}
}

func TestRawSchemaIsAskedAsItIs(t *testing.T) {
	onBoth(t, `
FORM = schema({"type": "object", "properties": {"when": {"type": "string", "format": "date"}, "n": {"type": "integer"}}, "required": ["when"]})
def ask(): return elicit("When?", FORM)
def run(f: resolve(ask)) -> str: return "%s %r" % (type(f), f)
tool(run)
`, func(t *testing.T, c *client) {
		require.Equal(t, `dict {"when": "2026-01-01", "n": 9007199254740993}`,
			c.call("run", "", answering("When", accept(`{"when":"2026-01-01","n":9007199254740993}`))).text())
		require.Contains(t, c.call("run", "", answering("When", accept(`{"n":1}`))).failure(), "does not match the requested schema")
		require.Contains(t, string(requested(t, c)["properties"]), `"format":"date"`)
	})
}

func TestUnfitFormIsFoundWhenAskedWhereTheCallDoesNotNameIt(t *testing.T) {
	onBoth(t, `
Inner = model(x = int)
Nested = model(inner = Inner)
FORMS = {"nested": Nested, "number": int}
def ask(which): return elicit("?", FORMS[which])
def run(which: str, f: resolve(ask)) -> str: return "ran"
tool(run)
`, func(t *testing.T, c *client) {
		require.Contains(t, c.call("run", `{"which":"nested"}`, nobody).failure(), "inner")
		require.Contains(t, c.call("run", `{"which":"number"}`, nobody).failure(), "elicit() asks for named fields, not for a single int")
	})
}

func TestURLIsOfferedToOpen(t *testing.T) {
	onBoth(t, `
def sign(order): return elicit_url("Sign order %s" % order, "https://example.com/sign?order=" + order)
def run(order: str, signed: resolve(sign)) -> str: return "signed %r" % signed
def whole(order: str, signed: resolve(sign, outcome = True), ctx) -> str:
    ctx.elicitation_complete("shop:sign")
    return "%s %r" % (signed.action, signed.data)
tool(run)
tool(whole)
`, func(t *testing.T, c *client) {
		played := c.call("run", `{"order":"7"}`, answering("Sign order 7", `{"action":"accept"}`))
		require.Equal(t, "signed None", played.text(), "accept is consent to open it, nothing more")
		var params struct{ Mode, Message, URL, ElicitationID string }
		require.NoError(t, json.Unmarshal(played.asked[0][0].params, &params))
		require.Equal(t, "url", params.Mode)
		require.Equal(t, "Sign order 7", params.Message)
		require.Equal(t, "https://example.com/sign?order=7", params.URL)
		require.Equal(t, "Error executing tool run: Resolver for parameter 'signed' could not resolve: elicitation was decline",
			c.call("run", `{"order":"7"}`, answering("Sign", decline)).failure())

		c.pipe().notes = nil
		whole := c.call("whole", `{"order":"8"}`, answering("Sign order 8", accept(`{}`)))
		require.Equal(t, "accept None", whole.text())
		if c.revision == rounds {
			require.Empty(t, params.ElicitationID, "this revision has none")
			require.Empty(t, c.pipe().notes)
			return
		}
		require.NotEmpty(t, params.ElicitationID)
		var asked, told struct{ ElicitationID string }
		require.NoError(t, json.Unmarshal(whole.asked[0][0].params, &asked))
		require.NotEqual(t, params.ElicitationID, asked.ElicitationID, "one for each")
		require.Len(t, c.pipe().notes, 1)
		require.Equal(t, "notifications/elicitation/complete", c.pipe().notes[0].Method)
		require.NoError(t, json.Unmarshal(c.pipe().notes[0].Params, &told))
		require.Equal(t, asked.ElicitationID, told.ElicitationID)
	})
}

// The form is looked at before the client is: its author needs to know either way.
func TestUnfitFormIsToldBeforeAMissingCapability(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		c := connectWith(t, serve(t, `
Inner = model(x = int)
FORMS = [model(inner = Inner)]
def ask(): return elicit("?", FORMS[0])
def run(f: resolve(ask)) -> str: return "ran"
tool(run)
`), revision, `{}`)
		require.Contains(t, c.call("run", "", nobody).failure(), "inner")
	}
}
