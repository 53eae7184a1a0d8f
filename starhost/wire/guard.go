package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// guard is the outermost middleware. The SDK lets a panic end the process, gives
// plain errors the code 0 and drops the data of wrapped ones; behind the guard
// every error is a *jsonrpc.Error with a standard code.
func guard(log *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if r := recover(); r != nil {
					log.Error("panic", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
					res, err = nil, internalError()
				}
			}()
			res, err = next(ctx, method, req)
			if err != nil {
				return nil, wireError(log, method, err)
			}
			return res, nil
		}
	}
}

// wireError is what a client is told of an error.
func wireError(log *slog.Logger, method string, err error) error {
	var protocol *engine.ProtocolError
	if errors.As(err, &protocol) {
		return frame.ExactError(protocol.Code, protocol.Message, protocol.Data)
	}
	var known *jsonrpc.Error
	if errors.As(err, &known) {
		if known.Code == 0 {
			return internalError()
		}
		// The outer text may hold more, but it is the SDK's own words.
		return &jsonrpc.Error{Code: known.Code, Message: known.Message, Data: known.Data}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) {
		// The client has left, or the server stops: nobody's mistake.
		return &jsonrpc.Error{Code: codeCancelled, Message: "Request cancelled"}
	}
	log.Error("internal error", "method", method, "error", err)
	return internalError()
}

// codeCancelled answers a cancelled request where an answer is due at all.
const codeCancelled = -32800

func internalError() error {
	return &jsonrpc.Error{Code: engine.CodeInternalError, Message: "Internal error"}
}

func invalidParams(why string) error {
	return &jsonrpc.Error{Code: engine.CodeInvalidParams, Message: "Invalid request parameters", Data: mustJSON(why)}
}

func mustJSON(s string) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return data
}
