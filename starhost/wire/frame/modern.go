package frame

import (
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func itoa(n int) string { return strconv.Itoa(n) }

// rejected is the code by which the SDK knows that one message could not be sent and
// the connection is well.
const rejected = -32005

// modernSendable refuses what has no place in the envelope's era: a request to the
// client is an error for who made it, a change notification that no subscription asked
// for is dropped.
func modernSendable(req *jsonrpc.Request) (bool, error) {
	if req.IsCall() {
		return false, &jsonrpc.Error{Code: rejected, Message: "Cannot send '" + req.Method +
			"': this transport context has no back-channel for server-initiated requests."}
	}
	switch req.Method {
	case "notifications/tools/list_changed", "notifications/prompts/list_changed",
		"notifications/resources/list_changed", "notifications/resources/updated":
		return subscribed(req.Params), nil
	}
	return true, nil
}

// subscribed reports whether a notification names the subscription it belongs to.
func subscribed(params []byte) bool {
	found := false
	restoreMember(params, "_meta", func(meta []byte) []byte {
		restoreMember(meta, mcp.MetaKeySubscriptionID, func(id []byte) []byte {
			found = true
			return id
		})
		return meta
	})
	return found
}

// serverID is the SDK's own id of a request to the client.
func serverID(text string) jsonrpc.ID {
	n, _ := strconv.ParseInt(text, 10, 64)
	id, _ := jsonrpc.MakeID(float64(n))
	return id
}
