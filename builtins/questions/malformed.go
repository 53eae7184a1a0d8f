package questions

import (
	"encoding/json"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// Malformed reports whether an answer is none of the three results that a client
// can answer a question with. A request that carries such an answer is invalid
// as a whole, whether or not anybody asked for it.
func Malformed(answer json.RawMessage) bool {
	decoded, err := exactjson.Decode(answer, exactjson.Limits{})
	if err != nil {
		return true
	}
	for _, result := range []shape{elicitResult, samplingResult, rootsResult} {
		if _, m := result(decoded, reading); m == nil {
			return false
		}
	}
	return true
}
