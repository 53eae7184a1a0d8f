package questions

import (
	"bytes"
	"encoding/json"

	"github.com/mcpstar/mcpstar/engine"
)

// formElicitation is satisfied by a bare {"elicitation": {}} too, the only form
// there was before elicitation had modes. A client that names url and not form
// has said that it shows no forms.
func formElicitation() engine.Capability {
	return engine.Capability{
		Name:     "form elicitation",
		Required: json.RawMessage(`{"elicitation":{"form":{}}}`),
		Declared: func(capabilities json.RawMessage) bool {
			elicitation, ok := object(capabilities, "elicitation")
			if !ok {
				return false
			}
			_, form := object(elicitation, "form")
			return form || !has(elicitation, "url")
		},
	}
}

func urlElicitation() engine.Capability {
	return capability("url elicitation", `{"elicitation":{"url":{}}}`, "elicitation", "url")
}

func samplingCapability(withTools bool) engine.Capability {
	if withTools {
		return capability("sampling.tools", `{"sampling":{"tools":{}}}`, "sampling", "tools")
	}
	return capability("sampling", `{"sampling":{}}`, "sampling")
}

func rootsCapability() engine.Capability {
	return capability("roots", `{"roots":{}}`, "roots")
}

// capability is declared by an object at path.
func capability(name, required string, path ...string) engine.Capability {
	return engine.Capability{
		Name:     name,
		Required: json.RawMessage(required),
		Declared: func(capabilities json.RawMessage) bool {
			at, ok := capabilities, true
			for _, step := range path {
				if at, ok = object(at, step); !ok {
					return false
				}
			}
			return true
		},
	}
}

// object is the member of that name when it is an object itself.
func object(raw json.RawMessage, name string) (json.RawMessage, bool) {
	v := memberOf(raw, name)
	return v, bytes.HasPrefix(v, []byte("{"))
}

// has reports a member that is there and not null.
func has(raw json.RawMessage, name string) bool {
	v := memberOf(raw, name)
	return v != nil && !bytes.Equal(v, []byte("null"))
}

// memberOf reads through a map because a struct would match names in any case.
func memberOf(raw json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return bytes.TrimSpace(members[name])
}
