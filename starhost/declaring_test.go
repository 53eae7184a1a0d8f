package starhost_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is refused when a server is loaded, as far as tools and resolvers go. Each
// problem has its place, line and column, in the report.

// refusals are scripts and what their reports say. at is a line and perhaps a column.
type refusals []struct{ name, script, code, says, at string }

func (list refusals) run(t *testing.T) {
	t.Helper()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			report := refusal(t, c.script)
			require.Contains(t, report, "error["+c.code)
			require.Contains(t, report, c.says)
			require.Contains(t, report, "shop.star:"+c.at)
		})
	}
}

func TestUnknownResolverParameterIsRefusedAtLoad(t *testing.T) {
	refusals{
		{"no such argument", "def look(nam): return 1\ndef run(name: str, x: resolve(look)) -> str: return name\ntool(run)",
			"unknown-parameter", `resolver look() wants "nam", which is not an argument of tool run`, "1:10"},
		{"a default does not rescue it", "def look(nam = 1): return 1\ndef run(name: str, x: resolve(look)) -> str: return name\ntool(run)",
			"unknown-parameter", `wants "nam"`, "1:10"},
		{"another resolved parameter", "def a(): return 1\ndef b(x): return 1\ndef run(x: resolve(a), y: resolve(b)) -> str: return ''\ntool(run)",
			"unknown-parameter", `resolver b() wants "x", which in tool run is itself resolved`, "2:7"},
		{"in a dependency of a dependency", "def a(z): return 1\ndef b(x: resolve(a)): return 1\ndef run(y: resolve(b)) -> str: return ''\ntool(run)",
			"unknown-parameter", `resolver a() wants "z"`, "1:7"},
		{"star arguments", "def a(*rest): return 1\ndef run(y: resolve(a)) -> str: return ''\ntool(run)",
			"rest-parameter", "a() takes *rest", "1:"},
		{"double star arguments", "def a(**rest): return 1\ndef run(y: resolve(a)) -> str: return ''\ntool(run)",
			"rest-parameter", "rest", "1:"},
	}.run(t)
}

func TestTypeClashOfAByNameParameterIsRefusedAtLoad(t *testing.T) {
	refusals{
		{"clash", "def look(n: str): return 1\ndef run(n: int, x: resolve(look)) -> str: return ''\ntool(run)",
			"type-clash", `"n" is int in tool run but str in resolver look()`, "1:13"},
	}.run(t)
	serve(t, "def look(n: int): return 1\ndef run(n: int, x: resolve(look)) -> str: return ''\ntool(run)")
}

func TestCyclesAreRefusedAtLoad(t *testing.T) {
	refusals{
		{"ring", "def a(x: resolve(c)): return 1\ndef b(x: resolve(a)): return 1\ndef c(x: resolve(b)): return 1\ndef run(y: resolve(b)) -> str: return ''\ntool(run)",
			"cycle", "resolvers depend on each other: a -> c -> b -> a", "1:10"},
		{"itself", "def a(x: resolve(a)): return 1\ndef run(y: resolve(a)) -> str: return ''\ntool(run)",
			"cycle", "resolvers depend on each other: a -> a", "1:10"},
	}.run(t)
}

func TestMisplacedMarkerIsRefusedAtLoad(t *testing.T) {
	const look = "def look(): return 1\n"
	refusals{
		{"as a default value", look + "def run(x = resolve(look)) -> str: return ''\ntool(run)",
			"", "x: resolve(look)", "2:"},
		{"with a default value", look + "def run(x: resolve(look) = 1) -> str: return ''\ntool(run)",
			"", "x", "2:"},
		{"in a union", look + "def run(x: resolve(look) | None) -> str: return ''\ntool(run)",
			"", "x: resolve(look)", "2:"},
		{"in a list", look + "def run(x: list[resolve(look)]) -> str: return ''\ntool(run)",
			"", "resolve", "2:"},
		{"in a union of a resolver", look + "def see(x: resolve(look) | None): return 1\ndef run(x: resolve(see)) -> str: return ''\ntool(run)",
			"", "x: resolve(look)", "2:"},
		{"of something that is no function", "def run(x: resolve(3)) -> str: return ''\ntool(run)",
			"", "resolve() wants a function", "1:"},
	}.run(t)
}

