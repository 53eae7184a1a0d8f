package starhost_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// Arguments of the model, from its JSON to the script.

func TestArgumentsAreValidatedBeforeAnyResolverRuns(t *testing.T) {
	onBothPrinting(t, `
def look():
    print("look")
    return 1
def note(size: int, seen: resolve(look)) -> str:
    print("note")
    return "%d" % size
tool(note)
`, func(t *testing.T, c *client, out *printout) {
		require.Contains(t, c.call("note", `{"size":"big"}`, nobody).failure(), "1 validation error for noteArguments")
		require.Empty(t, out.take(), "nothing ran")
		require.Equal(t, "3", c.call("note", `{"size":3}`, nobody).text())
		require.Equal(t, []string{"look", "note"}, out.take())
	})
}

func TestResolversAndToolShareOneValidatedArgument(t *testing.T) {
	onBoth(t, `
Size = model(width = int)
def fresh(): return random.int(0, 1000000000)
def seen(n, when, size): return (n, when, size)
def note(n: int, size: Size, seen: resolve(seen), when: field(int, factory = fresh)) -> str:
    return "%s %s %s" % (seen == (n, when, size), type(n), size.width)
tool(note)
`, func(t *testing.T, c *client) {
		require.Equal(t, "True int 7", c.call("note", `{"n":"5","size":{"width":"7"}}`, nobody).text())
	})
}

func TestMissingNullAndEmptyArgumentsAreTheSame(t *testing.T) {
	onBoth(t, `
def hello(name: str = "you") -> str: return "hello " + name
tool(hello)
`, func(t *testing.T, c *client) {
		for _, arguments := range []string{"", "null", "{}"} {
			require.Equal(t, "hello you", c.call("hello", arguments, nobody).text(), arguments)
		}
	})
}

func TestParamsOfTheWrongShapeAreInvalidParams(t *testing.T) {
	onBoth(t, `
def hello(name: str = "you") -> str: return "hello " + name
tool(hello)
`, func(t *testing.T, c *client) {
		for _, arguments := range []string{`[]`, `[1]`, `"x"`, `7`, `true`} {
			c.once("hello", arguments, "", nobody).refused(-32602, "Invalid request parameters", `""`)
		}
		for _, name := range []string{``, `,"name":7`, `,"name":null`} {
			params := `{"arguments":{}` + name + c.envelope() + `}`
			m := c.request("tools/call", []byte(params), nobody)
			require.NotNil(t, m.Error, params)
			require.Equal(t, -32602, m.Error.Code)
			require.Equal(t, "Invalid request parameters", m.Error.Message)
			require.Equal(t, `""`, string(m.Error.Data))
		}
		require.Equal(t, "hello you", c.call("hello", `{}`, nobody).text(), "and on it goes")
	})
}

func TestUnknownArgumentsAreIgnored(t *testing.T) {
	onBoth(t, `
def hello(name: str = "you") -> str: return "hello " + name
tool(hello)
`, func(t *testing.T, c *client) {
		require.Equal(t, "hello Ann", c.call("hello", `{"name":"Ann","nam":[{"deep":[1]}],"":null}`, nobody).text())
	})
}

// All problems come at once. The first line is the reference's, each line after it
// names a path, what was expected and what came.
func TestAllArgumentProblemsAreToldAtOnce(t *testing.T) {
	onBoth(t, `
Part = model(name = str, count = field(int, ge = 1))
def build(size: int, parts: list[Part], glue: bool) -> str: return "built"
tool(build)
`, func(t *testing.T, c *client) {
		lines := strings.Split(c.call("build", `{"size":5.5,"parts":[{"name":"a","count":0},{"count":2}]}`, nobody).failure(), "\n")
		require.Equal(t, "Error executing tool build: 4 validation errors for buildArguments", lines[0])
		require.Len(t, lines, 5)
		for i, path := range []string{"size", "parts[0].count", "parts[1].name", "glue"} {
			require.Truef(t, strings.HasPrefix(lines[i+1], path+": "), "%q names %s", lines[i+1], path)
			require.Contains(t, lines[i+1], "expected ")
			require.Contains(t, lines[i+1], ", got ")
		}
		require.Equal(t, "Error executing tool build: 1 validation error for buildArguments",
			strings.Split(c.call("build", `{"size":1,"parts":[]}`, nobody).failure(), "\n")[0])
	})
}

func TestUnknownToolNamesTheNearest(t *testing.T) {
	onBoth(t, `
def reserve_book(title: str) -> str: return title
tool(reserve_book)
`, func(t *testing.T, c *client) {
		require.Equal(t, "Unknown tool: reserve_bok (did you mean reserve_book?)", c.call("reserve_bok", `{}`, nobody).failure())
		require.Equal(t, "Unknown tool: paint", c.call("paint", `{"title":[]}`, nobody).failure())
		require.Equal(t, "Unknown tool: ", c.call("", `{}`, nobody).failure())
		long := c.call(strings.Repeat("x", 5000), `{}`, nobody).failure()
		require.Less(t, len(long), 200)
	})
}

