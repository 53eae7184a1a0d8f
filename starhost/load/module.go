package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/annotate"
	"github.com/mcpstar/mcpstar/starhost/load/gates"
	"github.com/mcpstar/mcpstar/starhost/load/habits"
)

// A module is one file on its way from text to frozen values.
type module struct {
	path   string
	unread error // why there is no source
	source *source
	text   string       // as the author sees it, for reports
	file   *syntax.File // what could be parsed of it; nil: nothing
	places annotate.Places
	names  map[place]string // what the call at a place is assigned to
	defs   map[place]*syntax.DefStmt
	loads  []string // modules it loads, in order

	globals  starlark.StringDict
	declared *declare.Registry
	// signatures are what the annotations of its functions mean.
	signatures map[*starlark.Function]*signature
	ran        bool   // it has globals that others may use
	ok         bool   // it ran, and nothing is wrong with it
	cause      *cause // why it did not run
	warnings   []*engine.Problem

	// Made when they are first needed; the loader runs on one goroutine, and a
	// snapshot in use needs none of them.
	nodeIndex    map[place]syntax.Node // see nodes
	mentionIndex map[string][]int
	lineIndex    []string
}

// A cause is why files did not run: one of them is broken, or they load each other.
type cause struct {
	path    string
	members []string // the files that the report names anyway
	waiting []engine.Label
	files   []string // that could not be run because of it
}

// broken marks m as the cause of its own trouble.
func (m *module) broken() { m.cause = &cause{path: m.path, members: []string{m.path}} }

// loader is one load.
type loader struct {
	ctx      context.Context
	options  *Options
	tree     tree
	words    starlark.StringDict
	modules  map[string]*module
	order    []*module // in the order in which they finished
	chain    []step    // the files we are in the middle of
	causes   []*cause  // those that others wait for
	freezer  engine.Freezer
	problems []*engine.Problem
	told     map[string]bool // problems, so that none is told twice
	errors   int             // problems that are more than warnings
	limited  bool            // one of them is that a limit was exceeded
	compiled int             // how many files were compiled, not reused
	current  atomic.Value    // the path of the file that is being run
}

// A step is a file that is being loaded, and where the one before it says so.
type step struct {
	m  *module
	at engine.Span
}

func (l *loader) report(problems ...*engine.Problem) {
	for _, p := range problems {
		id := fmt.Sprintf("%s %s %s", p.Code, p.At.Span.Start, p.Message)
		if l.told[id] {
			continue
		}
		l.told[id] = true
		l.problems = append(l.problems, p)
		if !p.Warning {
			l.errors++
		}
	}
}

// module loads a file and, before it is run, what it loads. at is the load() that
// asks for it. It is never nil; what went wrong has been reported, but for a file
// that can't be read.
func (l *loader) module(path string, at engine.Span) *module {
	if m, ok := l.modules[path]; ok {
		return m
	}
	m := &module{path: path, declared: &declare.Registry{}, signatures: map[*starlark.Function]*signature{}}
	l.modules[path] = m
	l.chain = append(l.chain, step{m, at})
	defer func() {
		l.chain = l.chain[:len(l.chain)-1]
		l.order = append(l.order, m)
	}()
	if l.ctx.Err() != nil {
		m.broken()
		return m
	}
	m.source, m.unread = l.tree.read(path)
	if l.options.Read != nil {
		l.options.Read(path, sumOf(m.source))
	}
	if m.unread != nil {
		m.broken()
		return m
	}
	if old := l.reusable(m); old != nil {
		*m = *old
		l.report(m.warnings...)
		return m
	}
	l.compiled++
	l.build(m)
	for _, p := range l.problems {
		if p.Warning && p.At.Span.Start.Filename() == m.path {
			m.warnings = append(m.warnings, p)
		}
	}
	return m
}

// build takes a file all the way. A panic, of mcpstar's own or of a word that the
// program around it added, costs the file and not the process, which may be
// serving its last good version.
func (l *loader) build(m *module) {
	defer func() {
		if r := recover(); r != nil {
			m.ran, m.ok = false, false
			m.broken()
			l.report(&engine.Problem{
				Code:    "internal",
				Message: "mcpstar itself failed on this file",
				At:      engine.Label{Span: startOf(m.path)},
				Notes:   []string{fmt.Sprint(r)},
				Help:    "please report it, with the file",
			})
		}
	}()
	l.current.Store(m.path)
	before := l.errors
	program := l.compile(m)
	own := l.errors > before
	l.loadAll(m)
	switch {
	case own:
		m.broken()
	case m.cause == nil:
		l.run(m, program)
	}
}

