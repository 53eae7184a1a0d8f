package load

import (
	"bytes"
	"slices"
)

// A Diff is what is different between two snapshots, as names of tools.
type Diff struct {
	Added, Removed, Changed []string
}

// Empty reports whether nothing is different.
func (d *Diff) Empty() bool { return len(d.Added)+len(d.Removed)+len(d.Changed) == 0 }

// Compare tells what s has that old has not. A tool has changed when a client
// sees it differently, or when any code that it depends on is written
// differently.
func (s *Snapshot) Compare(old *Snapshot) Diff {
	var d Diff
	for _, t := range s.Tools {
		before := old.Tool(t.Name)
		switch {
		case before == nil:
			d.Added = append(d.Added, t.Name)
		case !s.sameTool(t, old, before):
			d.Changed = append(d.Changed, t.Name)
		}
	}
	for _, t := range old.Tools {
		if s.Tool(t.Name) == nil {
			d.Removed = append(d.Removed, t.Name)
		}
	}
	return d
}

func (s *Snapshot) sameTool(t *Tool, old *Snapshot, before *Tool) bool {
	if t.Title != before.Title || t.Description != before.Description ||
		!bytes.Equal(t.InputSchema, before.InputSchema) || !bytes.Equal(t.OutputSchema, before.OutputSchema) ||
		!bytes.Equal(t.Annotations, before.Annotations) || !bytes.Equal(t.Icons, before.Icons) || !bytes.Equal(t.Meta, before.Meta) ||
		!slices.Equal(t.Scopes, before.Scopes) {
		return false
	}
	now, then := functionsOf(t.Plan), functionsOf(before.Plan)
	if slices.Equal(now, then) {
		return true // taken over, nothing was compiled
	}
	return codeOfFuncs(s.modules, now...) == codeOfFuncs(old.modules, then...)
}

// LifespanCode names what the lifespan's functions depend on; "" without one.
func (s *Snapshot) LifespanCode() string {
	if s.Start == nil {
		return ""
	}
	return codeOfFuncs(s.modules, s.Start, s.Stop)
}
