package drive

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The revisions that clients speak.
const (
	Handshake = "2025-11-25"
	Rounds    = "2026-07-28"
)

// A Client calls tools. A call returns nil when its answer came and is its own.
type Client interface {
	Call(tool, title string) error
	Close() error
}

const (
	declared = `{"elicitation":{"form":{}}}`
	envelope = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + Rounds +
		`","io.modelcontextprotocol/clientCapabilities":` + declared + `}`
	greeting = `{"protocolVersion":"` + Handshake + `","capabilities":` + declared +
		`,"clientInfo":{"name":"drive","version":"1"}}`
	accepted = `{"action":"accept","content":{"yes":true}}`
)

// A frame is one message from the server.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result *result         `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type result struct {
	ResultType    string                     `json:"resultType"`
	Content       []struct{ Text string }    `json:"content"`
	IsError       bool                       `json:"isError"`
	InputRequests map[string]json.RawMessage `json:"inputRequests"`
	RequestState  string                     `json:"requestState"`
}

// params are those of a call; resume holds the members that a later round adds.
func params(revision, tool, title, resume string) string {
	text := fmt.Sprintf(`{"name":%q,"arguments":{"title":%q}%s`, tool, title, resume)
	if revision == Rounds {
		text += envelope
	}
	return text + "}"
}

// outcome judges the response of a round: resume holds what the next round has to
// add to its params, "" when the call is over.
func (f *frame) outcome(tool, title string) (resume string, err error) {
	switch {
	case f.Error != nil:
		return "", fmt.Errorf("%s %s: %s (%d)", tool, title, f.Error.Message, f.Error.Code)
	case f.Result == nil:
		return "", fmt.Errorf("%s %s: a response without a result", tool, title)
	case f.Result.ResultType == "input_required":
		return f.Result.resume()
	case len(f.Result.Content) != 1 || f.Result.IsError || f.Result.Content[0].Text != tool+" "+title:
		return "", fmt.Errorf("%s %s: got %+v", tool, title, f.Result.Content)
	}
	return "", nil
}

// resume accepts every question of a round.
func (r *result) resume() (string, error) {
	answers := map[string]json.RawMessage{}
	for key := range r.InputRequests {
		answers[key] = json.RawMessage(accepted)
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return "", err
	}
	state, err := json.Marshal(r.RequestState)
	if err != nil {
		return "", err
	}
	return `,"inputResponses":` + string(text) + `,"requestState":` + string(state), nil
}

func decode(data []byte) (*frame, error) {
	f := new(frame)
	if err := json.Unmarshal(bytes.TrimSpace(data), f); err != nil {
		return nil, fmt.Errorf("%w: %.200s", err, data)
	}
	return f, nil
}

func answer(id json.RawMessage) string {
	return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + accepted + `}`
}

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
