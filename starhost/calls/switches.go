package calls

import (
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// switches are what scripts have switched on and off while the server runs: by kind
// and name, beside what is declared.
type switches map[subjectName]bool

type subjectName struct{ kind, name string }

// on reports whether something is on the lists.
func (s switches) on(kind, name string, declared bool) bool {
	if on, ok := s[subjectName{kind, name}]; ok {
		return on
	}
	return declared
}

// keep forgets what a new version decides itself: what is gone, and what is declared
// otherwise than before.
func (s switches) keep(before, now *load.Snapshot) {
	for what := range s {
		old, _ := declared(before, what)
		if on, there := declared(now, what); !there || on != old {
			delete(s, what)
		}
	}
}

// declared is how something is declared, and whether it is at all.
func declared(s *load.Snapshot, what subjectName) (on, there bool) {
	switch what.kind {
	case "tool":
		if t := s.Tool(what.name); t != nil {
			return t.Enabled, true
		}
	case "prompt":
		if p := s.Prompt(what.name); p != nil {
			return p.Enabled, true
		}
	case "resource":
		if r := s.Resource(what.name); r != nil {
			return r.Enabled, true
		}
	}
	return false, false
}

// SetEnabled implements callctx.Host: from the next request on clients see the
// difference, and they are told of it.
func (r *Runner) SetEnabled(kind, name string, on bool) error {
	r.publish.Lock()
	defer r.publish.Unlock()
	v := r.current.Load()
	what, err := nameOf(v.snapshot, kind, name)
	if err != nil {
		return err
	}
	r.switched[what] = on
	before, now := v.offer.Load(), newOffer(v.snapshot, r.switched)
	v.offer.Store(now)
	r.audience.Offered(before, now)
	return nil
}

// nameOf finds out what a name means that may be a tool's, a prompt's or a URI.
func nameOf(s *load.Snapshot, kind, name string) (subjectName, error) {
	kinds := []string{"tool", "prompt", "resource"}
	if kind != "" {
		kinds = []string{kind}
	}
	var found []subjectName
	for _, k := range kinds {
		if _, there := declared(s, subjectName{k, name}); there {
			found = append(found, subjectName{k, name})
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		var names []string
		for _, t := range s.Tools {
			names = append(names, t.Name)
		}
		for _, p := range s.Prompts {
			names = append(names, p.Name)
		}
		for _, r := range s.Resources {
			names = append(names, r.URI)
		}
		for _, r := range s.Templates {
			names = append(names, r.URI)
		}
		what := "tool, prompt or resource"
		if kind != "" {
			what = kind
		}
		return subjectName{}, fmt.Errorf("set_enabled: there is no %s %q%s", what, name, nearest(name, names))
	}
	return subjectName{}, &engine.Failure{Text: fmt.Sprintf(
		"set_enabled: %q is a %s and a %s; write set_enabled(%q, ..., kind = %q)", name, found[0].kind, found[1].kind, name, found[0].kind)}
}
