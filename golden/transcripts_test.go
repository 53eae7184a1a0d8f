package golden

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost"
)

func TestTranscriptsInMemory(t *testing.T) {
	Run(t, "testdata", Options{})
	Run(t, filepath.Join("..", "examples"), Options{})
}

func TestTranscriptsOverStdio(t *testing.T) {
	Run(t, "testdata", Options{Transport: Stdio})
	Run(t, filepath.Join("..", "examples"), Options{Transport: Stdio})
}

func TestTranscriptsOverHTTP(t *testing.T) {
	Run(t, "testdata", Options{Transport: HTTP})
	Run(t, filepath.Join("..", "examples"), Options{Transport: HTTP})
}

// Every example has a transcript on both revisions.
func TestEveryExampleIsTranscribed(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("..", "examples", "bookshop", "*.star"))
	require.NoError(t, err)
	stories, err := Find(filepath.Join("..", "examples"))
	require.NoError(t, err)
	told := map[string]map[string]bool{}
	for _, file := range stories {
		if tr := parsed(file); tr != nil {
			for _, s := range tr.Sections {
				server := filepath.Join(filepath.Dir(file), tr.Server)
				if told[server] == nil {
					told[server] = map[string]bool{}
				}
				told[server][s.Revision] = true
			}
		}
	}
	for _, script := range scripts {
		if !strings.HasSuffix(script, "_test.star") {
			require.True(t, told[script]["2025-11-25"] && told[script]["2026-07-28"], script)
		}
	}
}

// dir copies a folder of files into a new one.
func dir(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// run runs one file and returns its only outcome.
func run(t *testing.T, file string, o Options) Outcome {
	t.Helper()
	outcomes, err := RunFile(t.Context(), file, o)
	require.NoError(t, err)
	require.Len(t, outcomes, 1)
	return outcomes[0]
}

func TestUpdatingWhatPassesChangesNothing(t *testing.T) {
	for _, from := range []string{filepath.Join("..", "examples"), "testdata"} {
		folder := dir(t, from)
		files, err := Find(folder)
		require.NoError(t, err)
		for _, file := range files {
			before := read(t, file)
			_, err := RunFile(t.Context(), file, Options{Update: true})
			require.NoError(t, err)
			require.Equal(t, before, read(t, file), file)
		}
	}
}

const shop = `-- shop.star --
Yes = model(yes = bool)
def confirm(n): return elicit("Take %d?" % n, Yes)
def order(n: int, yes: resolve(confirm)) -> str:
    """Orders."""
    return "order %d" % n
def log(ctx) -> str:
    ctx.progress(1, 2)
    return ctx.call_id
tool(order)
tool(log)
`

// Updating writes what comes, keeps what a person has written, and does so once.
func TestUpdatingIsReviewable(t *testing.T) {
	before := `About orders.

` + shop + `-- 2026-07-28 --
# the id is another one each time
--> 1 tools/call {"name": "log", "arguments": {}}
<-- 1 {
  "resultType": "complete",
  "content": [{"type": "text", "text": "${id}"}],
  "structuredContent": {"result": "${id}"},
  "isError": true
}

# an order asks
--> 2 tools/call {"name": "order", "arguments": {"n": 1}}
<-- 2 {"requestState": "${mine}"}

--> 3 tools/call {"name": "order", "arguments": {"n": 1}, "requestState": "${mine}", "inputResponses": {"shop:confirm": {"action": "accept", "content": {"yes": true}}}}
# the end
`
	file := write(t, t.TempDir(), "a.txtar", before)
	require.Equal(t, Failed, run(t, file, Options{}).Status)
	require.Equal(t, before, read(t, file))
	require.Equal(t, Updated, run(t, file, Options{Update: true}).Status)
	after := read(t, file)
	for _, kept := range []string{"# the id is another one each time\n", `"text": "${id}"`, `{"result": "${id}"}`, `"requestState": "${mine}"`, "\n\n# an order asks\n", "# the end\n"} {
		require.Contains(t, after, kept)
	}
	require.Contains(t, after, `"isError": false`)
	require.Contains(t, after, `"text": "order 1"`)
	require.NotContains(t, after, "${state:1}")
	require.Equal(t, Passed, run(t, file, Options{Update: true}).Status)
	require.Equal(t, after, read(t, file))
	require.Equal(t, Passed, run(t, file, Options{}).Status)
}

// Answer lines fill a section that is only begun, on either revision, once.
func TestAnswerLinesFillASectionThatIsBegun(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		for answer, result := range map[string]string{
			`elicitation/create {"action": "accept", "content": {"yes": true}}`: `"text": "order 7"`,
			`shop:confirm {"action": "decline"}`:                                "elicitation was decline",
			`confirm {"action": "cancel"}`:                                      "elicitation was cancel",
		} {
			file := write(t, t.TempDir(), "a.txtar", shop+"-- client --\nanswer "+answer+"\n-- "+revision+" --\n--> 1 tools/call {\"name\": \"order\", \"arguments\": {\"n\": 7}}\n")
			require.Contains(t, run(t, file, Options{}).Text, "--update writes it down")
			require.Equal(t, Updated, run(t, file, Options{Update: true}).Status)
			filled := read(t, file)
			require.Contains(t, filled, result)
			require.Equal(t, Passed, run(t, file, Options{Update: true}).Status)
			require.Equal(t, Passed, run(t, file, Options{Transport: HTTP}).Status)

			// Written lines win.
			other := strings.Replace(filled, "answer "+answer, `answer elicitation/create {"action": "decline"}`, 1)
			require.NoError(t, os.WriteFile(file, []byte(other), 0o644))
			require.Equal(t, Passed, run(t, file, Options{}).Status)
		}
	}
}

