package load

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/annotate"
	"github.com/mcpstar/mcpstar/starhost/load/habits"
)

// A module is one file on its way from text to frozen values.
type module struct {
	path   string
	source *source
	text   string // as the author sees it, for reports
	file   *syntax.File
	places annotate.Places
	names  map[place]string // what the call at a place is assigned to
	loads  []string         // modules it loads, in order

	globals  starlark.StringDict
	declared *declare.Registry
	// signatures are what the annotations of its functions mean.
	signatures map[*starlark.Function]*signature
	ok         bool // it ran, and its annotations make sense

	spanIndex map[place]engine.Span
}

// loader is one load.
type loader struct {
	ctx      context.Context
	options  *Options
	tree     tree
	words    starlark.StringDict
	modules  map[string]*module
	order    []*module // in the order in which they finished
	loading  []string  // the chain of loads we are in
	problems []*engine.Problem
	compiled int // how many files were compiled, not reused
}

func (l *loader) report(problems ...*engine.Problem) { l.problems = append(l.problems, problems...) }

// module loads a file and, before it, what it loads. It is never nil; what went
// wrong has been reported.
func (l *loader) module(path string) *module {
	if m, ok := l.modules[path]; ok {
		return m
	}
	m := &module{path: path, declared: &declare.Registry{}, signatures: map[*starlark.Function]*signature{}}
	l.modules[path] = m
	l.loading = append(l.loading, path)
	defer func() {
		l.loading = l.loading[:len(l.loading)-1]
		l.order = append(l.order, m)
	}()
	src, err := l.tree.read(path)
	if err != nil {
		l.report(&engine.Problem{Code: "read", Message: fmt.Sprintf("cannot read %s: %v", path, err), At: engine.Label{Span: startOf(path)}})
		return m
	}
	m.source = src
	if old := l.reusable(m); old != nil {
		*m = *old
		return m
	}
	l.compiled++
	if program := l.compile(m); program != nil {
		l.run(m, program)
	}
	return m
}

// compile takes a file from text to a program, reporting all that is wrong with
// its text. It gives nil if anything is.
func (l *loader) compile(m *module) *starlark.Program {
	text, odd := decode(m.path, m.source.text)
	if odd != nil {
		l.report(odd)
		return nil
	}
	m.text = string(text)
	before := len(l.problems)
	found := habits.Find(m.path, text)
	plain, annotations, problems := annotate.Rewrite(m.path, text)
	l.report(found...)
	l.report(problems...)
	file, problems := parse(m.path, plain, slices.Concat(found, problems))
	l.report(problems...)
	if file == nil {
		return nil
	}
	m.file = file
	m.names = assignedNames(file)
	l.report(annotate.DefaultTraps(file)...)
	l.report(duplicates(file)...)
	places, problems := annotate.Weave(file, annotations, dialect())
	m.places = places
	l.report(problems...)
	program, err := starlark.FileProgram(file, l.words.Has)
	var names resolve.ErrorList
	switch {
	case errors.As(err, &names):
		l.report(undefined(names, l.words)...)
	case err != nil:
		l.report(&engine.Problem{Code: "syntax", Message: err.Error(), At: engine.Label{Span: startOf(m.path)}})
	}
	if len(l.problems) > before {
		return nil
	}
	return program
}

// run runs a file and evaluates its annotations.
func (l *loader) run(m *module, program *starlark.Program) {
	thread := &starlark.Thread{Name: "load " + m.path, Print: l.options.Print}
	engine.NewScope(l.ctx).Attach(thread)
	m.declared.Attach(thread)
	types.SetNaming(thread, l)
	release := l.options.Limits.Apply(thread)
	defer release()
	thread.Load = func(_ *starlark.Thread, name string) (starlark.StringDict, error) { return l.load(m, name) }

	globals, err := program.Init(thread, l.words)
	m.globals = globals
	if err != nil {
		l.report(l.runtimeProblem(m, engine.Interrupted(thread, err)))
		return
	}
	globals.Freeze()
	m.ok = l.evaluate(m, thread)
}

// load is load("name", ...) in m.
func (l *loader) load(m *module, name string) (starlark.StringDict, error) {
	path, err := moduleName(m.path, name)
	if err != nil {
		return nil, err
	}
	m.loads = append(m.loads, path)
	if at := slices.Index(l.loading, path); at >= 0 {
		return nil, loadRing(append(slices.Clone(l.loading[at:]), path))
	}
	if len(l.loading) >= maxLoadDepth {
		return nil, &brokenLoad{message: fmt.Sprintf("files load each other more than %d deep", maxLoadDepth)}
	}
	before := len(l.problems)
	dep := l.module(path)
	if dep.ok {
		return dep.globals, nil
	}
	if len(l.problems) > before && dep.source == nil {
		unread := l.problems[len(l.problems)-1]
		l.problems = l.problems[:len(l.problems)-1] // said here, where the author can mend it
		return nil, &brokenLoad{message: unread.Message, help: l.similarFile(path)}
	}
	return nil, &brokenLoad{message: fmt.Sprintf("%s can't be loaded: see the problems in it", path)}
}

const maxLoadDepth = 100

// similarFile suggests a file of the same folder for a load that found none.
func (l *loader) similarFile(name string) string {
	folder := "."
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		folder = name[:i]
	}
	if strings.HasPrefix(name, stdPrefix) {
		return ""
	}
	files, err := starFiles(l.tree.root, folder)
	if err != nil {
		return ""
	}
	return engine.DidYouMean(name, files)
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
		if slices.Contains(l.loading, path) {
			return nil
		}
		if l.module(path) == nil || l.modules[path].declared != l.options.Previous.modules[path].declared {
			return nil
		}
	}
	return old
}

// codeOf names a version of the scripts by what they say.
func codeOf(modules []*module) string {
	sum := sha256.New()
	for _, m := range modules {
		fmt.Fprintf(sum, "%s\x00%x\x00", m.path, m.source.hash)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}
