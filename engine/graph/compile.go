package graph

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A Compiler compiles the tools of one load. It remembers what it has seen, so
// that wire keys are unique over all of them and a mistake in a resolver that
// several tools share is reported once. It is not safe for concurrent use.
type Compiler struct {
	// Lookup describes a function named in resolve(). It returns nil for one
	// that can't be a resolver, which the caller has reported already.
	Lookup func(starlark.Callable) *Func

	keyOf    map[starlark.Callable]keyed
	funcOf   map[string]keyed
	reported map[string]bool
	problems []*engine.Problem
}

type keyed struct {
	key  string
	fn   *Func
	span engine.Span
}

// Problems are all problems found so far.
func (c *Compiler) Problems() []*engine.Problem { return c.problems }

// Compile makes the plan of a tool, a prompt or a resource, whose body is tool. kind
// and name say what it is in messages: "tool", "order_book". A nil plan means that problems were found.
func (c *Compiler) Compile(kind, name string, tool *Func) *Plan {
	before := len(c.problems)
	w := &walk{
		compiler: c,
		label:    kind + " " + name,
		tool:     tool,
		nodes:    map[starlark.Callable]*Node{},
		plan:     &Plan{Kind: kind},
	}
	for _, p := range tool.Params {
		if p.Resolve == nil && p.Name != ContextParam && !p.Rest {
			w.plan.Arguments = append(w.plan.Arguments, p.Name)
		}
	}
	w.plan.Tool = &Node{Func: tool, Index: -1}
	w.fill(w.plan.Tool)
	if len(c.problems) > before || w.broken {
		return nil
	}
	return w.plan
}

// walk compiles one tool.
type walk struct {
	compiler *Compiler
	label    string
	tool     *Func
	plan     *Plan
	nodes    map[starlark.Callable]*Node // finished ones
	path     []edge                      // from the tool to where we are
	broken   bool                        // something is wrong that was reported earlier
}

type edge struct {
	from  *Func
	param *Param
}

// fill classifies the parameters of a node and visits what they depend on.
func (w *walk) fill(n *Node) {
	isTool := n == w.plan.Tool
	for i := range n.Func.Params {
		p := &n.Func.Params[i]
		switch {
		case p.Rest:
			stars := "*"
			if p.Named {
				stars = "**"
			}
			w.report("rest-parameter", n.Func, p, fmt.Sprintf("%s() takes %s%s, which nobody can fill", n.Func.Name, stars, p.Name),
				engine.Label{Span: p.Span}, "name each parameter")
		case p.Resolve != nil:
			w.resolved(n, p)
		case p.Name == ContextParam:
			if p.Type != nil {
				w.report("typed-context", n.Func, p, "ctx is the call's context and takes no type",
					engine.Label{Span: p.typeOrName()}, "write `ctx` alone, or give the parameter another name")
			}
			n.Inputs = append(n.Inputs, Input{Param: p.Name, Kind: FromContext, KeywordOnly: p.KeywordOnly})
		case isTool:
			at := slices.Index(w.plan.Arguments, p.Name)
			n.Inputs = append(n.Inputs, Input{Param: p.Name, Kind: FromArgument, Argument: at, KeywordOnly: p.KeywordOnly})
		default:
			w.byName(n, p)
		}
	}
}

func (w *walk) resolved(n *Node, p *Param) {
	target := p.Resolve.Target
	w.path = append(w.path, edge{from: n.Func, param: p})
	defer func() { w.path = w.path[:len(w.path)-1] }()

	for i, e := range w.path {
		if e.from.Call == target {
			w.cycle(w.path[i:])
			return
		}
	}
	dep := w.nodes[target]
	if dep == nil {
		fn := w.compiler.Lookup(target)
		if fn == nil {
			w.broken = true
			return
		}
		dep = &Node{Func: fn, Key: w.compiler.key(fn, p)}
		w.fill(dep)
		dep.Index = len(w.plan.Resolvers)
		w.plan.Resolvers = append(w.plan.Resolvers, dep)
		w.nodes[target] = dep
	} else {
		w.compiler.key(dep.Func, p) // a second key for it is an error
	}
	n.Inputs = append(n.Inputs, Input{
		Param: p.Name, Kind: FromResolver, Resolver: dep, Outcome: p.Resolve.Outcome, KeywordOnly: p.KeywordOnly,
	})
}

