package engine

import "strings"

// withRemedy adds what to do to the interpreter's own messages where they leave
// an author alone. Everything a script shares is frozen, so this is the message
// that authors meet most.
func withRemedy(msg string) string {
	switch {
	case strings.Contains(msg, "copy it:"):
		return msg
	case strings.Contains(msg, "frozen list") || strings.Contains(msg, "value of frozen list"):
		return msg + " (what functions share can't be changed; copy it: list(x))"
	case strings.Contains(msg, "frozen hash table") || strings.Contains(msg, "frozen dict"):
		return msg + " (what functions share can't be changed; copy it: dict(x), or set(x) for a set)"
	}
	return msg
}
