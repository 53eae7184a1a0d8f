package reload

import (
	"fmt"
	"strings"
	"time"
)

// A Change is what a reload has done.
type Change struct {
	// Added, Removed and Changed are names of tools. A tool has changed when
	// clients see it differently or when code that it depends on has.
	Added, Removed, Changed []string
	// Compiled counts the files that were compiled; the others were kept.
	Compiled int
	// Took is how long loading took.
	Took time.Duration
}

// String is one line: ~ order_book  + cancel_order  - old_tool.
func (c *Change) String() string {
	var parts []string
	for _, list := range []struct {
		sign  string
		names []string
	}{{"~", c.Changed}, {"+", c.Added}, {"-", c.Removed}} {
		for _, name := range list.names {
			parts = append(parts, list.sign+" "+name)
		}
	}
	const most = 12
	if rest := len(parts) - most; rest > 1 {
		parts = append(parts[:most], fmt.Sprintf("and %d more", rest))
	}
	if len(parts) == 0 {
		parts = []string{"no tool has changed"}
	}
	return strings.Join(parts, "  ")
}
