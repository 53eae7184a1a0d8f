package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// ask sends a question as a request of its own and waits for the answer, which
// is how revisions before 2026-07-28 ask. Our params are sent exactly, and the
// answer is the raw one that wire/frame has kept; behind somebody else's
// transport it is what the SDK made of it.
func ask(ctx context.Context, session *mcp.ServerSession, q calls.Question) (json.RawMessage, error) {
	params := q.Params
	if params == nil {
		params = json.RawMessage(`{}`)
	}
	ctx = withExactParams(ctx, params)
	var res mcp.Result
	var err error
	switch q.Method {
	case "elicitation/create":
		res, err = notNil(session.Elicit(ctx, elicitParams(q)))
	case "sampling/createMessage":
		res, err = notNil(session.CreateMessageWithTools(ctx, &mcp.CreateMessageWithToolsParams{}))
	case "roots/list":
		res, err = notNil(session.ListRoots(ctx, &mcp.ListRootsParams{}))
	default:
		return nil, fmt.Errorf("no way to ask %s", q.Method)
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
func elicitParams(q calls.Question) *mcp.ElicitParams {
	if q.URL {
		return &mcp.ElicitParams{Mode: "url"}
	}
	return &mcp.ElicitParams{Mode: "form"}
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