func TestBadDeclarationsAreRefusedAtLoad(t *testing.T) {
	const run = "def run() -> str: return ''\n"
	refusals{
		{"underscore", "def run(_x: int) -> str: return ''\ntool(run)", "parameter-name", `"_x" of tool run starts with an underscore`, "1:9"},
		{"lambda", "tool(lambda: 1)", "no-name", "a lambda has no name", "1:"},
		{"unknown type of a tool", "def run(x: strr) -> str: return ''\ntool(run)", "", "strr", "1:12"},
		{"unknown type of a resolver", "def look(n: intt): return 1\ndef run(n: int, x: resolve(look)) -> str: return ''\ntool(run)", "", "intt", "1:13"},
		{"called instead of named", run + "tool(run())", "", "tool(", "2:"},
		{"two tools of one name", run + "def other(): return 1\ntool(run)\ntool(other, name = 'run')", "duplicate-tool", `two tools are named "run"`, "4:"},
		{"a name that no client takes", run + "tool(run, name = 'my tool')", "tool-name", `"my tool" can't be a tool's name`, "2:"},
		{"a name that is too long", run + "tool(run, name = 'x' * 65)", "tool-name", "65 characters", "2:"},
		{"a default given twice", "def run(n: field(int, default = 1) = 2) -> str: return ''\ntool(run)", "", "default", "1:"},
		{"an unserializable return type", "def run() -> len: return 1\ntool(run)", "", "len", "1:"},
	}.run(t)
}

func TestQuestionSchemaThatIsNotFlatIsRefusedAtLoad(t *testing.T) {
	refusals{
		{"nested", "In = model(x = int)\nOut = model(inner = In)\ndef ask(): return elicit('?', Out)\ndef run(a: resolve(ask)) -> str: return ''\ntool(run)",
			"", "inner", "3:"},
		{"list of text", "Out = model(tags = list[str])\ndef ask(): return elicit('?', Out)\ndef run(a: resolve(ask)) -> str: return ''\ntool(run)",
			"", "tags", "2:"},
	}.run(t)
}

func TestClosureNeedsAKey(t *testing.T) {
	refusals{
		{"closure", "def make():\n    def f(): return 1\n    return f\ng = make()\ndef run(x: resolve(g)) -> str: return ''\ntool(run)", "no-key", "made inside another function", "5:"},
		{"lambda", "def run(x: resolve(lambda: 1)) -> str: return ''\ntool(run)", "no-key", "a lambda", "1:"},
		{"one key for two", "def a(): return 1\ndef b(): return 1\ndef run(x: resolve(a, key = 'k'), y: resolve(b, key = 'k')) -> str: return ''\ntool(run)", "key-clash", `"k"`, "3:"},
		{"two keys for one", "def a(): return 1\ndef run(x: resolve(a, key = 'k'), y: resolve(a, key = 'l')) -> str: return ''\ntool(run)", "two-keys", `"l"`, "2:"},
	}.run(t)
}

func TestAllProblemsComeInOneReport(t *testing.T) {
	report := refusal(t, "def a(x: resolve(a)): return 1\ndef b(nope): return 1\ndef run(p: resolve(a), q: resolve(b)) -> str: return ''\ndef two(_u: int): return 1\ntool(run)\ntool(two)\ntool(two)")
	for _, code := range []string{"cycle", "unknown-parameter", "parameter-name", "duplicate-tool"} {
		require.Contains(t, report, "error["+code+"]")
	}
}

func TestResolverMayBeDefinedBelowItsTool(t *testing.T) {
	onBoth(t, `
def run(x: resolve(look)) -> str: return "%d" % x
tool(run)
def look(): return 7
`, func(t *testing.T, c *client) {
		require.Equal(t, "7", c.call("run", "", nobody).text())
	})
}
