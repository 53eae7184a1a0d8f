//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Honest tools, of which a whole process must survive what a model may say.
const honest = `
def hello() -> str: return "hello"
def zeroes(n: int) -> int: return len([0] * n)
def line(n: int) -> int: return len("-=" * n)
def rows(n: int) -> int: return len([[0] * n for _ in range(n)])
def count(n: int) -> int: return len(list(range(n)))
def most(n: int) -> int: return max(range(n))
def sent(n: int) -> str: return str([0] * n)
def doubled(n: int) -> int:
    t = "x" * 1000
    for _ in range(n): t += t
    return len(t)
def kept(n: int) -> int:
    keep = []
    for i in range(n): keep.append({i: [i]})
    return len(keep)
def key(n: int) -> int:
    x = (0,)
    for _ in range(n): x = (x, x)
    return len({x: 1})
def squared(n: int) -> int:
    x = 3
    for _ in range(n): x = x * x
    return x % 10
def loop(n: int) -> int:
    c = 0
    for i in range(n):
        for j in range(n): c += j
    return c
tool(hello, timeout = 30)  # beside all these, on a busy machine
[tool(f) for f in [zeroes, line, rows, count, most, sent, doubled, kept, key, squared, loop]]
`

// A process that answers everything at once and stays small.
func TestProcessSurvivesWhatItsToolsAreGiven(t *testing.T) {
	mostKB := 640 << 10
	if raced {
		mostKB *= 2 // what the race detector notes of each word
	}
	cmd := exec.Command(os.Args[0], "serve", script(t, honest), "--call-timeout", "1s")
	cmd.Env = append(os.Environ(), asCommand+"=1", "GOCOVERDIR="+t.TempDir())
	var errs announcer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })

	send := func(id, tool string, n int) {
		arguments := fmt.Sprintf(`{"n":%d}`, n)
		if tool == "hello" {
			arguments = "{}"
		}
		_, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},`+
			`"io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n", id, tool, arguments)
		require.NoError(t, err)
	}
	calls := map[string]int{
		"zeroes": 1 << 30, "line": 1 << 30, "rows": 100_000, "count": 1 << 31, "most": 1 << 31, "sent": 3_000_000,
		"doubled": 60, "kept": 1 << 30, "key": 45, "squared": 60, "loop": 1_000_000,
	}
	open := 0
	for tool, n := range calls {
		for i := range 2 {
			send(fmt.Sprintf("%s-%d", tool, i), tool, n)
			open++
		}
	}
	send("hello-0", "hello", 0)
	open++
	lines := bufio.NewReader(out)
	for ; open > 0; open-- {
		line, err := lines.ReadBytes('\n')
		require.NoError(t, err, errs.String())
		var m struct {
			ID     string
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		require.NoError(t, json.Unmarshal(line, &m))
		if m.ID == "hello-0" {
			require.Equal(t, "hello", m.Result.Content[0].Text)
			continue
		}
		require.True(t, m.Result.IsError, "%s: %.200s", m.ID, line)
		require.Regexp(t, `stopped|too large|result`, m.Result.Content[0].Text, m.ID)
	}
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait(), errs.String())
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	require.Less(t, usage.Maxrss, int64(mostKB), "KiB at its largest")
}
