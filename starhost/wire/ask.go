package wire

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// ask sends a question as a request of its own and waits for the answer, which
// is how revisions before 2026-07-28 ask. Our params are sent exactly, and the
// answer is the raw one that wire/frame has kept; behind somebody else's
// transport it is what the SDK made of it.
func ask(ctx context.Context, session *mcp.ServerSession, asked round.Asked, callID string) (json.RawMessage, error) {
	q := asked.Question
	params := q.Params(engine.Handshake)
	if identified, ok := q.(questions.Identified); ok {
		params = identified.WithID(elicitationID(callID, asked.Key))
	}
	if params == nil {
		params = json.RawMessage(`{}`)
	}
	ctx = withExactParams(ctx, params)
	var res mcp.Result
	var err error
	switch q.Method() {
	case "elicitation/create":
		res, err = notNil(session.Elicit(ctx, elicitParams(q)))
	case "sampling/createMessage":
		res, err = notNil(session.CreateMessageWithTools(ctx, &mcp.CreateMessageWithToolsParams{}))
	case "roots/list":
		res, err = notNil(session.ListRoots(ctx, &mcp.ListRootsParams{}))
	default:
		return nil, fmt.Errorf("no way to ask %s", q.Method())
	}
	if err != nil {
		return nil, askError(ctx, err)
	}
	if raw, ok := frame.Moved(res.GetMeta(), frame.MetaResult); ok {
		return raw, nil
	}
	return json.Marshal(res)
}

func notNil[R mcp.Result](res R, err error) (mcp.Result, error) {
	if err != nil {
		return nil, err
	}
	return res, nil
}

// elicitParams are what the SDK checks before it sends: the mode.
func elicitParams(q engine.Question) *mcp.ElicitParams {
	if q.Word() == "elicit_url" {
		return &mcp.ElicitParams{Mode: "url"}
	}
	return &mcp.ElicitParams{Mode: "form"}
}

// elicitationID names an elicit_url of a call. Both sides of a notification can
// compute it, so nothing has to be remembered.
func elicitationID(callID, key string) string {
	sum := sha256.Sum256([]byte(callID + "\x00" + key))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// askError is what a call ends with when the client answers a question with an
// error: that very error.
func askError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var answered *jsonrpc.Error
	if errors.As(err, &answered) && answered.Code != 0 {
		return &engine.ProtocolError{Code: answered.Code, Message: answered.Message, Data: answered.Data}
	}
	return &engine.ProtocolError{Code: engine.CodeInternalError, Message: "the question could not be sent: " + err.Error()}
}
