package load

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Diff is what is different between two snapshots: names of tools, "prompt NAME",
// and URIs of resources and templates.
type Diff struct {
	Added, Removed, Changed []string
}

// Empty reports whether nothing is different.
func (d *Diff) Empty() bool { return len(d.Added)+len(d.Removed)+len(d.Changed) == 0 }

// Compare tells what s has that old has not. A tool, prompt or resource has changed
// when a client sees it differently, or when any code that it depends on is written
// differently.
func (s *Snapshot) Compare(old *Snapshot) Diff {
	var d Diff
	now, then := s.offers(), old.offers()
	before := map[string]offered{}
	for _, o := range then {
		before[o.name] = o
	}
	for _, o := range now {
		was, ok := before[o.name]
		delete(before, o.name)
		switch {
		case !ok:
			d.Added = append(d.Added, o.name)
		case !s.same(o, old, was):
			d.Changed = append(d.Changed, o.name)
		}
	}
	for _, o := range then {
		if _, gone := before[o.name]; gone {
			d.Removed = append(d.Removed, o.name)
		}
	}
	return d
}

// An offered is something that clients see.
type offered struct {
	name      string
	shown     []any // what they see of it
	functions []*starlark.Function
}

// offers are all that a snapshot shows, in the order of their names.
func (s *Snapshot) offers() []offered {
	var list []offered
	for _, t := range s.Tools {
		list = append(list, offered{t.Name, []any{
			t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations, t.Icons, t.Meta, t.Scopes, t.Enabled,
		}, functionsOf(t.Plan)})
	}
	for _, p := range s.Prompts {
		list = append(list, offered{"prompt " + p.Name, []any{
			p.Title, p.Description, json.RawMessage(exactjson.MustMarshal(p.Parameters.Schema(""))), p.Icons, p.Meta, p.Enabled,
		}, completing(functionsOf(p.Plan), p.Completions)})
	}
	for _, r := range slices.Concat(s.Resources, s.Templates) {
		list = append(list, offered{r.URI, []any{
			r.Name, r.Title, r.Description, r.MIMEType, r.Text, r.Size, r.Annotations, r.Icons, r.Meta, r.Cache, r.Enabled,
		}, completing(functionsOf(r.Plan), r.Completions)})
	}
	return list
}

// completing adds the functions that complete arguments.
func completing(list []*starlark.Function, by map[string]*Completion) []*starlark.Function {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if fn := by[name].Func; fn != nil {
			list = append(list, fn)
		}
	}
	return list
}

func (s *Snapshot) same(o offered, old *Snapshot, before offered) bool {
	for i, v := range o.shown {
		text, isJSON := v.(json.RawMessage)
		if was, ok := before.shown[i].(json.RawMessage); isJSON && ok {
			if !bytes.Equal(text, was) {
				return false
			}
		} else if !reflect.DeepEqual(v, before.shown[i]) {
			return false
		}
	}
	if slices.Equal(o.functions, before.functions) {
		return true // taken over, nothing was compiled
	}
	return codeOfFuncs(s.modules, o.functions...) == codeOfFuncs(old.modules, before.functions...)
}

// LifespanCode names what the lifespan's functions depend on; "" without one.
func (s *Snapshot) LifespanCode() string {
	if s.Start == nil {
		return ""
	}
	return codeOfFuncs(s.modules, s.Start, s.Stop)
}
