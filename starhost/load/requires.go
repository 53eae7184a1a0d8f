package load

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
)

// requires checks server(requires = ">=0.1") against the running version.
func requires(want, have string, span engine.Span) *engine.Problem {
	text, ok := strings.CutPrefix(strings.TrimSpace(want), ">=")
	least, err := version(text)
	if !ok || err != nil {
		return &engine.Problem{
			Code:    "requires",
			Message: fmt.Sprintf("requires = %q is not understood", want),
			At:      engine.Label{Span: span},
			Help:    `write the least version: requires = ">=0.1"`,
		}
	}
	running, err := version(have)
	if err != nil {
		return nil // a development build
	}
	for i := range least {
		switch {
		case running[i] > least[i]:
			return nil
		case running[i] < least[i]:
			return &engine.Problem{
				Code:    "requires",
				Message: fmt.Sprintf("this server requires mcpstar %s, and this is %s", want, have),
				At:      engine.Label{Span: span},
				Help:    "install a newer mcpstar",
			}
		}
	}
	return nil
}

// version reads "1.2.3"; missing parts are zero.
func version(text string) (parts [3]int, err error) {
	text, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "v"), "-")
	fields := strings.Split(text, ".")
	if len(fields) > len(parts) {
		return parts, fmt.Errorf("not a version: %q", text)
	}
	for i, f := range fields {
		if parts[i], err = strconv.Atoi(f); err != nil {
			return parts, err
		}
	}
	return parts, nil
}
