package questions_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNeeds(t *testing.T) {
	everything := `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{"listChanged":true}}`
	for _, c := range []struct {
		ask, name, required string
		declared, not       []string
	}{
		{
			`elicit("?", Backorder)`, "form elicitation", `{"elicitation":{"form":{}}}`,
			[]string{
				`{"elicitation":{}}`, `{"elicitation":{"form":{}}}`, `{"elicitation":{"form":{},"url":{}}}`,
				`{"elicitation":{"url":null}}`, ` { "elicitation" : { } } `, `{"elicitation":{"form":{"x":1}}}`, `{"elicitation":{"x":{}}}`,
			},
			[]string{
				`{"elicitation":{"url":{}}}`, `{"elicitation":{"form":null,"url":{}}}`, `{"elicitation":null}`,
				`{"elicitation":true}`, `{"Elicitation":{}}`, `{"sampling":{},"roots":{}}`,
			},
		},
		{
			`elicit_url("?", "https://a.example/")`, "url elicitation", `{"elicitation":{"url":{}}}`,
			[]string{`{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{},"url":{}}}`},
			[]string{`{"elicitation":{}}`, `{"elicitation":{"form":{}}}`, `{"elicitation":{"url":null}}`, `{"elicitation":{"URL":{}}}`},
		},
		{
			`sample("?", max_tokens = 1)`, "sampling", `{"sampling":{}}`,
			[]string{`{"sampling":{}}`, `{"sampling":{"tools":{}}}`, `{"sampling":{"context":{}}}`},
			[]string{`{"sampling":null}`, `{"sampling":[]}`, `{"elicitation":{},"roots":{}}`},
		},
		{
			`sample("?", max_tokens = 1, tools = [])`, "sampling.tools", `{"sampling":{"tools":{}}}`,
			[]string{`{"sampling":{"tools":{}}}`},
			[]string{`{"sampling":{}}`, `{"sampling":{"tools":null}}`, `{"tools":{}}`},
		},
		{
			`sample("?", max_tokens = 1, tool_choice = {"mode": "none"})`, "sampling.tools", `{"sampling":{"tools":{}}}`,
			[]string{`{"sampling":{"tools":{"x":1}}}`},
			[]string{`{"sampling":{"context":{}}}`},
		},
		{
			`list_roots()`, "roots", `{"roots":{}}`,
			[]string{`{"roots":{}}`, `{"roots":{"listChanged":false}}`},
			[]string{`{"roots":null}`, `{"elicitation":{},"sampling":{}}`},
		},
	} {
		t.Run(c.ask, func(t *testing.T) {
			needs := ask(t, c.ask).Needs()
			require.Equal(t, c.name, needs.Name)
			require.Equal(t, c.required, string(needs.Required))
			require.True(t, needs.Declared(needs.Required), "what is required is enough")
			for _, capabilities := range append(c.declared, everything) {
				require.True(t, needs.Declared(json.RawMessage(capabilities)), capabilities)
			}
			for _, capabilities := range append(c.not, ``, `{}`, `null`, `[]`, `"x"`, `{`) {
				require.False(t, needs.Declared(json.RawMessage(capabilities)), capabilities)
			}
			require.False(t, needs.Declared(nil))
		})
	}
}
