package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A ran is what a command did.
type ran struct {
	status   int
	out, err string
}

// mcpstar runs the command with an input that ends at once, or with lines typed
// at a terminal.
func mcpstar(t *testing.T, typed []string, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	s := streams{in: strings.NewReader(strings.Join(typed, "")), out: &out, err: &errs, terminal: typed != nil}
	status := run(t.Context(), args, s)
	return ran{status, out.String(), errs.String()}
}

// script writes a server and returns its path.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.star")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func example(name string) string { return filepath.Join("..", "..", "examples", "bookshop", name) }

func TestExitStatus(t *testing.T) {
	broken := script(t, "def f()\n    pass\n")
	failing := script(t, "def f() -> str:\n    fail('no')\ntool(f)\n")
	looping := script(t, "def f() -> str:\n    for i in range(100000):\n        pass\n    return ''\ntool(f)\n")
	for name, c := range map[string]struct {
		args   []string
		status int
		says   string // on standard error
	}{
		"a result":              {[]string{"call", example("reserve.star"), "reserve_book", "title=Dune"}, 0, ""},
		"a tool's error":        {[]string{"call", failing, "f"}, 1, "Error executing tool f: no"},
		"a wrong argument":      {[]string{"call", example("reserve.star"), "reserve_book"}, 1, "validation error"},
		"a broken server":       {[]string{"call", broken, "f"}, 2, "error[syntax]"},
		"a broken server check": {[]string{"check", broken}, 2, "error[syntax]"},
		"a broken server serve": {[]string{"serve", broken}, 2, "error[syntax]"},
		"a broken server list":  {[]string{"list", broken}, 2, "error[syntax]"},
		"no such file":          {[]string{"check", "nothing.star"}, 2, "no such file"},
		"no such tool":          {[]string{"call", example("reserve.star"), "reserve_bok"}, 2, "did you mean reserve_book?"},
		"no such argument":      {[]string{"call", example("reserve.star"), "reserve_book", "titel=x"}, 2, "did you mean title?"},
		"an argument twice":     {[]string{"call", example("reserve.star"), "reserve_book", "title=a", "title=b"}, 2, "title is given twice"},
		"no tool named":         {[]string{"call", example("reserve.star")}, 2, "which tool? there are: reserve_book"},
		"no tools at all":       {[]string{"call", script(t, "def f() -> str:\n    return ''\n"), "f"}, 2, `there is no tool "f"; the server has none`},
		"no file in the folder": {[]string{"call", t.TempDir(), "f"}, 2, "no .star file in the folder"},
		"too many steps":        {[]string{"call", looping, "f", "--max-steps", "1000"}, 1, "stopped after 1000 steps"},
		"too many to load":      {[]string{"check", looping, "--max-steps", "3"}, 2, "--max-steps"},
		"fail without a text":   {[]string{"call", script(t, "def f() -> str:\n    fail()\ntool(f)\n"), "f"}, 1, "shop.star:2:5"},
		"no pair":               {[]string{"call", example("reserve.star"), "reserve_book", "x"}, 2, "not KEY=VALUE"},
		"no object":             {[]string{"call", example("reserve.star"), "reserve_book", "--args", "[1]"}, 2, "--args is not a JSON object"},
		"no such flag":          {[]string{"serve", example("reserve.star"), "--htpp", "x"}, 2, "unknown flag"},
		"no such command":       {[]string{"sevre"}, 2, "unknown command"},
		"no path":               {[]string{"serve"}, 2, "arg"},
		"no such level":         {[]string{"serve", example("reserve.star"), "--log-level", "loud"}, 2, "--log-level"},
		"no such format":        {[]string{"serve", example("reserve.star"), "--log-format", "xml"}, 2, "--log-format"},
		"no such key file":      {[]string{"serve", example("reserve.star"), "--state-key-file", "nothing"}, 2, "nothing"},
		"the version":           {[]string{"version"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := mcpstar(t, nil, c.args...)
			require.Equal(t, c.status, got.status, got.err)
			require.Contains(t, got.err, c.says)
		})
	}
}

func TestCallTakesValuesAfterTheSchema(t *testing.T) {
	path := script(t, `
def show(text: str, n: int, x: float, yes: bool, list: list[str], maybe: int | None = None) -> str:
    return "%s|%r|%r|%r|%r|%r" % (text, n, x, yes, list, maybe)

tool(show)
`)
	got := mcpstar(t, nil, "call", path, "show", "text=5", "n=12345678901234567890", "x=2", "yes=true", `list=["a","b"]`)
	require.Equal(t, "5|12345678901234567890|2.0|True|[\"a\", \"b\"]|None\n", got.out, got.err)

	got = mcpstar(t, nil, "call", path, "show", "--args", `{"text": "5", "n": 1, "x": 2.5, "yes": false, "list": []}`, "maybe=7")
	require.Equal(t, "5|1|2.5|False|[]|7\n", got.out, got.err)
}

func TestCallPrintsJSON(t *testing.T) {
	got := mcpstar(t, nil, "call", example("reserve.star"), "reserve_book", "title=Dune", "--json")
	require.Equal(t, 0, got.status)
	var result struct {
		Content           []struct{ Text string }
		StructuredContent struct{ Result string }
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &result))
	require.Equal(t, "Reserved 'Dune' (6 copies left).", result.Content[0].Text)
	require.Equal(t, result.Content[0].Text, result.StructuredContent.Result)
}

func TestCallAsksAtTheTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		typed  []string
		status int
		says   string
	}{
		"accept":           {[]string{"a\n", "y\n"}, 0, "Backordered"},
		"a second attempt": {[]string{"what?\n", "accept\n", "perhaps\n", "no\n"}, 0, "No order placed."},
		"decline":          {[]string{"d\n"}, 1, "elicitation was decline"},
		"cancel":           {[]string{"c\n"}, 1, "elicitation was cancel"},
		"the end":          {[]string{""}, 2, "the input has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mcpstar(t, c.typed, "call", example("backorder.star"), "order_book", "title=Neuromancer")
			require.Equal(t, c.status, got.status, got.err)
			require.Contains(t, got.out+got.err, c.says)
			require.Contains(t, got.err, "Order anyway?")
		})
	}
}

func TestCallTakesAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		server, tool string
		args         []string
		status       int
		says         string
	}{
		"content":          {"backorder.star", "order_book", []string{"title=X", `--answer=confirm_backorder={"confirm":false}`}, 0, "No order placed."},
		"the whole key":    {"backorder.star", "order_book", []string{"title=X", `--answer=backorder:confirm_backorder={"confirm":true}`}, 0, "Backordered"},
		"the whole result": {"backorder.star", "order_book", []string{"title=X", `--answer=confirm_backorder={"action":"cancel"}`}, 1, "was cancel"},
		"no form content":  {"backorder.star", "order_book", []string{"title=X", `--answer=confirm_backorder=7`}, 2, "form's content"},
		"a refusal":        {"backorder_outcome.star", "order_book", []string{"title=Neuromancer"}, 0, "You may like 'Count Zero'."},
		"sampling":         {"recommend.star", "recommend_book", []string{"genre=SF", `--answer=suggest_title=Solaris`}, 0, "Today's SF pick: Solaris"},
		"roots":            {"roots.star", "where_is_the_catalogue", []string{`--answer=open_folders=["file:///a","file:///b/catalogue"]`}, 0, "The catalogue is in file:///b/catalogue."},
		"nobody answers":   {"recommend.star", "recommend_book", []string{"genre=SF"}, 1, "nobody answers sampling/createMessage of recommend:suggest_title"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mcpstar(t, nil, append([]string{"call", example(c.server), c.tool}, c.args...)...)
			require.Equal(t, c.status, got.status, got.err)
			require.Contains(t, got.out+got.err, c.says)
		})
	}
}

func TestCheckPrintsJSON(t *testing.T) {
	got := mcpstar(t, nil, "check", "--json", filepath.Join("..", "..", "examples", "mistakes", "shop.star"))
	require.Equal(t, 2, got.status)
	var problems []struct {
		Code, Message, File string
		Line, Column        int
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &problems))
	require.Len(t, problems, 2)
	require.Equal(t, "unknown-parameter", problems[0].Code)
	require.Equal(t, "shop.star", problems[0].File)
	require.Equal(t, 5, problems[0].Line)
}

func TestListPrintsTheToolsAsClientsSeeThem(t *testing.T) {
	got := mcpstar(t, nil, "list", "--json", example("reserve.star"))
	require.Equal(t, 0, got.status)
	var listed struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Properties map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &listed))
	require.Equal(t, "reserve_book", listed.Tools[0].Name)
	require.Contains(t, listed.Tools[0].InputSchema.Properties, "title")
	require.NotContains(t, listed.Tools[0].InputSchema.Properties, "stock")
}

func TestListPrintsDefaults(t *testing.T) {
	got := mcpstar(t, nil, "list", script(t, `
def f(*, days: int = 14, unit: str = "C", long: str = "a" * 100, made: field(list[int], factory = lambda: [])) -> str:
    return ""

tool(f)
`))
	require.Equal(t, "f(days: int = 14, unit: str = \"C\", long: str = \""+strings.Repeat("a", 38)+"…, made: list[int] = ...) -> str\n", got.out, got.err)
}

func TestLifespanRunsAroundACall(t *testing.T) {
	got := mcpstar(t, nil, "call", example("lifespan.star"), "order_book", "title=Dune")
	require.Equal(t, "Order 1: 'Dune', payable in EUR.\n", got.out)
	require.Contains(t, got.err, "closing after 1 orders")
}

func TestServeSpeaksOnlyProtocolOnStandardOutput(t *testing.T) {
	path := script(t, `
print("loading")

def shout() -> str:
    print("shouting")
    return "done"

tool(shout)
`)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shout","_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	var out, errs bytes.Buffer
	status := run(t.Context(), []string{"serve", path}, streams{in: strings.NewReader(call + "\n"), out: &out, err: &errs})
	require.Equal(t, 0, status, errs.String())
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 1)
	require.True(t, json.Valid([]byte(lines[0])), lines[0])
	require.Contains(t, lines[0], `"done"`)
	require.Equal(t, "loading\nshouting\n", errs.String())
}

func TestStateKeysComeFromFileOrEnvironment(t *testing.T) {
	const key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	file := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(file, []byte("# ours\n"+key+"\n"), 0o600))
	fromFile, err := stateKeys(file, "ignored")
	require.NoError(t, err)
	fromEnv, err := stateKeys("", key)
	require.NoError(t, err)
	require.Equal(t, fromFile, fromEnv)
	none, err := stateKeys("", "")
	require.NoError(t, err)
	require.Nil(t, none)
	_, err = stateKeys("", "short")
	require.ErrorContains(t, err, "MCPSTAR_STATE_KEYS")
}
