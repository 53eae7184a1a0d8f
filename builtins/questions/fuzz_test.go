package questions_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// FuzzAccept: whatever a client answers, every question says the same about it
// each time, fails only with an AnswerError, and what it accepted can be written,
// accepted again and shown.
func FuzzAccept(f *testing.F) {
	for _, seed := range []string{
		`{"action":"accept","content":{"confirm":true}}`,
		`{"action":"decline"}`,
		`{"role":"assistant","model":"m","content":{"type":"text","text":"a"},"stopReason":"endTurn"}`,
		`{"role":"user","model":"m","content":[{"type":"tool_use","id":"1","name":"n","input":{"a":[1.5,18014398509481985]}}]}`,
		`{"role":"user","model":"m","content":{"type":"tool_result","toolUseId":"1","content":[{"type":"resource","resource":{"uri":"x:y","blob":"AAAA"}}]}}`,
		`{"role":"user","model":"m","content":{"type":"image","data":"AAAA","mimeType":"image/png","annotations":{"priority":0.5}}}`,
		`{"roots":[{"uri":"file:///a","name":"a"}]}`,
	} {
		f.Add([]byte(seed))
	}
	var asked []engine.Question
	for _, expression := range []string{formAsk, urlAsk, plainAsk, toolsAsk, rootsAsk} {
		asked = append(asked, ask(f, expression))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, q := range asked {
			outcome := accepting(t, q, string(answer))
			require.Equal(t, outcome, accepting(t, q, string(answer)))
			if outcome == "accept" {
				checkAccepted(t, q, answer)
			}
		}
	})
}

func checkAccepted(t *testing.T, q engine.Question, answer []byte) {
	outcome, err := q.Accept(answer)
	require.NoError(t, err)
	require.NotEmpty(t, outcome.Value.String())
	encodable, ok := outcome.Value.(exactjson.Encodable)
	if !ok {
		return
	}
	written, err := exactjson.Marshal(encodable)
	require.NoError(t, err)
	again, err := q.Accept(json.RawMessage(written))
	require.NoError(t, err)
	rewritten, err := exactjson.Marshal(again.Value)
	require.NoError(t, err)
	require.Equal(t, string(written), string(rewritten))
}
