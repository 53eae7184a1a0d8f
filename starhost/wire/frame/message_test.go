package frame

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"
)

func TestBadMessagesAreAnswered(t *testing.T) {
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for _, c := range []struct {
		name, in string
		code     int64
		id       string
	}{
		{"not JSON", `hello`, -32700, ""},
		{"empty", ``, -32700, ""},
		{"half a message", `{"jsonrpc":"2.0","id":1,"method":`, -32700, ""},
		{"half a message, id seen", `{"jsonrpc":"2.0","id":1,"method":"ping"`, -32700, "1"},
		{"NaN, id seen", `{"id":"a","method":"tools/call","params":{"x":NaN}}`, -32700, `"a"`},
		{"NaN, id not seen yet", `{"method":"tools/call","params":{"x":NaN},"id":1}`, -32700, ""},
		{"a bad answer does not give its id away", `{"jsonrpc":"2.0","id":1,"result":NaN}`, -32700, ""},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, -32700, "1"},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", -32700, "1"},
		{"not UTF-8 in the id", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", -32700, ""},
		{"NUL", "\x00", -32700, ""},
		{"UTF-16", "\xff\xfe{\x00}\x00", -32700, ""},
		{"number", `5`, -32600, ""},
		{"null", `null`, -32600, ""},
		{"text", `"x"`, -32600, ""},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, ""},
		{"empty batch", `[]`, -32600, ""},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + deep + `}}`, -32600, "1"},
		{"empty object", `{}`, -32600, ""},
		{"no method", `{"jsonrpc":"2.0","id":5}`, -32600, ""},
		{"method of another type", `{"jsonrpc":"2.0","id":5,"method":7}`, -32600, "5"},
		{"no jsonrpc", `{"id":5,"method":"ping"}`, -32600, "5"},
		{"another jsonrpc", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, -32600, "5"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, ""},
		{"id object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, ""},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, ""},
		{"params list", `{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}`, -32602, "5"},
		{"params text", `{"jsonrpc":"2.0","id":5,"method":"ping","params":"x"}`, -32602, "5"},
	} {
		_, f, id := parse([]byte(c.in))
		require.NotNil(t, f, c.name)
		require.Equal(t, c.code, f.code, c.name)
		require.Equal(t, c.id, id, c.name)
		require.True(t, json.Valid(f.appendError(nil, id)), c.name)
	}
}

