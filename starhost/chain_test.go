package starhost_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A chain of questions, each made from the answer before it, over every transport
// and with clients that no SDK has a part in.

const chain = `
Genre = model(genre = str)
Length = model(pages = int)
def ask_genre(reader): return elicit("What does %s like?" % reader, Genre)
def ask_length(reader, likes: resolve(ask_genre)): return elicit("How long a %s book?" % likes.genre, Length)
def suggest(likes: resolve(ask_genre), length: resolve(ask_length)):
    return sample("Suggest a %s book of %d pages." % (likes.genre, length.pages), max_tokens = 50)
def recommend(reader: str, title: resolve(suggest)) -> str:
    return "%s: %s" % (reader, title.text)
tool(recommend)
`

func readerOfTheChain(t *testing.T, seen *[]string) answerer {
	return func(q question) string {
		*seen = append(*seen, q.method+" "+string(q.params))
		switch len(*seen) {
		case 1:
			require.Contains(t, string(q.params), "What does Ann like?")
			return accept(`{"genre":"sea"}`)
		case 2:
			require.Contains(t, string(q.params), "How long a sea book?")
			return accept(`{"pages":9007199254740993}`)
		}
		require.Contains(t, string(q.params), "Suggest a sea book of 9007199254740993 pages.")
		return said("Moby-Dick")
	}
}

func TestChainOfQuestionsCompletes(t *testing.T) {
	host := serve(t, chain)
	url := online(t, host)
	for name, c := range map[string]*client{
		"stdio " + handshake: connect(t, host, handshake),
		"stdio " + rounds:    connect(t, host, rounds),
		"http " + handshake:  connectOnline(t, url, handshake, allCapabilities),
		"http " + rounds:     connectOnline(t, url, rounds, allCapabilities),
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				var seen []string
				played := c.call("recommend", `{"reader":"Ann"}`, readerOfTheChain(t, &seen))
				require.Equal(t, "Ann: Moby-Dick", played.text())
				require.Len(t, seen, 3, "each question once")
				if c.revision == rounds {
					require.Equal(t, 4, played.rounds)
				}
			}
		})
	}
}

// The same with nothing but lines and two pipes, as a program in any language has
// them.
func TestChainOfQuestionsCompletesLineByLine(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	host := serve(t, chain)
	go func() { ended <- host.ServeStdio(context.Background(), in, out) }()
	lines := bufio.NewScanner(fromServer)
	say := func(line string) {
		_, err := io.WriteString(toServer, line+"\n")
		require.NoError(t, err)
	}
	hear := func() (id string, line string) {
		require.True(t, lines.Scan())
		var m struct{ ID json.RawMessage }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		return string(m.ID), lines.Text()
	}
	say(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"x","version":"0"}}}`)
	_, greeting := hear()
	require.Contains(t, greeting, `"protocolVersion":"2025-11-25"`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"recommend","arguments":{"reader":"Ann"}}}`)
	id, line := hear()
	require.Contains(t, line, `"method":"elicitation/create"`)
	require.Contains(t, line, `What does Ann like?`)
	say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"genre":"sea"}}}`)
	id, line = hear()
	require.Contains(t, line, `How long a sea book?`)
	say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"pages":600}}}`)
	id, line = hear()
	require.Contains(t, line, `"method":"sampling/createMessage"`)
	require.Contains(t, line, `Suggest a sea book of 600 pages.`)
	say(`{"jsonrpc":"2.0","id":` + id + `,"result":{"role":"assistant","content":{"type":"text","text":"Moby-Dick"},"model":"m"}}`)
	id, line = hear()
	require.Equal(t, `"call"`, id)
	require.True(t, strings.Contains(line, `"text":"Ann: Moby-Dick"`) && strings.Contains(line, `"isError":false`), line)
	require.NoError(t, toServer.Close())
	require.NoError(t, <-ended)
}
