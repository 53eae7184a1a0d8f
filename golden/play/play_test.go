package play

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// A fake server says, for each line that holds the first of a pair, the lines of
// the second.
type fake []string

func (f fake) dial(context.Context) (Lines, error) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer out.Close()
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			for i := 0; i < len(f); i += 2 {
				if strings.Contains(lines.Text(), f[i]) {
					if _, err := io.WriteString(out, f[i+1]+"\n"); err != nil {
						return
					}
					break
				}
			}
		}
	}()
	return Lines{In: toServer, Out: fromServer, Stop: func() { _ = in.Close() }, Wait: func() { <-ended }}, nil
}

// play plays a section of 2026-07-28 to a fake, and gives what would be written.
func play(t *testing.T, f fake, section string) (*Result, string) {
	t.Helper()
	var result *Result
	synctest.Test(t, func(t *testing.T) {
		tr, err := transcript.Parse("x", []byte("-- 2026-07-28 --\n"+section))
		require.NoError(t, err)
		result, err = Section(t.Context(), tr, tr.Sections[0], nil, Options{Dial: f.dial})
		require.NoError(t, err)
	})
	return result, strings.Join(result.Written, "\n") + "\n"
}

const (
	done1 = `{"jsonrpc":"2.0","id":1,"result":{"n":1}}`
	done2 = `{"jsonrpc":"2.0","id":2,"result":{"n":2}}`
	note  = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`
)

func TestAGroupTakesItsAnswersInAnyOrder(t *testing.T) {
	section := "--> 1 a/b {}\n--> 2 a/b {}\n# both\n{{\n<-- 1 {\"n\": 1}\n<-- 2 {\"n\": 2}\n}}\n"
	for _, order := range []string{done1 + "\n" + done2, done2 + "\n" + done1} {
		result, written := play(t, fake{`"id":2`, order}, section)
		require.True(t, result.OK(), result.Differences)
		require.Equal(t, section, written)
	}
	result, _ := play(t, fake{`"id":2`, done2 + "\n" + done1}, strings.NewReplacer("{{\n", "", "}}\n", "").Replace(section))
	require.False(t, result.OK(), "without a group the order counts")
}

func TestAFreeNotificationMayStandAnywhereInItsRequest(t *testing.T) {
	section := "--> 1 a/b {}\n<~~ notifications/message {\"level\": \"info\", \"data\": \"x\"}\n<-- 1 {\"n\": 1}\n"
	result, written := play(t, fake{`"id":1`, note + "\n" + done1}, section)
	require.True(t, result.OK(), result.Differences)
	require.Equal(t, section, written)

	result, _ = play(t, fake{`"id":1`, done1 + "\n" + note}, section)
	require.False(t, result.OK(), "after the answer it is too late")
	result, _ = play(t, fake{`"id":1`, done1}, section)
	require.Equal(t, []Difference{{3, "notifications/message does not come"}}, result.Differences)
	result, _ = play(t, fake{`"id":1`, note + "\n" + note + "\n" + done1}, section)
	require.Contains(t, result.Differences[0].Text, "nobody expects notifications/message")
}

// Nothing here takes any time: the clock of the bubble runs when all wait.
func TestASilentServerIsGivenUp(t *testing.T) {
	result, written := play(t, fake{}, "--> 1 a/b {}\n<-- 1 {\"n\": 1}\n--> 2 a/b {}\n<-- 2 {\"n\": 2}\n")
	require.Equal(t, []Difference{{3, "the answer to 1 does not come"}, {5, "the answer to 2 does not come"}}, result.Differences)
	require.Equal(t, "--> 1 a/b {}\n--> 2 a/b {}\n", written)
}

func TestWhatIsNewEachTimeIsCaptured(t *testing.T) {
	result, written := play(t, fake{
		`"id":1`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"other","progress":1}}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"result":{"requestState":"abc","_meta":{"io.modelcontextprotocol/subscriptionId":7,"io.modelcontextprotocol/serverInfo":{"name":"s"},"x":1},"price":"${5}"}}`,
	}, "--> 1 a/b {\"_meta\": {\"progressToken\": \"mine\"}}\n")
	require.False(t, result.OK())
	require.Equal(t, `--> 1 a/b {"_meta": {"progressToken": "mine"}}
<-- notifications/progress {"progressToken": "mine", "progress": 1}
<-- notifications/progress {"progressToken": "${progress:1}", "progress": 1}
<-- 1 {
  "requestState": "${state:1}",
  "_meta": {"io.modelcontextprotocol/subscriptionId": "${subscription:1}", "x": 1},
  "price": "$${5}"
}
`, written)
	again, same := play(t, fake{
		`"id":1`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"another","progress":1}}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"result":{"requestState":"xyz","_meta":{"io.modelcontextprotocol/subscriptionId":8,"x":1},"price":"${5}"}}`,
	}, written)
	require.True(t, again.OK(), again.Differences)
	require.Equal(t, written, same)
}

func TestTextThatIsNoMessageIsShown(t *testing.T) {
	result, written := play(t, fake{`"id":1`, "Traceback: boom\n" + done1}, "--> 1 a/b {}\n<-- 1 {\"n\": 1}\n")
	require.False(t, result.OK())
	require.Contains(t, written, `<-- null "Traceback: boom"`)
}

func TestTheEnvelopeIsAddedUnlessItIsWritten(t *testing.T) {
	for head, sees := range map[string]string{"": "io.modelcontextprotocol/protocolVersion", "envelope: written\n": `"params":{}}`} {
		tr, err := transcript.Parse("x", []byte(head+"-- 2026-07-28 --\n--> 1 a/b {}\n<-- 1 {\"n\": 1}\n"))
		require.NoError(t, err)
		result, err := Section(t.Context(), tr, tr.Sections[0], nil, Options{Dial: fake{sees, done1, "", note + "\n" + done2}.dial})
		require.NoError(t, err)
		require.True(t, result.OK(), result.Differences)
	}
}