func TestAnUnexpectedQuestionDoesNotHangThePlay(t *testing.T) {
	file := write(t, t.TempDir(), "a.txtar", shop+`-- 2025-11-25 --
--> 1 tools/call {"name": "order", "arguments": {"n": 7}}
<-- 1 {"isError": false}
`)
	out := run(t, file, Options{})
	require.Equal(t, Failed, out.Status)
	require.Contains(t, out.Text, "nobody expects the question s1 (elicitation/create)")
	require.Contains(t, out.Text, `+<-- s1 elicitation/create`)
	require.Contains(t, out.Text, "the transcript does not answer this")
}

func TestAWorldIsHermetic(t *testing.T) {
	story := `-- shop.star --
started = time.now().year
def at():
    return time.now()
def now(when: resolve(at)) -> str:
    return " ".join([when.format("15:04"), time.now().format("15:04"), time.real().format("15:04"), str(started)])
def dice(ctx) -> str: return "%d %s %s" % (random.int(1, 1000000), uuid(), ctx.call_id)
tool(now)
tool(dice)
-- world --
# a fine day
clock 2026-07-28T12:30:00Z
random 7
-- 2026-07-28 --
--> 1 tools/call {"name": "now", "arguments": {}}
--> 2 tools/call {"name": "dice", "arguments": {}}
`
	file := write(t, t.TempDir(), "a.txtar", story)
	require.Equal(t, Updated, run(t, file, Options{Update: true}).Status)
	require.Contains(t, read(t, file), `"text": "12:30 12:30 12:30 2026"`)
	require.Equal(t, Passed, run(t, file, Options{}).Status, "the same dice")
	require.Equal(t, Passed, run(t, file, Options{Transport: HTTP}).Status)

	for missing, says := range map[string]string{
		"clock 2026-07-28T12:30:00Z\n": "reaches clock, which this transcript does not script; write `clock 2026-01-01T12:00:00Z`",
		"random 7\n":                   "reaches random, which this transcript does not script; write `random 1`",
	} {
		file := write(t, t.TempDir(), "a.txtar", strings.Replace(story, missing, "", 1))
		out := run(t, file, Options{Update: true})
		require.Equal(t, Failed, out.Status, "it can't be made right by updating")
		require.Contains(t, out.Text, says)
	}
	for line, says := range map[string]string{
		"clok 1":     `a.txtar:3: the world has no "clok"; did you mean clock?`,
		"sql x":      `the world has no "sql"; a script can reach the clock and random`,
		"clock noon": "clock wants a time",
		"random x":   "random wants a number",
	} {
		file := write(t, t.TempDir(), "a.txtar", "-- s.star --\n-- world --\n"+line+"\n-- 2026-07-28 --\n--> 1 ping\n")
		_, err := RunFile(t.Context(), file, Options{})
		require.ErrorContains(t, err, says)
	}
}