func TestGoodMessagesAreToldApart(t *testing.T) {
	for _, c := range []struct {
		name, in string
		kind     kind
		id       string
		method   string
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, request, "1", "ping"},
		{"notification", `{"jsonrpc":"2.0","method":"a\/b"}`, notification, "", "a/b"},
		{"params null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, request, "1", "ping"},
		{"unknown members", `{"x":[1,{}],"jsonrpc":"2.0","id":1,"method":"ping"}`, request, "1", "ping"},
		{"escaped keys", `{"jsonrpc":"2.0","\u0069d":1,"meth\u006fd":"ping"}`, request, "1", "ping"},
		{"the last of a repeated member", `{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"ping"}`, request, "2", "ping"},
		{"one id, two spellings", `{"jsonrpc":"2.0","id":"\u0061\/","method":"ping"}`, request, `"a/"`, "ping"},
		{"half a surrogate pair stays as it is", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, request, `"\ud800"`, "ping"},
		{"white space and BOM", "\xef\xbb\xbf \t{\"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"ping\" }\r\n", request, "1", "ping"},
		{"result", `{"jsonrpc":"2.0","id":1,"result":{}}`, answer, "1", ""},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{}}`, answer, "1", ""},
		{"an answer without an id", `{"jsonrpc":"2.0","result":5}`, nothing, "", ""},
		{"an answer to null", `{"jsonrpc":"2.0","id":null,"error":{}}`, nothing, "", ""},
		{"an answer to an id that is not ours", `{"jsonrpc":"2.0","id":"x","result":{}}`, nothing, "", ""},
	} {
		m, f, _ := parse([]byte(c.in))
		require.Nil(t, f, c.name)
		require.Equal(t, c.kind, m.kind, c.name)
		require.Equal(t, c.id, m.id, c.name)
		require.Equal(t, c.method, m.method, c.name)
	}
}

// toRequest parses a request with those params.
func toRequest(t testing.TB, method, params string) *message {
	t.Helper()
	m, f, _ := parse([]byte(`{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`))
	require.Nil(t, f, params)
	return m
}

func TestParamsOfTheWrongTypeAreRefused(t *testing.T) {
	for _, c := range []struct {
		method, params string
		ok             bool
	}{
		{"tools/call", `{"name":"x"}`, true},
		{"tools/call", `{"name":"x","arguments":null}`, true},
		{"tools/call", `{"name":"x","_meta":null}`, true},
		{"tools/call", `{"name":"x","_meta":{"progressToken":1.5}}`, true},
		{"tools/call", `{"name":"x","requestState":5,"inputResponses":7}`, true},
		{"tools/call", `null`, false},
		{"tools/call", `{}`, false},
		{"tools/call", `{"name":5}`, false},
		{"tools/call", `{"name":null}`, false},
		{"tools/call", `{"name":"x","arguments":[1]}`, false},
		{"tools/call", `{"name":"x","arguments":"{}"}`, false},
		{"tools/call", `{"name":"x","_meta":5}`, false},
		{"tools/call", `{"name":"x","_meta":{"progressToken":{}}}`, false},
		{"prompts/get", `{"name":"x","arguments":5}`, false},
		{"resources/read", `{"uri":"a:b"}`, true},
		{"resources/read", `{}`, false},
		{"resources/subscribe", `{"uri":5}`, false},
		{"logging/setLevel", `{"level":"info"}`, true},
		{"logging/setLevel", `{"level":"loud"}`, false},
		{"logging/setLevel", `null`, false},
		{"completion/complete", `{"ref":{},"argument":{}}`, true},
		{"completion/complete", `{"argument":{}}`, false},
		{"tools/list", `null`, true},
		{"no/such", `{"anything":[]}`, true},
		{"initialize", `{"protocolVersion":"x"}`, true},
		{"initialize", `{}`, false},
		{"initialize", `{"protocolVersion":"x","capabilities":[]}`, false},
		{"initialize", `{"protocolVersion":"x","capabilities":{"elicitation":true}}`, false},
		{"initialize", `{"protocolVersion":"x","clientInfo":"me"}`, false},
	} {
		f := toRequest(t, c.method, c.params).legacyFault()
		if c.ok {
			require.Nil(t, f, c.method+c.params)
			continue
		}
		require.NotNil(t, f, c.method+c.params)
		require.JSONEq(t, `{"code":-32602,"message":"Invalid request parameters","data":""}`, string(f.appendObject(nil)))
	}
}

func TestEnvelopeIsJudged(t *testing.T) {
	meta := func(members string) string { return `{"name":"x","notifications":{},"_meta":{` + members + `}}` }
	const version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	const caps = `"io.modelcontextprotocol/clientCapabilities":{}`
	for _, c := range []struct{ method, params, fault string }{
		{"tools/call", meta(version + "," + caps), ``},
		{"tools/call", meta(version + "," + caps + `,"io.modelcontextprotocol/clientInfo":{"name":"c"}`), ``},
		{"tools/call", `{}`, `{"code":-32602,"message":"params._meta must be an object carrying the required 'io.modelcontextprotocol/protocolVersion' and 'io.modelcontextprotocol/clientCapabilities' envelope keys"}`},
		{"tools/call", `{"_meta":5}`, `{"code":-32602,"message":"params._meta must be an object carrying the required 'io.modelcontextprotocol/protocolVersion' and 'io.modelcontextprotocol/clientCapabilities' envelope keys"}`},
		{"tools/call", meta(``), `{"code":-32602,"message":"params._meta is missing the required envelope key(s): io.modelcontextprotocol/protocolVersion, io.modelcontextprotocol/clientCapabilities"}`},
		{"tools/call", meta(version), `{"code":-32602,"message":"params._meta is missing the required envelope key(s): io.modelcontextprotocol/clientCapabilities"}`},
		{"tools/call", meta(caps), `{"code":-32602,"message":"params._meta is missing the required envelope key(s): io.modelcontextprotocol/protocolVersion"}`},
		{"tools/call", meta(`"io.modelcontextprotocol/protocolVersion":5,` + caps), `{"code":-32602,"message":"the protocol-version envelope value must be a string"}`},
		{"tools/call", meta(`"io.modelcontextprotocol/protocolVersion":"1900-01-01",` + caps), `{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}`},
		{"tools/call", meta(version + `,"io.modelcontextprotocol/clientCapabilities":[]`), `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"tools/call", meta(version + `,"io.modelcontextprotocol/clientCapabilities":{"sampling":1}`), `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"tools/call", meta(version + "," + caps + `,"io.modelcontextprotocol/clientInfo":"me"`), `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"tools/call", meta(version + "," + caps + `,"io.modelcontextprotocol/logLevel":"loud"`), `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"tools/call", `{"_meta":{` + version + "," + caps + `}}`, `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"ping", meta(version + "," + caps), `{"code":-32601,"message":"Method not found","data":"ping"}`},
		{"initialize", meta(version + "," + caps), `{"code":-32601,"message":"Method not found","data":"initialize"}`},
		{"logging/setLevel", meta(version + "," + caps), `{"code":-32601,"message":"Method not found","data":"logging/setLevel"}`},
		{"resources/subscribe", meta(version + "," + caps), `{"code":-32601,"message":"Method not found","data":"resources/subscribe"}`},
		{"notifications/initialized", meta(version + "," + caps), `{"code":-32601,"message":"Method not found","data":"notifications/initialized"}`},
		{"subscriptions/listen", meta(version + "," + caps), ``},
		{"subscriptions/listen", `{"notifications":5,"_meta":{` + version + "," + caps + `}}`, `{"code":-32602,"message":"Invalid request parameters","data":""}`},
	} {
		f := toRequest(t, c.method, c.params).modernFault(nil)
		if c.fault == "" {
			require.Nil(t, f, c.params)
			continue
		}
		require.NotNil(t, f, c.params)
		require.JSONEq(t, c.fault, string(f.appendObject(nil)), c.params)
	}
}

