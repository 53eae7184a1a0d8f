//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// worker is the process of the scripts of a server that was started with --isolate.
func (p *process) worker() int {
	p.t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	for _, list := range lists {
		text, err := os.ReadFile(list)
		require.NoError(p.t, err)
		if fields := strings.Fields(string(text)); len(fields) > 0 {
			child, err := strconv.Atoi(fields[0])
			require.NoError(p.t, err)
			return child
		}
	}
	require.Fail(p.t, "no process")
	return 0
}

func TestSignalsForTheScriptsProcessAreTheServers(t *testing.T) {
	p, _ := launch(t, "never", "--isolate")
	p.greet()
	const asks = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks"}}`
	const yes = `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"yes":true}}}`
	p.send(asks)
	require.Contains(t, p.line(), `"elicitation/create"`)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		require.NoError(t, syscall.Kill(p.worker(), s)) // as from a terminal, or a supervisor
	}
	p.send(yes)
	require.Contains(t, p.line(), "said True")
	p.signal()
	p.ended()
}

func TestScriptsProcessThatIsKilledIsReplaced(t *testing.T) {
	p, said := launch(t, "another one is started", "--isolate", "--grace", "50ms")
	p.greet()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks"}}`)
	require.Contains(t, p.line(), `"elicitation/create"`)
	before := p.worker()
	require.NoError(t, syscall.Kill(before, syscall.SIGKILL))
	withdrawn, answered := p.line(), p.line()
	if strings.Contains(withdrawn, `"id":1`) {
		withdrawn, answered = answered, withdrawn
	}
	require.Contains(t, withdrawn, `"notifications/cancelled"`, "the question is withdrawn")
	require.Contains(t, answered, "Error executing tool asks: the scripts' process ended in the middle of its work (signal: killed); it is started again")
	<-said
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"asks"}}`)
	require.Contains(t, p.line(), `"elicitation/create"`)
	require.NotEqual(t, before, p.worker())
	p.signal()
	p.ended()
}

// The keys of the state are the server's alone.
func TestScriptsProcessHasNoSecrets(t *testing.T) {
	t.Setenv("MCPSTAR_STATE_KEYS", "aHVzaCBodXNoIGh1c2ggaHVzaCBodXNoIGh1c2ggaHVzaA==")
	p, _ := launch(t, "never", "--isolate")
	p.greet()
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.worker()))
	require.NoError(t, err)
	require.NotContains(t, string(environment), "MCPSTAR_STATE_KEYS")
	words, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.worker()))
	require.NoError(t, err)
	require.Contains(t, string(words), "worker")
	require.NotContains(t, string(words), "aHVzaC")
	p.signal()
	p.ended()
}
