package load

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// maxLoadDepth is how deep files may load each other.
const maxLoadDepth = 100

// loadAll loads all that a file loads, before it is run: so that the report has
// what is wrong with each of them, and not only with the first.
func (l *loader) loadAll(m *module) {
	if m.file == nil {
		return
	}
	for _, stmt := range m.file.Stmts {
		ld, ok := stmt.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		path, bad := moduleName(m.path, ld.ModuleName())
		if bad != nil {
			l.report(loadProblem(ld, bad.message, bad.help))
			m.broken()
			continue
		}
		if !slices.Contains(m.loads, path) {
			m.loads = append(m.loads, path)
		}
		l.loadOne(m, ld, path)
	}
}

func (l *loader) loadOne(m *module, ld *syntax.LoadStmt, path string) {
	at := engine.SpanOf(ld.Module)
	if i := l.loading(path); i >= 0 {
		l.ring(i, at)
		return
	}
	if len(l.chain) >= maxLoadDepth {
		l.report(loadProblem(ld, fmt.Sprintf("files load each other more than %d deep", maxLoadDepth), "load what is needed directly"))
		m.broken()
		return
	}
	dep := l.module(path, at)
	switch {
	case dep.unread != nil:
		l.report(loadProblem(ld, fmt.Sprintf("cannot read %s: %v", path, dep.unread), l.similar(m, ld.ModuleName(), path, dep.unread)))
		m.broken()
	case !dep.ran:
		l.wait(m, dep, at)
	default:
		l.checkLoaded(m, dep, ld)
	}
}

func loadProblem(ld *syntax.LoadStmt, message, help string) *engine.Problem {
	return &engine.Problem{Code: "load", Message: message, At: engine.Label{Span: engine.SpanOf(ld.Module)}, Help: help}
}

// ring reports that the files from the i-th of the chain on load each other; at is
// the load() that closes the ring.
func (l *loader) ring(i int, at engine.Span) {
	c := &cause{path: l.chain[i].m.path}
	var edges []engine.Label
	edge := func(at engine.Span, to string) {
		edges = append(edges, engine.Label{Span: at, Text: c.members[len(c.members)-1] + " loads " + to})
	}
	for j, s := range l.chain[i:] {
		if j > 0 {
			edge(s.at, s.m.path)
		}
		c.members = append(c.members, s.m.path)
		if s.m.cause == nil {
			s.m.cause = c
		}
	}
	edge(at, c.path)
	message := "files load each other: " + strings.Join(append(slices.Clone(c.members), c.path), " -> ")
	if len(c.members) == 1 {
		message = c.path + " loads itself"
	}
	l.report(&engine.Problem{
		Code: "load-ring", Message: message, At: edges[0], Also: edges[1:],
		Help: "move what they share into a file that loads none of them",
	})
}

// wait notes that m can't be run because of what is wrong with dep, or with what
// dep loads.
func (l *loader) wait(m, dep *module, at engine.Span) {
	c := dep.cause
	if m.cause == nil {
		m.cause = c
	}
	if slices.Contains(c.members, m.path) {
		return
	}
	if len(c.waiting) == 0 {
		l.causes = append(l.causes, c)
	}
	text := ""
	if dep.path != c.path {
		text = fmt.Sprintf("%s needs %s", dep.path, c.path)
	}
	c.waiting = append(c.waiting, engine.Label{Span: at, Text: text})
	if !slices.Contains(c.files, m.path) {
		c.files = append(c.files, m.path)
	}
}

// waiting names each broken file that others load, once.
func (l *loader) waiting() {
	if l.ctx.Err() != nil {
		return // they were not even looked at
	}
	for _, c := range l.causes {
		l.report(&engine.Problem{
			Code:    "load-broken",
			Message: fmt.Sprintf("%s has problems, so %s could not be run", c.path, listed(c.files)),
			At:      c.waiting[0],
			Also:    c.waiting[1:min(len(c.waiting), 6)],
			Help:    "mend " + c.path + " first",
		})
	}
}

