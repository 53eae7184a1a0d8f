package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTestRunsTheExamples(t *testing.T) {
	got := mcpstar(t, nil, "test", filepath.Join("..", "..", "examples"))
	require.Equal(t, 0, got.status, got.out+got.err)
	require.Regexp(t, `^\d+ passed\n$`, got.out)
}

// story writes a server and a transcript of it.
func story(t *testing.T, transcript string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{
		"shop.star":   "def hello(name: str = \"you\") -> str:\n    return \"hello \" + name\ntool(hello)\n",
		"shop.txtar":  transcript,
		"b_test.star": "load(\"shop.star\", \"hello\")\ndef test_hello():\n    print(\"hm\")\n    assert.eq(call(hello).value, \"hello you\")\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	return folder
}

const hello = `server: shop.star
-- 2026-07-28 --
--> 1 tools/call {"name": "hello", "arguments": {"name": "Ann"}}
<-- 1 {
  "resultType": "complete",
  "content": [{"type": "text", "text": "hello Ann"}],
  "structuredContent": {"result": "hello Ann"},
  "isError": false
}
`

func TestTestSaysWhatBecameOfEachTest(t *testing.T) {
	folder := story(t, hello)
	at := func(name string) string { return filepath.Join(folder, name) }
	got := mcpstar(t, nil, "test", folder, "-v")
	require.Equal(t, 0, got.status, got.err)
	require.Equal(t, "ok   "+at("b_test.star")+" test_hello\n  hm\nok   "+at("shop.txtar")+" 2026-07-28\n2 passed\n", got.out)

	got = mcpstar(t, nil, "test", folder, "--run", "shop.txtar/2026")
	require.Equal(t, "1 passed\n", got.out)
	got = mcpstar(t, nil, "test", folder, "--run", "nothing")
	require.Equal(t, "no test has that name\n", got.out)

	folder = story(t, strings.Replace(hello, "hello Ann\"}],", "hi Ann\"}],", 1))
	got = mcpstar(t, nil, "test", folder)
	require.Equal(t, 1, got.status)
	require.Contains(t, got.out, "FAIL "+filepath.Join(folder, "shop.txtar")+" 2026-07-28\n")
	require.Contains(t, got.out, `shop.txtar:4: the answer to 1: content[0].text is "hello Ann", not "hi Ann"`)
	require.Contains(t, got.out, "\n  -  \"content\": [{\"type\": \"text\", \"text\": \"hi Ann\"}],\n")
	require.Contains(t, got.out, "1 passed, 1 failed\n")

	got = mcpstar(t, nil, "test", folder, "--json")
	require.Equal(t, 1, got.status)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	require.Len(t, lines, 2)
	var failed struct {
		File, Name, Status, Text string
		Line                     int
	}
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &failed))
	require.Equal(t, "failed", failed.Status)
	require.Equal(t, 4, failed.Line)

	got = mcpstar(t, nil, "test", folder, "--update")
	require.Equal(t, 0, got.status)
	require.Contains(t, got.out, "updated "+filepath.Join(folder, "shop.txtar"))
	text, err := os.ReadFile(filepath.Join(folder, "shop.txtar"))
	require.NoError(t, err)
	require.Equal(t, hello, string(text))
}

func TestTestEndsWithAStatusOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		transcript string
		args       []string
		status     int
		says       string
	}{
		"a failure":           {strings.Replace(hello, "Ann\"}}", "Eve\"}}", 1), nil, 1, "1 failed"},
		"a bad file":          {"-- 2026-07-28 --\nhm\n", nil, 2, "shop.txtar:2: a line begins with"},
		"no server":           {strings.Replace(hello, "shop.star", "shp.star", 1), nil, 2, "no such file"},
		"a bad script":        {"-- a.star --\ndef f(:\n" + strings.TrimPrefix(hello, "server: shop.star\n"), nil, 2, "error[unclosed"},
		"a bad expression":    {hello, []string{"--run", "("}, 2, "--run"},
		"a bad transport":     {hello, []string{"--transport", "tcp"}, 2, "--transport is"},
		"over stdio":          {hello, []string{"--transport", "stdio"}, 0, "2 passed"},
		"over HTTP":           {hello, []string{"--transport", "http"}, 0, "2 passed"},
		"another transport":   {"transports: stdio\n" + hello, []string{"--transport", "http"}, 0, "1 passed, 1 skipped"},
		"what is not reached": {hello, []string{"--cover"}, 0, "shop.star: 100% of 3 lines"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mcpstar(t, nil, append([]string{"test", story(t, c.transcript)}, c.args...)...)
			require.Equal(t, c.status, got.status, got.out+got.err)
			require.Contains(t, got.out+got.err, c.says)
		})
	}
	require.Equal(t, 2, mcpstar(t, nil, "test", t.TempDir()).status, "nothing to test")
	require.Equal(t, 2, mcpstar(t, nil, "test", "nowhere").status)
}

func TestTestShowsColoursOnATerminal(t *testing.T) {
	var out strings.Builder
	folder := story(t, strings.Replace(hello, "hello Ann\"}],", "hi Ann\"}],", 1))
	status := run(t.Context(), []string{"test", folder}, streams{in: strings.NewReader(""), out: &out, err: &out, color: true})
	require.Equal(t, 1, status)
	require.Contains(t, out.String(), "\x1b[31m-")
}

func TestTestImportsAnExportOfTheInspector(t *testing.T) {
	folder := t.TempDir()
	export := filepath.Join(folder, "export.json")
	require.NoError(t, os.WriteFile(export, []byte(`[{"timestamp":"2026-05-01T10:00:00Z","direction":"request",
		"message":{"jsonrpc":"2.0","id":1,"method":"tools/list"},"response":{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}}]`), 0o644))
	got := mcpstar(t, nil, "test", "--import", export, "--server", "shop.star")
	require.Equal(t, 0, got.status, got.err)
	require.Contains(t, got.out, "server: shop.star\n")
	require.Contains(t, got.out, "--> 1 tools/list\n<-- 1 {\"tools\": []}\n")
	require.Equal(t, 2, mcpstar(t, nil, "test", "--import", filepath.Join(folder, "none")).status)
}
