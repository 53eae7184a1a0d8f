package wire

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// capabilities are the client's, as JSON: the request's own where it carries
// them, else those of the handshake.
func (c *call) capabilities() json.RawMessage {
	if c.req.modern {
		if raw, ok := c.req.meta[mcp.MetaKeyClientCapabilities]; ok {
			if data, err := json.Marshal(raw); err == nil {
				return data
			}
		}
		return json.RawMessage(`{}`)
	}
	return handshakeCapabilities(c.req.session)
}

// handshakeCapabilities are what the client declared in initialize. The SDK
// keeps them in a struct whose roots member is there even when none was sent.
func handshakeCapabilities(session *mcp.ServerSession) json.RawMessage {
	params := session.InitializeParams()
	if params == nil || params.Capabilities == nil {
		return json.RawMessage(`{}`)
	}
	caps := params.Capabilities
	declared := map[string]any{}
	if caps.RootsV2 != nil {
		declared["roots"] = caps.RootsV2
	}
	if caps.Sampling != nil {
		declared["sampling"] = caps.Sampling
	}
	if caps.Elicitation != nil {
		declared["elicitation"] = caps.Elicitation
	}
	if len(caps.Experimental) > 0 {
		declared["experimental"] = caps.Experimental
	}
	data, err := json.Marshal(declared)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return data
}

// wellFormed makes text that can be written as JSON.
func wellFormed(text string) string {
	const longest = 20_000
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
