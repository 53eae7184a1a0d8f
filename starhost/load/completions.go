package load

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// A Completion suggests what an argument of a prompt, or a variable of a template, may
// be.
type Completion struct {
	// Func takes Params, in this order and by name: "value" is what was typed so far,
	// "ctx" the context, all else another argument that is known already, or None.
	Func   *starlark.Function
	Params []string
	// Choices are suggested without Func: what the argument's type leaves.
	Choices []string
}

// completions takes in what completes which argument.
func (l *loader) completions(s *Snapshot, fns *functions) {
	for _, p := range s.Prompts {
		choices(p.Completions, p.Parameters)
	}
	for _, r := range s.Templates {
		choices(r.Completions, r.Parameters)
	}
	declared := map[*Completion]*declare.Completion{}
	for _, m := range l.order {
		if !m.ran {
			continue
		}
		for _, d := range m.declared.Completions {
			d.Span = l.whole(d.Span)
			l.completion(s, d, fns, declared)
		}
	}
}

func choices(to map[string]*Completion, ps types.Parameters) {
	for _, p := range ps {
		if texts := types.TextChoices(p.Field.Type); texts != nil {
			to[p.Name] = &Completion{Choices: texts}
		}
	}
}

// completion takes in one, for everything that its function or URI makes.
func (l *loader) completion(s *Snapshot, d *declare.Completion, fns *functions, declared map[*Completion]*declare.Completion) {
	found := false
	take := func(what string, to map[string]*Completion, ps types.Parameters) {
		found = true
		names := argumentNames(ps)
		if !slices.Contains(names, d.Argument) {
			l.unknownArgument(what, names, d)
			return
		}
		if before := to[d.Argument]; before != nil && before.Func != nil {
			l.duplicate("completion", fmt.Sprintf("complete %q of %s", d.Argument, what), d.Span, declared[before].Span, "keep one of them")
			return
		}
		c := l.completer(what, names, d, fns)
		if c == nil {
			return
		}
		to[d.Argument] = c
		declared[c] = d
	}
	for _, p := range s.Prompts {
		if p.Plan != nil && d.Of != nil && p.Plan.Tool.Func.Call == d.Of {
			take("prompt "+p.Name, p.Completions, p.Parameters)
		}
	}
	for _, r := range s.Templates {
		if d.Of == nil && r.URI == d.URI || r.Plan != nil && d.Of != nil && r.Plan.Tool.Func.Call == d.Of {
			take("template "+r.URI, r.Completions, r.Parameters)
		}
	}
	if !found {
		l.unknownTarget(s, d)
	}
}

func (l *loader) unknownArgument(what string, names []string, d *declare.Completion) {
	help := engine.DidYouMean(d.Argument, names)
	if help == "" {
		help = "it has no arguments to complete"
		if len(names) > 0 {
			help = "it has " + few(names)
		}
	}
	l.report(&engine.Problem{
		Code: "unknown-argument", Message: fmt.Sprintf("%s has no argument %q", what, d.Argument),
		At: engine.Label{Span: d.Span}, Help: help,
	})
}

func (l *loader) unknownTarget(s *Snapshot, d *declare.Completion) {
	p := &engine.Problem{Code: "unknown-completion", At: engine.Label{Span: d.Span}}
	if d.Of != nil {
		for _, m := range l.order {
			for _, other := range m.declared.Prompts {
				if other.Func == d.Of {
					return // it has a problem of its own
				}
			}
			for _, other := range m.declared.Resources {
				if other.Func == d.Of && s.Resource(other.URI) == nil {
					return
				}
			}
		}
		p.Message = fmt.Sprintf("%s() is neither a prompt nor a template", d.Of.Name())
		p.Help = fmt.Sprintf("declare it: prompt(%s)", d.Of.Name())
	} else {
		var uris []string
		for _, r := range s.Templates {
			uris = append(uris, r.URI)
		}
		p.Message, p.Help = fmt.Sprintf("there is no template %q", d.URI), engine.DidYouMean(d.URI, uris)
		if p.Help == "" {
			p.Help = `declare it: resource("` + d.URI + `", fn)`
		}
	}
	l.report(p)
}

// completer checks the function that completes.
func (l *loader) completer(what string, names []string, d *declare.Completion, fns *functions) *Completion {
	c := &Completion{Func: d.Func}
	g := fns.lookup(d.Func)
	for _, p := range g.Params {
		known := p.Name == "value" || p.Name == graph.ContextParam || slices.Contains(names, p.Name)
		if p.Resolve == nil && !p.Rest && known && !p.KeywordOnly {
			c.Params = append(c.Params, p.Name)
			continue
		}
		help := engine.DidYouMean(p.Name, names)
		if help == "" {
			help = "it takes `value`, what was typed so far; `ctx`; and other arguments by name"
		}
		l.report(&engine.Problem{
			Code:    "completion-parameter",
			Message: fmt.Sprintf("%s() completes %q of %s and takes %q, which nothing fills", d.Func.Name(), d.Argument, what, p.Name),
			At:      engine.Label{Span: p.Span}, Help: help,
		})
		return nil
	}
	return c
}