// listed names a few things.
func listed(names []string) string {
	const most = 3
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n > most:
		return fmt.Sprintf("%s and %d more files", strings.Join(names[:most-1], ", "), n-most+1)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// checkLoaded reports names that the loaded file doesn't have.
func (l *loader) checkLoaded(m, dep *module, ld *syntax.LoadStmt) {
	var has []string
	for _, name := range dep.globals.Keys() {
		if !strings.HasPrefix(name, "_") {
			has = append(has, name)
		}
	}
	for _, from := range ld.From {
		if dep.globals.Has(from.Name) {
			continue
		}
		help := engine.DidYouMean(from.Name, has)
		if origin, ok := loadedNames(dep)[from.Name]; ok {
			help = fmt.Sprintf("%s has it from %s: load it from there", dep.path, origin.module)
		} else if help == "" && len(has) > 0 {
			help = "it has " + few(has)
		}
		l.report(&engine.Problem{
			Code:    "load-name",
			Message: fmt.Sprintf("%s has no %q", dep.path, from.Name),
			At:      engine.Label{Span: engine.At(from.NamePos, from.Name)},
			Help:    help,
		})
		m.broken()
	}
}

// few lists names, but not all of many.
func few(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// An origin is where a loaded name comes from.
type origin struct{ module, name string }

// loadedNames are the names that a file loads.
func loadedNames(m *module) map[string]origin {
	names := map[string]origin{}
	for _, stmt := range m.file.Stmts {
		ld, ok := stmt.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		path, bad := moduleName(m.path, ld.ModuleName())
		if bad != nil {
			continue
		}
		for i, to := range ld.To {
			names[to.Name] = origin{path, ld.From[i].Name}
		}
	}
	return names
}

// similar suggests a file that is there for a load() that found none. It is
// written as the author would write it in m.
func (l *loader) similar(m *module, written, wanted string, unread error) string {
	const most = 20 // each is looked for among all files
	if l.tree.missed++; unread != errNoFile || l.tree.missed > most {
		return ""
	}
	if strings.HasPrefix(wanted, stdPrefix) {
		names := l.stars(l.tree.std, stdPrefix)
		if near := engine.Nearest(wanted, names); near != "" {
			return fmt.Sprintf("did you mean %q?", near)
		}
		return "mcpstar ships with " + few(names)
	}
	files := l.stars(l.tree.root, "")
	best := ""
	for _, f := range files {
		if path.Base(f) == path.Base(wanted) && f != m.path {
			best = f
			break
		}
	}
	if best == "" {
		best = engine.Nearest(wanted, files)
	}
	if best == "" || best == m.path {
		return fmt.Sprintf("%q is looked up beside %s", written, m.path)
	}
	return fmt.Sprintf("did you mean %q?", relative(m.path, best))
}

// stars are the .star files of a file system that a suggestion may name.
func (l *loader) stars(fsys fs.FS, prefix string) []string {
	const most, deepest = 2000, 6
	var files []string
	seen := 0
	_ = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > most {
			return fs.SkipAll
		}
		hidden := p != "." && strings.HasPrefix(d.Name(), ".")
		switch {
		case d.IsDir() && (hidden || strings.Count(p, "/") >= deepest):
			return fs.SkipDir
		case !d.IsDir() && !hidden && strings.HasSuffix(p, ".star"):
			files = append(files, prefix+p)
		}
		return nil
	})
	return files
}

// relative is how the file from writes the path of another file.
func relative(from, to string) string {
	here := strings.Split(path.Dir(from), "/")
	if path.Dir(from) == "." {
		return to
	}
	there := strings.Split(to, "/")
	for len(here) > 0 && len(there) > 1 && here[0] == there[0] {
		here, there = here[1:], there[1:]
	}
	return strings.Repeat("../", len(here)) + strings.Join(there, "/")
}