// Text for a parameter that may hold text stays what it is; for others, JSON text
// stands for what it says.
func TestTextStaysTextWhereTextIsAllowed(t *testing.T) {
	onBoth(t, `
def show(s: str = "-", o: str | None = None, u: str | int = 0, l: list[int] = [], d: dict = {}, x: any = None) -> str:
    return repr((s, o, u, l, d, x))
tool(show)
`, func(t *testing.T, c *client) {
		for arguments, want := range map[string]string{
			`{"s":"[1,2]","o":"{}","u":"null"}`:  `("[1,2]", "{}", "null", [], {}, None)`,
			`{"o":"null"}`:                       `("-", "null", 0, [], {}, None)`,
			`{"l":"[1, \"2\"]","d":"{\"a\":1}"}`: `("-", None, 0, [1, 2], {"a": 1}, None)`,
			`{"x":"text"}`:                       `("-", None, 0, [], {}, "text")`,
		} {
			require.Equal(t, want, c.call("show", arguments, nobody).text(), arguments)
		}
	})
}

func TestFormatsOfTextAreEnforced(t *testing.T) {
	onBoth(t, `
def when(day: field(str, format = "date") = "2026-01-01", at: field(str, format = "date-time") = "2026-01-01T00:00:00Z",
         to: field(str, format = "email") = "a@example.com", link: field(str, format = "uri") = "https://example.com/") -> str:
    return "ok"
tool(when)
`, func(t *testing.T, c *client) {
		for member, good := range map[string]bool{
			`"day":"2024-02-29"`: true, `"day":"2023-02-29"`: false, `"day":"tomorrow"`: false,
			`"at":"2024-02-29T23:59:59.5+02:00"`: true, `"at":"2024-02-29"`: false,
			`"to":"ann@example.org"`: true, `"to":"ann"`: false,
			`"link":"file:///tmp/x"`: true, `"link":"not a link"`: false,
		} {
			played := c.call("when", `{`+member+`}`, nobody)
			if good {
				require.Equal(t, "ok", played.text(), member)
			} else {
				require.Contains(t, played.failure(), "1 validation error", member)
			}
		}
	})
}

func TestIntegersAreExactBothWays(t *testing.T) {
	const big = "9007199254740993" // 2^53 + 1
	const huge = "123456789012345678901234567890"
	onBoth(t, `
Amount = model(cents = int)
def ask_amount(n: int) -> Amount: return elicit("How much of %d?" % n, Amount)
def add(n: int, amount: resolve(ask_amount), more: dict = {}) -> dict[str, int]:
    return {"n": n, "cents": amount.cents, "more": more["x"], "sum": n + amount.cents}
tool(add)
`, func(t *testing.T, c *client) {
		for _, n := range []string{big, "-" + big, huge} {
			p := c.call("add", fmt.Sprintf(`{"n":%s,"more":{"x":%s}}`, n, n), answering("How much of "+n+"?", accept(`{"cents":`+n+`}`)))
			require.Contains(t, p.member("structuredContent"), `"n":`+n+`,"cents":`+n+`,"more":`+n+`,"sum":`)
			require.Contains(t, p.text(), `"n": `+n)
		}
	})
}

func TestGeneratedDefaultsStandStillInACall(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) {
			c := connect(t, serveWith(t, `
Yes = model(yes = bool)
def fresh(): return uuid()
def confirm(id): return elicit("Use %s?" % id, Yes)
def order(yes: resolve(confirm), id: field(str, factory = fresh)) -> str: return id
tool(order)
`, starhost.Options{}), revision)
			played := c.call("order", `{}`, answering("Use", accept(`{"yes":true}`)))
			require.Contains(t, string(played.asked[0][0].params), "Use "+played.text()+"?")
			require.NotEqual(t, played.text(), c.call("order", `{}`, answering("Use", accept(`{"yes":true}`))).text())
		})
	}
}

// Text is UTF-8, in and out: half a surrogate pair is none.
func TestHalfACharacterIsRefused(t *testing.T) {
	onBoth(t, `
Name = model(name = str)
def ask(): return elicit("Who?", Name)
def hello(name: str) -> str: return "hello " + name
def greet(who: resolve(ask)) -> str: return "hello " + who.name
tool(hello)
tool(greet)
`, func(t *testing.T, c *client) {
		require.Contains(t, c.call("hello", `{"name":"a\ud800b"}`, nobody).failure(), "half of a surrogate pair")
		c.call("greet", "", answering("Who", accept(`{"name":"a\ud800b"}`))).refused(-32602, "Invalid request parameters", `""`)
		require.Equal(t, "hello \U0001F600", c.call("hello", `{"name":"\ud83d\ude00"}`, nobody).text(), "a whole pair is a character")
	})
}
