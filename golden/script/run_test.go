package script

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const server = `
server(name = "Shop")
Answer = model(yes = bool, n = int)
Item = model(name = str, tags = list[str])

def look(name):
    print("looking for", name)
    return {"name": name}

def confirm(item: resolve(look)) -> Answer:
    return elicit("Take %s at %s?" % (item["name"], time.now().format("15:04")), Answer)

def suggest():
    return sample("What?", max_tokens = 5)

def folders():
    return list_roots()

def take(name: str, item: resolve(look), answer: resolve(confirm, outcome = True)) -> str:
    """Takes it."""
    if answer.action != "accept":
        return answer.action
    return "%s %s %d" % (item["name"], answer.data.yes, answer.data.n)

def items(n: int = 2) -> list[Item]:
    return [Item(name = str(i), tags = []) for i in range(n)]

def blocks():
    return ["a", "b"]

def nothing():
    return None

def broken():
    fail("it is broken")

def refused():
    protocol_error(-32001, "not you")

def ideas(s: resolve(suggest), f: resolve(folders)) -> str:
    return s.text + " in " + f.roots[0].uri

def dice() -> int:
    return random.int(1, 1000000)

[tool(f) for f in [take, items, blocks, nothing, broken, refused, ideas, dice]]

def helper(x):
    return x
`

// run runs the functions of a test file for the server above.
func run(t *testing.T, text string) map[string]Result {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shop.star"), []byte(server), 0o644))
	file := filepath.Join(dir, "shop_test.star")
	head := `load("shop.star", "Answer", "Item", "blocks", "broken", "confirm", "dice", "folders", "helper", "ideas", "items", "look", "nothing", "refused", "suggest", "take")` + "\n"
	require.NoError(t, os.WriteFile(file, []byte(head+text), 0o644))
	results, err := Run(t.Context(), file, Options{})
	require.NoError(t, err)
	byName := map[string]Result{}
	for _, r := range results {
		byName[r.Name] = r
	}
	return byName
}

func TestCallGivesWhatTheClientSees(t *testing.T) {
	for name, r := range run(t, `
def test_value():
    assert.eq(call(items, n = 1).value, [{"name": "0", "tags": []}])
    assert.eq(call(items).value, [Item(name = "0", tags = []), Item(name = "1", tags = [])])
    assert.eq(call("items", args = {"n": 0}).value, [])
    assert.eq(call(blocks).value, ["a", "b"])
    assert.eq(call(blocks).content[1], {"type": "text", "text": "b"})
    assert.eq(call(nothing).value, None)

def test_errors():
    got = call(broken)
    assert.eq((got.value, got.error, got.code), (None, "Error executing tool broken: it is broken", None))
    got = call(refused)
    assert.eq((got.value, got.error, got.code), (None, "not you", -32001))
    assert.contains(call(items, n = "many").error, "1 validation error")

def test_answers():
    for revision in ["2026-07-28", "2025-11-25"]:
        got = call(take, name = "a", answers = {confirm: accept(yes = True, n = 1 << 70)}, revision = revision, clock = "2026-01-01T12:34:00Z")
        assert.eq(got.value, "a True 1180591620717411303424")
        assert.eq([(q.resolver, q.method, q.message) for q in got.asked], [("shop:confirm", "elicitation/create", "Take a at 12:34?")])
        assert.eq(got.rounds, 2 if revision == "2026-07-28" else 1)
        assert.eq(call(take, name = "a", answers = {"confirm": decline}, revision = revision).value, "decline")
        assert.eq(call(take, name = "a", answers = {"shop:confirm": cancel()}, revision = revision).value, "cancel")
        told = lambda params: accept(yes = "b at" in params["message"], n = 1)
        assert.eq(call(take, name = "b", answers = {confirm: told}, revision = revision).value, "b True 1")
        assert.eq(call(ideas, answers = {suggest: reply("Tea"), folders: reply(["file:///x"])}, revision = revision).value, "Tea in file:///x")

def test_override():
    got = call(take, name = "a", override = {look: lambda name: {"name": name * 2}, confirm: Answer(yes = False, n = 0)})
    assert.eq(got.value, "aa False 0")
    assert.eq(call(take, name = "a", override = {confirm: lambda: elicit("?", Answer)}, answers = {confirm: accept(yes = True, n = 3)}).value, "a True 3")
    assert.contains(call(take, name = "a", override = {look: lambda nme: 1}).error, "not a parameter of look(name)")

def test_random():
    assert.eq(call(dice, random = 1).value, call(dice, random = 1).value)
    assert.true(call(dice, random = 1).value != call(dice, random = 2).value)

def test_fails():
    assert.eq(assert.fails(lambda: fail("no tea"), "tea"), "no tea")
`) {
		require.False(t, r.Failed, "%s:%d %s", name, r.Line, r.Text)
	}
}