func TestFilesThatCannotBeReadAreErrors(t *testing.T) {
	for text, says := range map[string]string{
		"-- 2026-07-28 --\nhm\n":                                          "a.txtar:2: a line begins with",
		"-- 2026-07-28 --\n--> 1 ping\n":                                  "no server",
		"-- a.star --\n-- b.star --\n-- 2026-07-28 --\n--> 1 ping\n":      "several scripts and no server.star",
		"server: nothing.star\n-- 2026-07-28 --\n--> 1 ping\n":            "nothing.star",
		"-- a.star --\ndef f(:\n-- 2026-07-28 --\n--> 1 ping\n":           "a.star",
		"-- a.star --\n-- 2026-07-28 --\n--> 1 f/x {\"a\": \"${any}\"}\n": "a.txtar:3: \"${any}\" can't be sent",
	} {
		_, err := RunFile(t.Context(), write(t, t.TempDir(), "a.txtar", text), Options{})
		require.ErrorContains(t, err, says, text)
	}
}

func TestTestsAreFoundAndChosen(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, ".git"), 0o755))
	_, err := Find(folder)
	require.ErrorContains(t, err, "no tests in")
	write(t, folder, "b_test.star", "def test_one(): pass\ndef test_two(): fail('no')\n")
	write(t, folder, "a.txtar", "-- s.star --\n-- 2026-07-28 --\n--> 1 tools/list {}\n")
	write(t, folder, "s.star", "")
	write(t, folder, ".git/c.txtar", "")
	files, err := Find(folder, filepath.Join(folder, "a.txtar"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(folder, "a.txtar"), filepath.Join(folder, "b_test.star")}, files)
	_, err = Find(filepath.Join(folder, "s.star"))
	require.ErrorContains(t, err, "is no test")

	out := run(t, files[1], Options{Only: regexp.MustCompile("b_test.star/test_two$")})
	require.Equal(t, Failed, out.Status)
	require.Equal(t, 2, out.Line)
	require.Contains(t, out.Text, "b_test.star:2: no")
}

func TestATranscriptCanNameAnyProgram(t *testing.T) {
	file := write(t, t.TempDir(), "a.txtar", `command: ["sh", "-c", "read line; echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"here\":true}}'"]
-- 2026-07-28 --
--> 1 tools/list {}
<-- 1 {"here": true}
`)
	require.Equal(t, Passed, run(t, file, Options{}).Status)
	require.Equal(t, Skipped, run(t, file, Options{Transport: HTTP}).Status)
}

// A program that adds words to scripts tests them with these words.
func TestServersUnderTestHaveTheProgramsWords(t *testing.T) {
	o := Options{Host: starhost.Options{Words: starlark.StringDict{"GREETING": starlark.String("moin")}}}
	folder := t.TempDir()
	write(t, folder, "s.star", "def hello() -> str: return GREETING\ntool(hello)\n")
	file := write(t, folder, "a.txtar", "server: s.star\n-- 2026-07-28 --\n--> 1 tools/call {\"name\": \"hello\"}\n")
	o.Update = true
	require.Equal(t, Updated, run(t, file, o).Status)
	require.Contains(t, read(t, file), "moin")
	file = write(t, folder, "a_test.star", "load(\"s.star\", \"hello\")\ndef test_it(): assert.eq(call(hello).value, GREETING)\n")
	require.Equal(t, Passed, run(t, file, o).Status)
}
