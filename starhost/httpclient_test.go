package starhost_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// A web is a client's side of streamable HTTP: one POST a message, answers as JSON
// or as a stream of events.
type web struct {
	t       testing.TB
	url     string
	session string // on a handshake, once it has one
	version string // the MCP-Protocol-Version header; "" sends none
	token   string // the bearer token; "" sends none
	ids     int

	status int         // of the last request
	header http.Header // of the last response
	notes  []message
}

// online serves a host over HTTP until the test ends.
func online(t testing.TB, host *starhost.Host) string {
	t.Helper()
	return listen(t, host.Handler())
}

// listen serves a handler until the test ends.
func listen(t testing.TB, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		if c, ok := handler.(interface{ Close() }); ok {
			c.Close()
		}
		server.Close()
	})
	return server.URL + "/mcp"
}

// connectOnline connects to a host over HTTP and on [handshake] greets it.
func connectOnline(t testing.TB, url, revision, capabilities string) *client {
	t.Helper()
	return connectAs(t, url, "", revision, capabilities)
}

// connectAs is connectOnline with a bearer token.
func connectAs(t testing.TB, url, token, revision, capabilities string) *client {
	t.Helper()
	w := &web{t: t, url: url, token: token}
	c := &client{connection: w, t: t, revision: revision, declares: capabilities}
	if revision == rounds {
		w.version = rounds
		return c
	}
	m := c.request("initialize", json.RawMessage(fmt.Sprintf(
		`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"raw","version":"1.5"}}`, revision, capabilities)), nobody)
	require.Nil(t, m.Error)
	require.Equal(t, http.StatusOK, w.status)
	w.session = w.header.Get("Mcp-Session-Id")
	require.NotEmpty(t, w.session)
	t.Cleanup(w.end)
	w.version = revision
	w.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil)
	require.Equal(t, http.StatusAccepted, w.status)
	return c
}

// end ends the session, as a client does that is polite.
func (w *web) end() {
	r, err := http.NewRequest(http.MethodDelete, w.url, nil)
	require.NoError(w.t, err)
	r.Header.Set("Mcp-Session-Id", w.session)
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	if res, err := http.DefaultClient.Do(r); err == nil {
		res.Body.Close()
	}
}

// web is the connection of a client that is online.
func (c *client) web() *web { return c.connection.(*web) }

// post sends one message and gives the response's body, which the caller reads and
// closes. edit may change the request.
func (w *web) open(body string, edit func(*http.Request)) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url, strings.NewReader(body))
	require.NoError(w.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w.version != "" {
		r.Header.Set("MCP-Protocol-Version", w.version)
	}
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	if w.session != "" {
		r.Header.Set("Mcp-Session-Id", w.session)
	}
	if w.version == rounds {
		mirror(r.Header, body)
	}
	if edit != nil {
		edit(r)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(w.t, err)
	w.status, w.header = res.StatusCode, res.Header
	return res
}

// mirror repeats a message's method and name in headers, as 2026-07-28 wants it.
func mirror(header http.Header, body string) {
	var m struct {
		Method string
		Params struct{ Name, URI *string }
	}
	if json.Unmarshal([]byte(body), &m) != nil {
		return
	}
	header.Set("Mcp-Method", m.Method)
	switch name := m.Params.Name; m.Method {
	case "resources/read":
		name = m.Params.URI
		fallthrough
	case "tools/call", "prompts/get":
		if name != nil {
			header.Set("Mcp-Name", headerText(*name))
		}
	}
}

// headerText is a text as a header can carry it.
func headerText(text string) string {
	for _, r := range text {
		if r < ' ' || r > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
		}
	}
	if text != strings.TrimSpace(text) || !utf8.ValidString(text) {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
	}
	return text
}

// post sends one message and gives the whole body of the response.
func (w *web) post(body string, edit func(*http.Request)) string {
	w.t.Helper()
	res := w.open(body, edit)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	return string(text)
}

func (w *web) request(method string, params json.RawMessage, answer answerer) message {
	w.t.Helper()
	w.ids++
	id := strconv.Itoa(w.ids)
	res := w.open(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`"`+optionalMember("params", params)+`}`, nil)
	defer res.Body.Close()
	status, header := w.status, w.header
	next := w.messages(res)
	for {
		m, ok := next()
		require.True(w.t, ok, "the stream ended without a response")
		switch {
		case m.Method != "" && m.ID == nil:
			w.notes = append(w.notes, m)
		case m.Method != "":
			require.Empty(w.t, w.post(oneLine(replyTo(m, answer(question{method: m.Method, params: m.Params}))), nil))
			require.Equal(w.t, http.StatusAccepted, w.status, "an answer is acknowledged")
		default:
			require.Equal(w.t, id, string(m.ID))
			w.status, w.header = status, header
			return m
		}
	}
}

// messages gives the messages of a response, one after the other.
func (w *web) messages(res *http.Response) func() (message, bool) {
	w.t.Helper()
	in := bufio.NewReader(res.Body)
	kind := res.Header.Get("Content-Type")
	if kind == "application/json" {
		return func() (message, bool) {
			text, err := io.ReadAll(in)
			require.NoError(w.t, err)
			return w.judged(text), true
		}
	}
	require.Equal(w.t, "text/event-stream", kind)
	return func() (message, bool) {
		var data []string
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return message{}, false
			}
			line = strings.TrimRight(line, "\r\n")
			if text, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(text, " "))
			}
			if line == "" && len(data) > 0 && data[0] != "" {
				return w.judged([]byte(strings.Join(data, "\n"))), true
			}
			if line == "" {
				data = nil
			}
		}
	}
}

func (w *web) judged(text []byte) message {
	w.t.Helper()
	m, err := judge(text)
	require.NoError(w.t, err)
	return m
}