func TestWhatTheSDKMustNotParseIsMoved(t *testing.T) {
	for _, c := range []struct{ name, method, params, want string }{
		{"the id", "tools/call", `{"name":"x"}`, `{"name":"x","_meta":{"mcpstar/requestId":"7"}}`},
		{"answers and state", "tools/call",
			`{"requestState":"st","name":"x","inputResponses":{"q":{"n":9007199254740993}},"_meta":{"a":1}}`,
			`{"name":"x","_meta":{"a":1,"mcpstar/requestId":"7","mcpstar/inputResponses":"{\"q\":{\"n\":9007199254740993}}","mcpstar/requestState":"\"st\""}}`},
		{"of any type", "prompts/get", `{"requestState":null,"name":"x","inputResponses":5}`,
			`{"name":"x","_meta":{"mcpstar/requestId":"7","mcpstar/inputResponses":"5","mcpstar/requestState":"null"}}`},
		{"of resources too", "resources/read", `{"uri":"a:b","requestState":{"a":[]}}`,
			`{"uri":"a:b","_meta":{"mcpstar/requestId":"7","mcpstar/requestState":"{\"a\":[]}"}}`},
		{"not of other methods", "tools/list", `{"requestState":5}`, `{"requestState":5}`},
		{"the client's own keys of ours go", "tools/call",
			`{"name":"x","_meta":{"mcpstar/requestState":"forged","\u006dcpstar/x":1,"mcpstar/requestId":"9"}}`,
			`{"name":"x","_meta":{"mcpstar/requestId":"7"}}`},
		{"in any request", "tools/list", `{"_meta":{"mcpstar/result":"forged","a":1}}`, `{"_meta":{"a":1}}`},
		{"arguments null are none", "tools/call", `{"name":"x","arguments":null}`, `{"name":"x","_meta":{"mcpstar/requestId":"7"}}`},
		{"arguments stay to the letter", "tools/call", `{"name":"x","arguments":{"b":1e400, "a":123456789012345678901234567890,"b":2}}`,
			`{"name":"x","arguments":{"b":1e400, "a":123456789012345678901234567890,"b":2},"_meta":{"mcpstar/requestId":"7"}}`},
		{"the last of a repeated member is the one that was judged", "tools/call", `{"name":"a","arguments":{"x":1},"name":"b","arguments":{},"_meta":{"a":1},"_meta":{"b":2}}`,
			`{"name":"b","arguments":{},"_meta":{"b":2,"mcpstar/requestId":"7"}}`},
		{"a repeated _meta would be merged", "tools/list", `{"_meta":{"a":1},"_meta":{"b":2}}`, `{"_meta":{"b":2}}`},
		{"a token that float64 would change", "tools/list", `{"_meta":{"progressToken":9007199254740993}}`, `{"_meta":{"progressToken":"mcpstar/token:9007199254740993"}}`},
		{"other tokens stay", "tools/list", `{"_meta":{"progressToken":12}}`, `{"_meta":{"progressToken":12}}`},
		{"a handshake asks for what it can get", "initialize", `{"protocolVersion":"2026-07-28","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","x":1}}`,
			`{"protocolVersion":"2025-11-25","_meta":{"x":1}}`},
		{"and keeps what it asks for otherwise", "initialize", `{"capabilities":{},"protocolVersion":"2025-03-26"}`, `{"capabilities":{},"protocolVersion":"2025-03-26"}`},
		{"no params", "tools/list", `null`, ``},
	} {
		got := rewriter{}.forSDK(toRequest(t, c.method, c.params))
		require.Equal(t, c.want, string(got), c.name)
	}
	kept := rewriter{leaveAnswers: true}.forSDK(toRequest(t, "tools/call", `{"name":"x","inputResponses":{},"requestState":"s"}`))
	require.Equal(t, `{"name":"x","inputResponses":{},"requestState":"s","_meta":{"mcpstar/requestId":"7"}}`, string(kept))
}

