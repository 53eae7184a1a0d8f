package cover

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Report writes what no test has reached: for each file its lines, then tools,
// then the branches of resolvers.
func (c *Coverage) Report(w io.Writer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out strings.Builder
	for _, at := range sorted(c.files) {
		f := c.files[at]
		var missing []int
		for line, hit := range f.lines {
			if !hit {
				missing = append(missing, line)
			}
		}
		slices.Sort(missing)
		total := len(f.lines)
		percent := 100
		if total > 0 {
			percent = 100 * (total - len(missing)) / total
		}
		fmt.Fprintf(&out, "%s: %d%% of %d lines", shown(at), percent, total)
		if len(missing) > 0 {
			fmt.Fprintf(&out, ", not %s", ranges(missing))
		}
		out.WriteString("\n")
	}
	for _, at := range sorted(c.tools) {
		if t := c.tools[at]; !t.called {
			fmt.Fprintf(&out, "%s%s %s never ran\n", below(at.root), t.kind, at.name)
		}
	}
	for _, at := range sorted(c.resolvers) {
		if missing := c.missing(at); len(missing) > 0 {
			fmt.Fprintf(&out, "%sresolver %s: %s\n", below(at.root), at.name, strings.Join(missing, ", "))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// missing are the branches of a resolver that no test has reached.
func (c *Coverage) missing(at place) []string {
	r := c.resolvers[at]
	asks, computes, declines := r.asked, r.computed, r.declined
	module, name, _ := strings.Cut(at.name, ":")
	if f := c.files[place{at.root, module + ".star"}]; f != nil {
		asks, computes, declines = asks || f.asks[name], computes || f.computes[name], f.declines[name]
	}
	if !r.asked && !r.computed {
		return []string{"never ran"}
	}
	var list []string
	if asks && !r.asked {
		list = append(list, "never asked")
	}
	if computes && !r.computed {
		list = append(list, "never did without asking")
	}
	if declines && !r.declined {
		list = append(list, "never declined")
	}
	return list
}

func sorted[V any](m map[place]V) []place {
	return slices.SortedFunc(maps.Keys(m), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.name, b.name))
	})
}

// shown is a file as a person knows it.
func shown(at place) string {
	if strings.HasSuffix(at.root, ".txtar") {
		return at.root + " " + at.name
	}
	return filepath.Join(at.root, at.name)
}

// below says where a tool or a resolver is, unless that is right here.
func below(root string) string {
	if root == "." {
		return ""
	}
	return root + ": "
}

// ranges writes numbers with runs together: 3-5, 9.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(numbers[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
