package starhost_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What functions share can't be changed by one of them.

func TestSharedValuesAreFrozen(t *testing.T) {
	onBoth(t, `
Form = model(pick = list[enum("a", "b")])
def start(): return {"list": [1], "dict": {"a": 1}, "set": set([1])}
lifespan(start)
def ask(): return elicit("Pick?", Form)
def make(): return {"list": [1], "dict": {"a": 1}}

def argument_list(tags): tags.append("x")
def argument_dict(table): table["x"] = 1
def argument_inner(table): table["list"].append(1)
def result_list(made: resolve(make)): made["list"].append(1)
def result_dict(made: resolve(make)): made["dict"]["x"] = 1
def answer(form: resolve(ask)): form.pick.append("a")
def state_list(ctx): ctx.state["list"].append(1)
def state_set(ctx): ctx.state["set"].add(2)
def instance(form: resolve(ask)): form.pick = []

def t0(tags: list[str], table: dict, x: resolve(argument_list)) -> str: return ""
def t1(tags: list[str], table: dict, x: resolve(argument_dict)) -> str: return ""
def t2(tags: list[str], table: dict, x: resolve(argument_inner)) -> str: return ""
def t3(tags: list[str], table: dict, x: resolve(result_list)) -> str: return ""
def t4(tags: list[str], table: dict, x: resolve(result_dict)) -> str: return ""
def t5(tags: list[str], table: dict, x: resolve(answer)) -> str: return ""
def t6(tags: list[str], table: dict, x: resolve(state_list)) -> str: return ""
def t7(tags: list[str], table: dict, x: resolve(state_set)) -> str: return ""
def t8(tags: list[str], table: dict, x: resolve(instance)) -> str: return ""
def body(tags: list[str], table: dict) -> str:
    tags.append("x")
    return ""
def copies(tags: list[str], table: dict, made: resolve(make), ctx) -> str:
    mine = list(tags)
    mine.append("x")
    table = dict(table)
    table["x"] = 1
    return "%s %s" % (mine, sorted(table))
[tool(f) for f in [t0, t1, t2, t3, t4, t5, t6, t7, t8, body, copies]]
`, func(t *testing.T, c *client) {
		const arguments = `{"tags":["a"],"table":{"list":[1]}}`
		answer := answering("Pick", accept(`{"pick":["a"]}`))
		for tool, remedy := range map[string]string{
			"t0": "copy it: list(x)", "t1": "copy it: dict(x)", "t2": "copy it: list(x)", "t3": "copy it: list(x)", "t4": "copy it: dict(x)",
			"t5": "copy it: list(x)", "t6": "copy it: list(x)", "t7": "set(x)", "t8": "pick", "body": "copy it: list(x)",
		} {
			require.Contains(t, c.call(tool, arguments, answer).failure(), remedy, tool)
		}
		require.Equal(t, `["a", "x"] ["list", "x"]`, c.call("copies", arguments, answer).text())
	})
}

func TestTwoResolversThatChangeOneArgumentBothGetTheError(t *testing.T) {
	onBoth(t, `
def first(tags): return attempt(lambda: tags.append("first")).error
def second(tags): return attempt(lambda: tags.append("second")).error
def run(tags: list[str], a: resolve(first), b: resolve(second)) -> list[str]: return [a, b] + tags
tool(run)
`, func(t *testing.T, c *client) {
		list := c.call("run", `{"tags":["x"]}`, nobody).texts()
		require.Len(t, list, 3)
		require.Contains(t, list[0], "copy it: list(x)")
		require.Contains(t, list[1], "copy it: list(x)")
		require.Equal(t, "x", list[2], "and nothing was changed")
	})
}