// compile takes a file from text to a program, reporting all that is wrong with
// its text. The program is nil if anything is.
func (l *loader) compile(m *module) *starlark.Program {
	text, odd := decode(m.path, m.source.text)
	if odd != nil {
		m.text = shown(m.source.text)
		l.report(odd)
		return nil
	}
	m.text = string(text)
	before := l.errors
	found := habits.Find(m.path, text)
	plain, annotations, problems := annotate.Rewrite(m.path, text)
	l.report(found...)
	l.report(problems...)
	large := tooLarge(m.path, text)
	p, grammar := parse(m.path, plain, slices.Concat(found, problems), large)
	l.report(grammar...)
	l.report(large...)
	m.file = p.file
	annotations = slices.DeleteFunc(annotations, func(a annotate.Annotation) bool {
		own := lines{a.Pos.Line, a.Span.End.Line}
		return about(large, own) != nil || slices.ContainsFunc(p.tooLarge, func(l lines) bool { return l.has(a.Def.Line) })
	})
	if crowds := crowded(p.file); len(crowds) > 0 {
		l.report(crowds...)
		return nil
	}
	m.names, m.defs = assignedNames(p.file), defsOf(p.file)
	l.report(annotate.DefaultTraps(p.file)...)
	l.report(duplicates(p.file)...)
	l.report(outerAssignments(p.file)...)
	places, problems := annotate.Weave(p.file, annotations, dialect())
	m.places = places
	l.report(problems...)
	return l.resolve(m, p, l.errors > before)
}

// resolve reports undefined names. It gives the program, unless broken says that
// there is none to give.
func (l *loader) resolve(m *module, p *parsed, broken bool) *starlark.Program {
	var program *starlark.Program
	var err error
	words := l.wordsOf(m)
	if broken || !p.whole {
		isWord := func(name string) bool { return words.Has(name) || p.words[name] }
		err = resolve.File(p.file, isWord, starlark.Universe.Has)
	} else {
		if l.options.Instrument != nil {
			l.options.Instrument(m.path, p.file)
		}
		program, err = gates.Compile(p.file, words.Has)
	}
	var names resolve.ErrorList
	switch {
	case errors.As(err, &names):
		l.report(undefined(names, words, p)...)
	case err != nil:
		l.report(&engine.Problem{Code: "syntax", Message: err.Error(), At: engine.Label{Span: startOf(m.path)}})
	}
	return program
}

// run runs a file and evaluates its annotations.
func (l *loader) run(m *module, program *starlark.Program) {
	thread := &starlark.Thread{Name: "load " + m.path, Print: l.options.Print}
	engine.NewScope(l.ctx).Attach(thread)
	m.declared.Attach(thread)
	types.SetNaming(thread, l)
	var wrongTypes int
	types.CollectMistakes(thread, func(t types.Mistake) {
		wrongTypes++
		l.wrongType(t)
	})
	release := l.options.Limits.Apply(thread)
	defer release()
	thread.Load = func(_ *starlark.Thread, name string) (starlark.StringDict, error) {
		path, bad := moduleName(m.path, name)
		if bad != nil {
			return nil, errors.New(bad.message)
		}
		return l.modules[path].globals, nil // loadAll saw to it
	}
	before := l.errors
	l.current.Store(m.path)
	globals, err := gates.Init(program, thread, l.wordsOf(m))
	m.globals = globals
	types.CollectMistakes(thread, nil)
	l.mistakes(m)
	switch {
	case err != nil:
		l.report(l.runtimeProblem(m, err, engine.Interrupted(thread, err)))
	case wrongTypes > 0: // what the file made is not what it says
		l.evaluate(m, thread)
	case l.freezeAll(m):
		m.ran = true
		l.evaluate(m, thread)
	}
	m.ok = l.errors == before
	if !m.ran {
		m.broken()
	}
	m.declared.Functions = nil // they hold on to every function made while loading
}

// maxWrongTypes is how many mistakes in types are told of all files. A loop may
// make any number.
const maxWrongTypes = 500

// wrongType reports one mistake of a call of model or field.
func (l *loader) wrongType(t types.Mistake) {
	if l.errors >= maxWrongTypes {
		return
	}
	message, help := splitRemedy(t.Err.Error())
	l.report(&engine.Problem{
		Code: "bad-type", Message: message, Help: help,
		At: engine.Label{Span: l.argument(t.Pos, t.Option)},
	})
}

// mistakes reports the declarations that could not be taken.
func (l *loader) mistakes(m *module) {
	for _, d := range m.declared.Mistakes {
		message, help := splitRemedy(d.Err.Error())
		l.report(&engine.Problem{
			Code: "declaration", Message: message, Help: help,
			At: engine.Label{Span: l.argument(d.Span.Start, d.Option)},
		})
	}
}

// AssignedName tells builtins/types the name that a model is assigned to.
func (l *loader) AssignedName(pos syntax.Position) string {
	if m := l.modules[pos.Filename()]; m != nil {
		return m.names[placeOf(pos)]
	}
	return ""
}

// reusable is the module of the previous load for the same text, if everything
// that it loads is the same too.
func (l *loader) reusable(m *module) *module {
	if l.options.Previous == nil {
		return nil
	}
	old := l.options.Previous.modules[m.path]
	if old == nil || !old.ok || old.source.hash != m.source.hash {
		return nil
	}
	for _, path := range old.loads {
		if l.loading(path) >= 0 {
			return nil
		}
		if l.module(path, engine.Span{}).declared != l.options.Previous.modules[path].declared {
			return nil
		}
	}
	return old
}

// loading is the place of a file in the chain of those that are being loaded, or -1.
func (l *loader) loading(path string) int {
	return slices.IndexFunc(l.chain, func(s step) bool { return s.m.path == path })
}
