package calls

import "strings"

// wellFormed makes text that can be written as JSON.
func wellFormed(text string) string {
	const longest = 20_000
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
