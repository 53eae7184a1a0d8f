package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine"
)

// capabilities are the client's, as JSON: the request's own where it carries
// them, else those of the handshake.
func (c *call) capabilities() json.RawMessage {
	if c.modern {
		if raw, ok := c.req.Params.GetMeta()[mcp.MetaKeyClientCapabilities]; ok {
			if data, err := json.Marshal(raw); err == nil {
				return data
			}
		}
		return json.RawMessage(`{}`)
	}
	return handshakeCapabilities(c.req.Session)
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

// unknownTool tells the model that there is no such tool, and which it may have
// meant.
func (v *version) unknownTool(name string) string {
	const longest = 100
	if len(name) > longest {
		name = name[:longest] + "…"
	}
	text := "Unknown tool: " + name
	if near := engine.Nearest(name, v.names); near != "" {
		text += fmt.Sprintf(" (did you mean %s?)", near)
	}
	return text
}

// wellFormed makes text that can be written as JSON.
func wellFormed(text string) string {
	const longest = 20_000
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
