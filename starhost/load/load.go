package load

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

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
	// Timeout bounds the whole load. 0 is 5 seconds.
	Timeout time.Duration
	// Previous is the snapshot before this one: files that did not change, and
	// load nothing that did, are taken over from it.
	Previous *Snapshot
	// Read is told of each file that was read, with the sum of the very bytes that
	// are loaded, and of each that could not be read, with a zero sum. May be nil.
	Read func(path string, sum Sum)
	// Version is mcpstar's own, for server(requires =).
	Version string
	// TestWords are further names for test files, *_test.star, only.
	TestWords starlark.StringDict
	// Instrument may add to the tree of each file before it is compiled. May be nil.
	Instrument func(path string, file *syntax.File)
}

// DefaultTimeout is how long a load may take, unless [Options.Timeout] says so.
const DefaultTimeout = 5 * time.Second

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
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	bounded, cancel := context.WithTimeoutCause(ctx, options.Timeout, &engine.Interrupt{
		Text: fmt.Sprintf("stopped after %v: does a loop end?", options.Timeout),
	})
	defer cancel()
	l := &loader{
		ctx:     bounded,
		options: &options,
		tree:    tree{root: options.Root, std: scripts.Std()},
		words:   builtins.Words(),
		modules: map[string]*module{},
		told:    map[string]bool{},
	}
	if err := addWords(l.words, options.Words); err != nil {
		return nil, err
	}
	s, stuck := l.inTime(files)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case stuck != nil:
		return nil, stuck
	}
	// What ran can hold on to its loader. That must not hold on to all loads before.
	options.Previous = nil
	l.tooSlow(files[0])
	engine.SortProblems(l.problems)
	l.problems = fewEach(l.problems)
	if err := report.New(l.problems, s.Sources); err != nil {
		return nil, err
	}
	s.Warnings = l.problems
	return s, nil
}

// grace is how long after its time a load may take to notice.
const grace = 500 * time.Millisecond

// inTime loads the files, or says where it is stuck. The interpreter stops between
// two of its instructions; one that takes for ever, such as the hash of a tuple
// that holds another a billion times, is left to itself: a server that can't start
// ends anyway, and one that reloads serves on.
func (l *loader) inTime(files []string) (*Snapshot, error) {
	done := make(chan *Snapshot, 1)
	go func() { done <- l.load(files) }()
	select {
	case s := <-done:
		return s, nil
	case <-l.ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case s := <-done:
		return s, nil
	case <-late.C:
	}
	at, _ := l.current.Load().(string)
	return nil, report.New([]*engine.Problem{{
		Code:    "limit",
		Message: fmt.Sprintf("loading %s took longer than %v, and it does not stop", at, l.options.Timeout),
		At:      engine.Label{Span: startOf(at)},
		Help:    "it is at something that takes for ever, such as comparing or hashing a value that holds the same one many times",
	}}, nil)
}

// tooSlow reports that the time was up, if no file has been told so.
func (l *loader) tooSlow(file string) {
	if cause := context.Cause(l.ctx); cause != nil && !l.limited {
		l.report(&engine.Problem{Code: "limit", Message: "loading: " + cause.Error(), At: engine.Label{Span: startOf(file)}})
	}
}

// fewEach leaves out what is more than anybody reads about one file.
func fewEach(problems []*engine.Problem) []*engine.Problem {
	const most = 100
	byFile := map[string][]*engine.Problem{}
	for _, p := range problems {
		name := p.At.Span.Start.Filename()
		byFile[name] = append(byFile[name], p)
	}
	var kept []*engine.Problem
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		kept = append(kept, atMost(most, byFile[name])...)
	}
	return kept
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

// load loads the files and puts together what they declare.
func (l *loader) load(files []string) *Snapshot {
	for _, f := range files {
		if m := l.module(f, engine.Span{}); m.unread != nil {
			l.report(&engine.Problem{Code: "read", Message: fmt.Sprintf("cannot read %s: %v", f, m.unread), At: engine.Label{Span: startOf(f)}})
		}
	}
	l.waiting()
	for _, m := range l.order {
		if m.ran {
			l.forms(m)
		}
	}
	s := &Snapshot{
		Name:     defaultName(l.options.Entry, l.options.Folder),
		Code:     codeOf(l.read()),
		Sources:  report.Sources{},
		Files:    slices.Sorted(maps.Keys(l.modules)),
		Compiled: l.compiled,
		modules:  l.modules,
	}
	for path, m := range l.modules {
		s.Sources[path] = m.text
	}
	l.declared(s)
	l.server(s)
	for _, r := range slices.Concat(s.Resources, s.Templates) {
		r.Cache = s.Cache.with(r.hint)
	}
	l.lifespan(s)
	if l.errors == 0 {
		l.nothingDeclared(files)
	}
	return s
}

// nothingDeclared warns of a server that has functions and offers none of them.
func (l *loader) nothingDeclared(files []string) {
	for _, m := range l.modules {
		d := m.declared
		if len(d.Tools)+len(d.Prompts)+len(d.Resources)+len(d.Lifespan)+len(d.Timers) > 0 {
			return
		}
	}
	for _, file := range files {
		m := l.modules[file]
		if m.file == nil || strings.HasSuffix(file, "_test.star") {
			continue
		}
		for _, stmt := range m.file.Stmts {
			def, ok := stmt.(*syntax.DefStmt)
			if !ok || strings.HasPrefix(def.Name.Name, "_") {
				continue
			}
			l.report(&engine.Problem{
				Code: "nothing-declared", Warning: true,
				Message: "this server offers nothing",
				At:      engine.Label{Span: engine.At(def.Name.NamePos, def.Name.Name)},
				Help:    fmt.Sprintf("to make this function a tool, write `tool(%s)` below it", def.Name.Name),
			})
			return
		}
	}
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
	s.Cache = cacheOf(first.Hint)
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
