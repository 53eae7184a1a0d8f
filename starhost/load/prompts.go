package load

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// A Prompt is one prompt of a [Snapshot].
type Prompt struct {
	Name        string
	Title       string // "" without
	Description string
	// Function is the name of the function: errors use it.
	Function string
	// Parameters are the prompt's arguments. What comes for them is text.
	Parameters types.Parameters
	// Returns is the type after ->, or nil.
	Returns engine.Type
	// Icons and Meta are wire JSON, or nil.
	Icons, Meta json.RawMessage
	// Enabled says that it is on the list when the server starts.
	Enabled bool
	// Plan is the compiled graph of resolvers.
	Plan *graph.Plan
	// Completions complete arguments, by name.
	Completions map[string]*Completion
}

// Prompt is the prompt of that name, or nil.
func (s *Snapshot) Prompt(name string) *Prompt { return s.prompts[name] }

// prompts makes the prompts of all files.
func (l *loader) prompts(s *Snapshot, fns *functions, compiler *graph.Compiler) {
	declared := map[string]engine.Span{}
	for _, m := range l.order {
		if !m.ran {
			continue
		}
		for _, d := range m.declared.Prompts {
			d.Span = l.whole(d.Span)
			p := l.prompt(d, fns)
			if p == nil {
				continue
			}
			if first, ok := declared[p.Name]; ok {
				l.duplicate("prompt", fmt.Sprintf("are named %q", p.Name), d.Span, first,
					fmt.Sprintf("give one another name: prompt(%s, name = \"...\")", d.Func.Name()))
				continue
			}
			declared[p.Name] = d.Span
			p.Plan = l.plan(compiler, "prompt", p.Name, fns.lookup(d.Func))
			s.Prompts, s.prompts[p.Name] = append(s.Prompts, p), p
		}
	}
	slices.SortFunc(s.Prompts, func(a, b *Prompt) int { return strings.Compare(a.Name, b.Name) })
}

// prompt makes one prompt, all but its plan; nil if it can't have a name.
func (l *loader) prompt(d *declare.Prompt, fns *functions) *Prompt {
	name, ok := l.named("prompt", d.Name, d.Func, d.Span)
	if !ok {
		return nil
	}
	p := &Prompt{
		Name: name, Function: d.Func.Name(), Icons: d.Icons, Meta: d.Meta, Enabled: d.Enabled,
		Completions: map[string]*Completion{},
	}
	l.checkName("prompt", name, d.Span)
	doc := declare.ParseDoc(d.Func.Doc())
	p.Description = doc.Description
	take(&p.Title, d.Title)
	take(&p.Description, d.Description)
	g := fns.lookup(d.Func)
	p.Returns, _ = withoutManual(g.Returns)
	p.Parameters = l.parameters("prompt", true, d.Func, g, &doc)
	l.checkDoc(d.Func, g, &doc)
	for i := range p.Parameters {
		l.textParameter("prompt", d.Func, &p.Parameters[i], g)
	}
	return p
}

// argumentNames are the names of parameters.
func argumentNames(ps types.Parameters) []string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.Name
	}
	return names
}