// byName matches a resolver's parameter with the tool's own argument.
func (w *walk) byName(n *Node, p *Param) {
	at := slices.Index(w.plan.Arguments, p.Name)
	if at < 0 {
		w.unknown(n, p)
		return
	}
	n.Inputs = append(n.Inputs, Input{Param: p.Name, Kind: FromArgument, Argument: at, KeywordOnly: p.KeywordOnly})
	arg := w.toolParam(p.Name)
	if p.Type == nil || arg.Type == nil || p.Type.TypeName() == arg.Type.TypeName() {
		return
	}
	w.reportAlso("type-clash", n.Func, p,
		fmt.Sprintf("%q is %s in %s but %s in resolver %s()", p.Name, arg.Type.TypeName(), w.label, p.Type.TypeName(), n.Func.Name),
		engine.Label{Span: p.typeOrName(), Text: p.Type.TypeName() + " here"},
		[]engine.Label{{Span: arg.typeOrName(), Text: arg.Type.TypeName() + " here"}},
		fmt.Sprintf("drop the type in the resolver: the value is the tool's, so `%s` is enough", p.Name))
}

func (w *walk) unknown(n *Node, p *Param) {
	message := fmt.Sprintf("resolver %s() wants %q, which is not an argument of %s", n.Func.Name, p.Name, w.label)
	label := engine.Label{Span: p.Span, Text: "no argument of that name in " + w.label}
	also := []engine.Label{{Span: w.tool.Span, Text: "the arguments of " + w.label + " are declared here"}}

	help := ""
	switch same := w.toolParam(p.Name); {
	case same != nil && same.Resolve != nil:
		message = fmt.Sprintf("resolver %s() wants %q, which in %s is itself resolved", n.Func.Name, p.Name, w.label)
		label.Text = "only arguments from the model are matched by name"
		also = []engine.Label{{Span: same.Resolve.Span, Text: "filled by a resolver here"}}
		help = fmt.Sprintf("write `%s: resolve(fn)` with that resolver here too", p.Name)
	case engine.Nearest(p.Name, w.plan.Arguments) != "":
		help = engine.DidYouMean(p.Name, w.plan.Arguments)
	case len(w.plan.Arguments) == 0:
		help = fmt.Sprintf("%s has no arguments; write `%s: resolve(fn)`, or `ctx` for the call's context", w.label, p.Name)
	default:
		help = fmt.Sprintf("%s has %s; or write `%s: resolve(fn)`", w.label, strings.Join(w.plan.Arguments, ", "), p.Name)
	}
	w.reportAlso("unknown-parameter", n.Func, p, message, label, also, help)
}

func (w *walk) toolParam(name string) *Param {
	for i := range w.tool.Params {
		if w.tool.Params[i].Name == name {
			return &w.tool.Params[i]
		}
	}
	return nil
}

// cycle reports a ring of resolvers with the place of every edge. The same ring
// met from another tool or another of its members is not reported again.
func (w *walk) cycle(ring []edge) {
	w.broken = true
	first := 0
	for i := range ring {
		if edgeName(ring[i]) < edgeName(ring[first]) {
			first = i
		}
	}
	ring = append(slices.Clone(ring[first:]), ring[:first]...)

	var names []string
	var labels []engine.Label
	for i, e := range ring {
		to := ring[(i+1)%len(ring)].from.Name
		names = append(names, e.from.Name)
		labels = append(labels, engine.Label{Span: e.param.Resolve.Span, Text: fmt.Sprintf("%s needs %s", e.from.Name, to)})
	}
	names = append(names, ring[0].from.Name)
	path := strings.Join(names, " -> ")
	w.compiler.once("cycle "+path+labels[0].Span.Start.String(), &engine.Problem{
		Code:    "cycle",
		Message: "resolvers depend on each other: " + path,
		At:      labels[0],
		Also:    labels[1:],
		Help:    "one of them must get its value another way: from an argument, or from a function both call",
		Notes:   []string{"reached from " + w.label},
	})
}

func edgeName(e edge) string { return e.from.Name + e.param.Span.Start.String() }

func (w *walk) report(code string, fn *Func, p *Param, message string, at engine.Label, help string) {
	w.reportAlso(code, fn, p, message, at, nil, help)
}

func (w *walk) reportAlso(code string, fn *Func, p *Param, message string, at engine.Label, also []engine.Label, help string) {
	w.broken = true
	w.compiler.once(fmt.Sprintf("%s %s %s %s", code, fn.Span.Start, p.Name, message), &engine.Problem{
		Code: code, Message: message, At: at, Also: also, Help: help,
	})
}

// once adds a problem unless the same one is there.
func (c *Compiler) once(id string, p *engine.Problem) {
	if c.reported[id] {
		return
	}
	if c.reported == nil {
		c.reported = map[string]bool{}
	}
	c.reported[id] = true
	c.problems = append(c.problems, p)
}