func TestAFailureSaysWhereAndWhat(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		line       int
	}{
		"a field": {`assert.eq({"a": {"b": [1, 2]}, "c": 1}, {"a": {"b": [1, 3]}, "d": 2})`,
			"a.b[1] is 2, expected 3\nd is missing, expected 2\nc is 1, expected nothing", 3},
		"a type":              {`assert.eq(1, 1.0, "the price")`, "the price: the value is 1, expected 1.0", 3},
		"an element":          {`assert.eq([1], [1, 2])`, "[1] is missing, expected 2", 3},
		"true":                {`assert.true(0)`, "0 is not true", 3},
		"contains":            {`assert.contains("abc", "x")`, `"x" is not in "abc"`, 3},
		"fails":               {`assert.fails(lambda: 3)`, "it did not fail, and gave 3", 3},
		"an error":            {`x = 1 // 0`, "division by zero", 3},
		"in a helper":         {"deep(0)\n\ndef deep(x):\n    return 1 // x", "division by zero", 6},
		"nobody answers":      {`call(take, name = "a")`, "nobody answers the question of shop:confirm; write answers = {confirm: accept(...)}", 3},
		"nobody answers then": {`call(take, name = "a", revision = "2025-11-25")`, "nobody answers the question of shop:confirm", 3},
		"no tool":             {`call(helper, x = 1)`, "helper() is not declared a tool", 3},
		"no such tool":        {`call("itms")`, "did you mean items?", 3},
		"no resolver":         {`call(take, name = "a", answers = {helper: 1})`, "helper is no resolver of tool take; it uses look, confirm", 3},
		"no such resolver":    {`call(take, name = "a", answers = {"confrm": 1})`, "did you mean confirm?", 3},
		"a revision":          {`call(items, revision = "2024")`, "2025-11-25", 3},
		"a clock":             {`call(items, clock = "noon")`, "want a time", 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, "def test_it():\n    "+c.text+"\n")["test_it"]
			require.True(t, r.Failed)
			require.Contains(t, r.Text, c.want)
			require.Equal(t, c.line, r.Line)
		})
	}
}

func TestEachFunctionHasAServerOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "count.star"), []byte(`
orders = store.memory()
def count() -> int: return orders.add("n")
tool(count)
`), 0o644))
	file := filepath.Join(dir, "count_test.star")
	require.NoError(t, os.WriteFile(file, []byte(`
load("count.star", "count")
def test_b():
    assert.eq([call(count).value, call(count).value], [1, 2])
def test_a():
    print("printed")
    assert.eq(call(count).value, 1)
`), 0o644))
	results, err := Run(t.Context(), file, Options{})
	require.NoError(t, err)
	require.Equal(t, "test_b", results[0].Name, "as they stand in the file")
	require.False(t, results[0].Failed, results[0].Text)
	require.False(t, results[1].Failed, results[1].Text)
	require.Equal(t, "printed\n", results[1].Printed)
	only, err := Run(t.Context(), file, Options{Wants: func(name string) bool { return name == "test_a" }})
	require.NoError(t, err)
	require.Len(t, only, 1)
}

func TestTheWordsOfTestsAreInTestFilesOnly(t *testing.T) {
	dir := t.TempDir()
	server := filepath.Join(dir, "s.star")
	require.NoError(t, os.WriteFile(server, []byte("def f() -> dict: return accept(a = 1)\ntool(f)\n"), 0o644))
	file := filepath.Join(dir, "s_test.star")
	require.NoError(t, os.WriteFile(file, []byte("load(\"s.star\", \"f\")\ndef test_f(): call(f)\n"), 0o644))
	_, err := Run(t.Context(), file, Options{})
	require.ErrorContains(t, err, "accept")

	require.NoError(t, os.WriteFile(server, []byte("def accept(): return 1\ndef f() -> int: return accept()\ntool(f)\n"), 0o644))
	results, err := Run(t.Context(), file, Options{})
	require.NoError(t, err)
	require.False(t, results[0].Failed)

	require.NoError(t, os.WriteFile(file, []byte("x = 1\n"), 0o644))
	_, err = Run(t.Context(), file, Options{})
	require.Error(t, err, "there is no function to run")
}
