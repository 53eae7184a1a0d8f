package load

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine/graph"
)

// A closure is the text that functions depend on: their own, that of what they
// name, of what that names, and so on, over all files. Two versions of a server
// with the same closure of a function behave alike in it, whatever else has
// changed around it.
type closure struct {
	modules map[string]*module
	seen    map[origin]bool
	texts   []string
}

// codeOfFuncs names the closure of some functions.
func codeOfFuncs(modules map[string]*module, fns ...*starlark.Function) string {
	c := &closure{modules: modules, seen: map[origin]bool{}}
	for _, fn := range fns {
		if fn == nil {
			continue
		}
		if m := modules[fn.Position().Filename()]; m != nil && m.file != nil {
			if def := m.defAt(placeOf(fn.Position())); def != nil {
				c.add(m, def)
			}
		}
	}
	slices.Sort(c.texts)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(c.texts), "\x00")))
	return fmt.Sprintf("%x", sum[:12])
}

// add takes in a statement and what the names in it stand for.
func (c *closure) add(m *module, stmt syntax.Node) {
	start, end := stmt.Span()
	c.texts = append(c.texts, m.path+":"+m.linesOf(start.Line, end.Line))
	var names []string
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			names = append(names, id.Name)
		}
		return n != nil
	})
	for _, name := range names {
		c.name(m, name)
	}
}

// name takes in the statements at the top of a file that say what a name is: the
// def of that name, the load that brings it, and everything else that mentions
// it, for a list may be filled after it was made.
func (c *closure) name(m *module, name string) {
	key := origin{m.path, name}
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	for _, at := range m.mentions()[name] {
		switch s := m.file.Stmts[at].(type) {
		case *syntax.LoadStmt:
			if from, ok := loadedNames(m)[name]; ok {
				if dep := c.modules[from.module]; dep != nil && dep.file != nil {
					c.name(dep, from.name)
				}
			}
		default:
			c.add(m, s)
		}
	}
}

// mentions maps each name to the statements at the top that make it. It is made
// once for a file.
func (m *module) mentions() map[string][]int {
	if m.mentionIndex != nil {
		return m.mentionIndex
	}
	m.mentionIndex = map[string][]int{}
	note := func(name string, i int) {
		list := m.mentionIndex[name]
		if len(list) == 0 || list[len(list)-1] != i {
			m.mentionIndex[name] = append(list, i)
		}
	}
	for i, stmt := range m.file.Stmts {
		switch s := stmt.(type) {
		case *syntax.DefStmt:
			note(s.Name.Name, i)
		case *syntax.LoadStmt:
			for _, to := range s.To {
				note(to.Name, i)
			}
		case *syntax.ExprStmt:
			if declares(s.X) {
				continue
			}
			m.noteAll(s, i, note)
		default:
			m.noteAll(s, i, note)
		}
	}
	return m.mentionIndex
}

func (m *module) noteAll(stmt syntax.Node, i int, note func(string, int)) {
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			note(id.Name, i)
		}
		return n != nil
	})
}

// declares reports whether an expression only declares something, such as
// tool(f) or the loader's own __annotate__(f, ...).
func declares(e syntax.Expr) bool {
	if c, ok := e.(*syntax.Comprehension); ok {
		e = c.Body
	}
	call, ok := unparen(e).(*syntax.CallExpr)
	if !ok {
		return false
	}
	fn, ok := call.Fn.(*syntax.Ident)
	if !ok {
		return false
	}
	switch fn.Name {
	case "tool", "prompt", "resource", "completion", "server", "lifespan":
		return true
	}
	return false
}

// defAt is the def whose keyword stands at a place.
func (m *module) defAt(at place) *syntax.DefStmt {
	var found *syntax.DefStmt
	syntax.Walk(m.file, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.DefStmt); ok && placeOf(d.Def) == at {
			found = d
		}
		return n != nil && found == nil
	})
	return found
}

// linesOf is the author's text of some lines.
func (m *module) linesOf(from, to int32) string {
	if m.lineIndex == nil {
		m.lineIndex = strings.SplitAfter(m.text, "\n")
	}
	from, to = max(from, 1), min(to, int32(len(m.lineIndex)))
	if from > to {
		return ""
	}
	return strings.Join(m.lineIndex[from-1:to], "")
}

// functionsOf are all Starlark functions that a plan runs.
func functionsOf(p *graph.Plan) []*starlark.Function {
	var fns []*starlark.Function
	add := func(c starlark.Callable) {
		if fn, ok := c.(*starlark.Function); ok {
			fns = append(fns, fn)
		}
	}
	if p == nil {
		return nil // the same text always
	}
	add(p.Tool.Func.Call)
	for _, n := range p.Resolvers {
		add(n.Func.Call)
	}
	return fns
}