func TestMovedIsReadBack(t *testing.T) {
	meta := map[string]any{MetaRequestID: `"a\"b"`, MetaRequestState: `null`, "x": 1.0}
	raw, ok := Moved(meta, MetaRequestState)
	require.True(t, ok)
	require.Equal(t, "null", string(raw))
	_, ok = Moved(meta, MetaInputResponses)
	require.False(t, ok)
	require.Equal(t, `a"b`, RequestID(meta))
	require.Equal(t, "9007199254740993", RequestID(map[string]any{MetaRequestID: "9007199254740993"}))
	require.Empty(t, RequestID(nil))
	require.Equal(t, map[string]any{"x": 1.0}, ClientMeta(meta))
	require.False(t, Modern(meta))
	require.True(t, Modern(map[string]any{metaVersion: "2026-07-28"}))
	clean := map[string]any{"x": 1.0}
	ClientMeta(clean)["y"] = 2.0
	require.Contains(t, clean, "y", "meta itself when there is nothing to leave out")
}

func TestErrorsGoOutMended(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		method string
		want   string
	}{
		{"a plain error", plainText("no such file"), "x", `{"code":-32603,"message":"no such file"}`},
		{"an empty one", plainText(""), "x", `{"code":-32603,"message":"Internal error"}`},
		{"a cancelled context", plainText("context canceled"), "x", `{"code":-32603,"message":"Request cancelled"}`},
		{"exactly", &jsonrpc.Error{Code: -5, Message: "m", Data: json.RawMessage(`[1]`)}, "x", `{"code":-5,"message":"m","data":[1]}`},
		{"code 0", &jsonrpc.Error{Message: "m"}, "x", `{"code":-32603,"message":"m"}`},
		{"the SDK's unknown method", &jsonrpc.Error{Code: -32601, Message: `method not found: "no/such"`}, "no/such", `{"code":-32601,"message":"Method not found","data":"no/such"}`},
		{"the same, replayed", &jsonrpc.Error{Code: -32601, Message: `method not found: "no/such"`}, "", `{"code":-32601,"message":"Method not found","data":"no/such"}`},
		{"a handler's own -32601", ExactError(-32601, "gone", json.RawMessage(`{"a":1}`)), "x", `{"code":-32601,"message":"gone","data":{"a":1}}`},
		{"ExactError of another code", ExactError(-32000, "m", nil), "x", `{"code":-32000,"message":"m"}`},
		{"ExactError of no code", ExactError(0, "m", nil), "x", `{"code":-32603,"message":"m"}`},
		{"Go types", &jsonrpc.Error{Code: -32602, Message: `handling 'tools/call': invalid params: unmarshaling "{}" into a *mcp.CallToolParamsRaw: x`}, "x", `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"Go types without a code", plainText(`handling 'initialize': unmarshaling "x" into a *mcp.initializeParamsV2: y`), "initialize", `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"missing params", &jsonrpc.Error{Code: -32600, Message: `invalid request: missing required "params"`}, "x", `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"before the handshake", plainText(`method "tools/list" is invalid during session initialization`), "tools/list", `{"code":-32602,"message":"Invalid request parameters","data":""}`},
		{"a handler's own -32602", &jsonrpc.Error{Code: -32602, Message: "no such thing", Data: json.RawMessage(`1`)}, "x", `{"code":-32602,"message":"no such thing","data":1}`},
		{"data that is no JSON", &jsonrpc.Error{Code: -5, Message: "m", Data: json.RawMessage(`{`)}, "x", `{"code":-5,"message":"m"}`},
	} {
		require.Equal(t, c.want, string(faultOf(c.err, c.method).appendObject(nil)), c.name)
	}
}

type plainText string

func (p plainText) Error() string { return string(p) }

func TestRestoringTouchesOnlyWhatWasChanged(t *testing.T) {
	sub := `"io.modelcontextprotocol/subscriptionId"`
	for _, c := range []struct{ method, in, want string }{
		{"notifications/tools/list_changed", `{"_meta":{` + sub + `:"mcpstar/id:3:\"a\\u2028\"","x":[1]}}`, `{"_meta":{` + sub + `:"a\u2028","x":[1]}}`},
		{"notifications/tools/list_changed", `{"_meta":{` + sub + `:"mcpstar/id::9007199254740993"}}`, `{"_meta":{` + sub + `:9007199254740993}}`},
		{"notifications/tools/list_changed", `{"_meta":{` + sub + `:"other"}}`, `{"_meta":{` + sub + `:"other"}}`},
		{"notifications/message", `{"data":"mcpstar/id::1","_meta":{}}`, `{"data":"mcpstar/id::1","_meta":{}}`},
		{"notifications/progress", `{"progressToken":"mcpstar/token:9007199254740993","progress":1}`, `{"progressToken":9007199254740993,"progress":1}`},
		{"notifications/progress", `{"progressToken":"mine","progress":1}`, `{"progressToken":"mine","progress":1}`},
		{"notifications/cancelled", `{"requestId":1,"reason":"context canceled"}`, `{"requestId":1,"reason":"caller cancelled"}`},
		{"notifications/cancelled", `{"requestId":1,"reason":"because"}`, `{"requestId":1,"reason":"because"}`},
		{"x", "{\"a\":\"\xff\"}", "{\"a\":\"\ufffd\"}"},
		{"x", `5`, `5`},
	} {
		require.Equal(t, c.want, string(restoreParams(c.method, []byte(c.in))))
	}
}

func FuzzInbound(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,2]},"inputResponses":{"q":null},"requestState":5,"_meta":{"mcpstar/x":1,"progressToken":1e9}}}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"initialize","params":{"protocolVersion":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`,
		`{"jsonrpc":"2.0","id":1.5,"result":{"a":1}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":[]}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `[]`, `{`, `{"a":"\u0000"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, bad, id := parse(data)
		if bad != nil {
			if out := bad.appendError(nil, id); !json.Valid(out) {
				t.Fatalf("%q is answered %q", data, out)
			}
			return
		}
		switch m.kind {
		case answer:
			if body := (rewriter{}).answerBody(m); !json.Valid(body) {
				t.Fatalf("%q becomes %q", data, body)
			}
		case request, notification:
			for _, f := range []*fault{m.legacyFault(), m.modernFault(nil), m.earlyFault()} {
				if f != nil && !json.Valid(f.appendError(nil, m.id)) {
					t.Fatalf("%q is refused with %q", data, f.appendError(nil, m.id))
				}
			}
			checkRewrite(t, data, m)
		}
	})
}

// checkRewrite makes sure that the SDK can read what it gets, and gets no key of ours
// that is not ours.
func checkRewrite(t *testing.T, data []byte, m *message) {
	sdk := ""
	if m.kind == request {
		sdk = sdkID(m.id, 3)
		if id, ok := clientID(sdk); !ok || id != m.id {
			t.Fatalf("id %q comes back as %q", m.id, id)
		}
	}
	body := requestBody(m.method, sdk, rewriter{}.forSDK(m))
	msg, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		t.Fatalf("%q becomes %q, which the SDK refuses: %v", data, body, err)
	}
	req := msg.(*jsonrpc.Request)
	if m.kind == request && req.ID.Raw() != sdk {
		t.Fatalf("id %q becomes %q", sdk, req.ID.Raw())
	}
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(req.Params, &params) != nil {
		return // _meta of another type: it was refused above, or is a notification
	}
	for key := range params.Meta {
		if strings.HasPrefix(key, ownPrefix) && key != MetaRequestID && key != MetaInputResponses && key != MetaRequestState {
			t.Fatalf("%q lets %q through", data, key)
		}
	}
}
