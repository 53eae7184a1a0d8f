package cover

import (
	"maps"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// word is what statements call. No author writes it.
const word = "__cover__"

// A Coverage collects what any number of hosts reach. The zero value is ready; it
// is safe for concurrent use.
type Coverage struct {
	mu    sync.Mutex
	files map[place]*file
	marks []mark // what each number that a statement calls with stands for
	index map[mark]int
	// resolvers are by the root and the wire key, tools by the root and the name.
	resolvers, tools map[place]*reached
}

// A place is a name below a root.
type place struct{ root, name string }

// file is what is known of one file.
type file struct {
	lines map[int]bool // whether a statement on it has run
	// Functions at its top that ask, that do without, and whose question a person
	// can decline, by name.
	asks, computes, declines map[string]bool
}

// reached is what became of a tool or of a resolver.
type reached struct {
	kind                              string // of a tool: "tool", "prompt", "resource"
	called, computed, asked, declined bool
}

// Watch makes a host that is opened with these options tell what it reaches. root
// is the folder of its scripts, or any name for them.
func (c *Coverage) Watch(root string, o *starhost.Options) {
	test := starhost.Test{}
	if o.Test != nil {
		test = *o.Test
	}
	o.Test = &test
	test.Instrument = func(path string, f *syntax.File) { c.instrument(root, path, f) }
	before := test.Observe
	test.Observe = func(tool string, e round.Event) {
		if before != nil {
			before(tool, e)
		}
		c.event(root, tool, e)
	}
	*o.Test = test
	words := maps.Clone(o.Words)
	if words == nil {
		words = starlark.StringDict{}
	}
	words[word] = starlark.NewBuiltin(word, c.hit)
	o.Words = words
}

// Loaded takes in what a host offers, so that what no test reaches is known.
func (c *Coverage) Loaded(root string, s *load.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range s.Tools {
		c.offer(root, "tool", t.Name, t.Plan)
	}
	for _, p := range s.Prompts {
		c.offer(root, "prompt", p.Name, p.Plan)
	}
	for _, r := range s.Resources {
		c.offer(root, "resource", r.URI, r.Plan)
	}
	for _, r := range s.Templates {
		c.offer(root, "", "", r.Plan) // it runs under many URIs
	}
}

// offer notes something that a server offers, and its resolvers. Without a plan
// nothing of it runs.
func (c *Coverage) offer(root, kind, name string, plan *graph.Plan) {
	if plan == nil {
		return
	}
	if kind != "" {
		c.at(&c.tools, root, name).kind = kind
	}
	for _, n := range plan.Resolvers {
		c.at(&c.resolvers, root, n.Key)
	}
}

func (c *Coverage) at(in *map[place]*reached, root, name string) *reached {
	if *in == nil {
		*in = map[place]*reached{}
	}
	key := place{root, name}
	if (*in)[key] == nil {
		(*in)[key] = &reached{}
	}
	return (*in)[key]
}

func (c *Coverage) event(root, tool string, e round.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.What == round.Ran {
		c.at(&c.tools, root, tool).called = true
		return
	}
	r := c.at(&c.resolvers, root, e.Key)
	switch e.What {
	case round.Computed:
		r.computed = true
	case round.Asks:
		r.asked = true
	case round.Answered:
		r.asked = true
		r.declined = r.declined || e.Action != engine.Accepted
	}
}
