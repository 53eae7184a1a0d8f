package load

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins"
	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/scripts"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// Options say what to load and what scripts find there.
type Options struct {
	// Root is the folder that scripts can't leave.
	Root fs.FS
	// Entry is the file or folder below Root that is the server; "" is ".".
	Entry string
	// Folder names the server of a folder that says no name itself.
	Folder string
	// Words are further names for scripts, beside mcpstar's own.
	Words starlark.StringDict
	// Resolvers are resolvers written in Go. Their functions must be among Words.
	Resolvers []*graph.Func
	// Print gets what scripts print while they load. Nil: it is dropped.
	Print func(thread *starlark.Thread, msg string)
	// Limits bound the loading of each file.
	Limits engine.Limits
	// Previous is the snapshot before this one: files that did not change, and
	// load nothing that did, are taken over from it.
	Previous *Snapshot
	// Version is mcpstar's own, for server(requires =).
	Version string
}

// Load loads a server. The error is a *[report.Error] with every problem of the
// scripts, or says why there is nothing to load. Load never runs tools,
// resolvers or lifespans.
func Load(ctx context.Context, options Options) (*Snapshot, error) {
	if options.Entry == "" {
		options.Entry = "."
	}
	files, err := entries(options.Root, options.Entry)
	if err != nil {
		return nil, err
	}
	if options.Print == nil {
		options.Print = func(*starlark.Thread, string) {}
	}
	l := &loader{
		ctx:     ctx,
		options: &options,
		tree:    tree{root: options.Root, std: scripts.Std()},
		words:   builtins.Words(),
		modules: map[string]*module{},
	}
	if err := addWords(l.words, options.Words); err != nil {
		return nil, err
	}
	for _, f := range files {
		l.module(f)
	}
	s := l.snapshot()
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	engine.SortProblems(l.problems)
	if err := report.New(l.problems, s.Sources); err != nil {
		return nil, err
	}
	s.Warnings = l.problems
	return s, nil
}

// addWords adds the embedder's words. One that hides a word of ours is refused:
// scripts would mean something else in that program.
func addWords(words, more starlark.StringDict) error {
	for _, name := range more.Keys() {
		if words.Has(name) {
			return fmt.Errorf("the word %q is mcpstar's own and can't be replaced", name)
		}
		more[name].Freeze()
		words[name] = more[name]
	}
	return nil
}

// snapshot puts together what all files declare.
func (l *loader) snapshot() *Snapshot {
	for _, m := range l.order {
		if m.ok {
			l.forms(m)
		}
	}
	s := &Snapshot{
		Name:     defaultName(l.options.Entry, l.options.Folder),
		Tools:    l.tools(),
		Code:     codeOf(l.read()),
		Sources:  report.Sources{},
		Files:    slices.Sorted(maps.Keys(l.modules)),
		Compiled: l.compiled,
		modules:  l.modules,
		tools:    map[string]*Tool{},
	}
	for path, m := range l.modules {
		s.Sources[path] = m.text
	}
	for _, t := range s.Tools {
		s.tools[t.Name] = t
	}
	l.server(s)
	l.lifespan(s)
	return s
}

// read are the modules that could be read, in the order of their names.
func (l *loader) read() []*module {
	var list []*module
	for _, path := range slices.Sorted(maps.Keys(l.modules)) {
		if m := l.modules[path]; m.source != nil {
			list = append(list, m)
		}
	}
	return list
}

// server takes in the one server(...).
func (l *loader) server(s *Snapshot) {
	var first *declare.Server
	for _, m := range l.order {
		for _, d := range m.declared.Servers {
			d.Span = l.whole(d.Span)
			if first != nil {
				l.report(onlyOnce("server", d.Span, first.Span))
				continue
			}
			first = d
		}
	}
	if first == nil {
		return
	}
	take(&s.Name, first.Name)
	take(&s.Title, first.Title)
	take(&s.Version, first.Version)
	take(&s.Instructions, first.Instructions)
	take(&s.WebsiteURL, first.WebsiteURL)
	s.Icons = first.Icons
	if first.Requires != nil {
		if p := requires(*first.Requires, l.options.Version, first.Span); p != nil {
			l.report(p)
		}
	}
}

func take(to *string, from *string) {
	if from != nil {
		*to = *from
	}
}

// lifespan takes in the one lifespan(...).
func (l *loader) lifespan(s *Snapshot) {
	var first *declare.Lifespan
	for _, m := range l.order {
		for _, d := range m.declared.Lifespan {
			d.Span = l.whole(d.Span)
			if first != nil {
				l.report(onlyOnce("lifespan", d.Span, first.Span))
				continue
			}
			first = d
			s.Start, s.Stop = d.Start, d.Stop
		}
	}
}

func onlyOnce(word string, again, first engine.Span) *engine.Problem {
	return &engine.Problem{
		Code:    "duplicate-" + word,
		Message: word + "() is said twice",
		At:      engine.Label{Span: again, Text: "again here"},
		Also:    []engine.Label{{Span: first, Text: "first here"}},
		Help:    "a server has one; keep one of them",
	}
}
