package load

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// maxUndefined is how many undefined names of one file are told.
const maxUndefined = 50

// undefined turns the resolver's errors, which come all at once, into problems:
// one for each name, with the further places where it is used.
func undefined(errs resolve.ErrorList, words starlark.StringDict, p *parsed) []*engine.Problem {
	later := topNames(p.file)
	errs = slices.Clone(errs)
	slices.SortStableFunc(errs, func(a, b resolve.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	var problems []*engine.Problem
	first := map[string]*engine.Problem{}
	for _, e := range errs {
		rest, isName := strings.CutPrefix(e.Msg, "undefined: ")
		if !isName {
			problems = append(problems, resolverProblem(e))
			continue
		}
		name, _, _ := strings.Cut(rest, " ")
		label := engine.Label{Span: engine.At(e.Pos, name), Text: "not defined here"}
		if before := first[name]; before != nil {
			if len(before.Also) < 3 {
				before.Also = append(before.Also, engine.Label{Span: label.Span, Text: "nor here"})
			}
			continue
		}
		if len(problems) >= maxUndefined {
			problems = append(problems, &engine.Problem{}) // to be counted
			first[name] = problems[len(problems)-1]
			continue
		}
		problem := &engine.Problem{Code: "undefined", Message: "undefined: " + name, At: label, Help: pythonName(name)}
		if at, ok := later[name]; ok {
			problem.Message = name + " is used before it is defined"
			problem.At.Text = "not defined yet"
			problem.Also = []engine.Label{{Span: engine.At(at, name), Text: "defined here"}}
			problem.Help = "move this line below"
			selfDefined(problem, p.file, name, e.Pos)
		} else if problem.Help == "" {
			problem.Help = engine.DidYouMean(name, known(words, p.words, e.Msg))
		}
		first[name] = problem
		problems = append(problems, problem)
	}
	return atMost(maxUndefined, problems)
}

// selfDefined rewords the problem of a name that its own definition uses.
func selfDefined(problem *engine.Problem, file *syntax.File, name string, at syntax.Position) {
	for _, stmt := range file.Stmts {
		s, ok := stmt.(*syntax.AssignStmt)
		if !ok {
			continue
		}
		id, ok := s.LHS.(*syntax.Ident)
		if _, end := s.Span(); !ok || id.Name != name || before(at, id.NamePos) || before(end, at) {
			continue
		}
		problem.Help = "give it a first value above"
		call, _ := unparen(s.RHS).(*syntax.CallExpr)
		if call == nil {
			return
		}
		if fn, ok := call.Fn.(*syntax.Ident); ok && (fn.Name == "model" || fn.Name == "describe") {
			problem.Code = "bad-type"
			problem.Message = fmt.Sprintf("the model %s can't contain itself", name)
			problem.At.Text = ""
			problem.Also = nil
			problem.Help = "hold a name or number of the other one, or take `any`"
		}
		return
	}
}

// topNames are the names that the statements at the top of a file define, with
// the first place of each.
func topNames(file *syntax.File) map[string]syntax.Position {
	names := map[string]syntax.Position{}
	note := func(e syntax.Expr) {
		if id, ok := e.(*syntax.Ident); ok {
			if _, known := names[id.Name]; !known {
				names[id.Name] = id.NamePos
			}
		}
	}
	for _, stmt := range file.Stmts {
		switch s := stmt.(type) {
		case *syntax.DefStmt:
			note(s.Name)
		case *syntax.LoadStmt:
			for _, to := range s.To {
				note(to)
			}
		case *syntax.AssignStmt:
			if tuple, ok := unparen(s.LHS).(*syntax.TupleExpr); ok {
				for _, e := range tuple.List {
					note(e)
				}
			}
			note(s.LHS)
		}
	}
	return names
}

// known are the names an author may have meant: our words, Starlark's, and the
// one the resolver itself suggests, and those of statements that were left out.
func known(words starlark.StringDict, left map[string]bool, msg string) []string {
	var names []string
	if _, hint, ok := strings.Cut(msg, "did you mean "); ok {
		hint, _, _ = strings.Cut(hint, "?")
		names = append(names, hint)
	}
	for _, k := range slices.Concat(words.Keys(), starlark.Universe.Keys(), slices.Sorted(maps.Keys(left))) {
		if !strings.HasPrefix(k, "_") {
			names = append(names, k)
		}
	}
	return names
}

// duplicates finds a second def or model of one name in one list of statements:
// the first would be lost without a word.
func duplicates(file *syntax.File) []*engine.Problem {
	var problems []*engine.Problem
	type first struct {
		what string
		span engine.Span
	}
	seen := map[string]first{}
	note := func(what string, name *syntax.Ident) {
		span := engine.At(name.NamePos, name.Name)
		if before, ok := seen[name.Name]; ok {
			problems = append(problems, &engine.Problem{
				Code:    "duplicate-name",
				Message: fmt.Sprintf("%s is defined twice in this file", name.Name),
				At:      engine.Label{Span: span, Text: what + " here"},
				Also:    []engine.Label{{Span: before.span, Text: before.what + " here, and lost"}},
				Help:    "give one of them another name",
			})
			return
		}
		seen[name.Name] = first{what, span}
	}
	for _, stmt := range file.Stmts {
		switch s := stmt.(type) {
		case *syntax.DefStmt:
			note("a def", s.Name)
		case *syntax.AssignStmt:
			name, isName := s.LHS.(*syntax.Ident)
			call, isCall := s.RHS.(*syntax.CallExpr)
			if !isName || !isCall {
				continue
			}
			if fn, ok := call.Fn.(*syntax.Ident); ok && (fn.Name == "model" || fn.Name == "describe") {
				note("a "+fn.Name, name)
			}
		}
	}
	return problems
}

// assignedNames maps the place of a call to the name that it is assigned to:
// Stock = model(...), or Stock = describe(model(...), "...").
func assignedNames(file *syntax.File) map[place]string {
	names := map[place]string{}
	syntax.Walk(file, func(n syntax.Node) bool {
		assign, ok := n.(*syntax.AssignStmt)
		if !ok {
			return n != nil
		}
		name, isName := assign.LHS.(*syntax.Ident)
		call, isCall := unparen(assign.RHS).(*syntax.CallExpr)
		if !isName || !isCall || assign.Op != syntax.EQ {
			return true
		}
		names[placeOf(call.Lparen)] = name.Name
		if len(call.Args) > 0 {
			if inner, ok := unparen(call.Args[0]).(*syntax.CallExpr); ok {
				names[placeOf(inner.Lparen)] = name.Name
			}
		}
		return true
	})
	return names
}

// defsOf maps the place of each def to it.
func defsOf(file *syntax.File) map[place]*syntax.DefStmt {
	defs := map[place]*syntax.DefStmt{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if def, ok := n.(*syntax.DefStmt); ok {
			defs[placeOf(def.Def)] = def
		}
		return true
	})
	return defs
}

func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}

// A place is a position without its file.
type place struct{ line, col int32 }

func placeOf(p syntax.Position) place { return place{p.Line, p.Col} }
