package load

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// undefined turns the resolver's errors, which come all at once, into problems.
func undefined(errs resolve.ErrorList, words starlark.StringDict) []*engine.Problem {
	var problems []*engine.Problem
	seen := map[string]bool{}
	for _, e := range errs {
		name, isName := strings.CutPrefix(e.Msg, "undefined: ")
		if !isName {
			problems = append(problems, resolverProblem(e))
			continue
		}
		name, _, _ = strings.Cut(name, " ")
		p := &engine.Problem{
			Code:    "undefined",
			Message: "undefined: " + name,
			At:      engine.Label{Span: engine.At(e.Pos, name), Text: "not defined here"},
			Help:    pythonName(name),
		}
		if p.Help == "" {
			p.Help = engine.DidYouMean(name, known(words, e.Msg))
		}
		if seen[name] && p.Help != "" {
			p.Help = "" // said once
		}
		seen[name] = true
		problems = append(problems, p)
	}
	return problems
}

// known are the names an author may have meant: our words, Starlark's, and the
// one the resolver itself suggests.
func known(words starlark.StringDict, msg string) []string {
	var names []string
	if _, hint, ok := strings.Cut(msg, "did you mean "); ok {
		hint, _, _ = strings.Cut(hint, "?")
		names = append(names, hint)
	}
	for _, k := range slices.Concat(words.Keys(), starlark.Universe.Keys()) {
		if !strings.HasPrefix(k, "_") {
			names = append(names, k)
		}
	}
	return names
}

// pythonName is what to write instead of a name that Python has and we don't.
func pythonName(name string) string {
	switch name {
	case "Exception", "ValueError", "TypeError", "KeyError", "RuntimeError":
		return `there are no exceptions: end a call with fail("text"), and use attempt(fn, ...) where one may fail`
	case "super", "self", "object", "property", "staticmethod", "classmethod":
		return "there are no classes: declare records with model(), and write plain functions"
	case "open", "os", "sys", "pathlib", "subprocess":
		return "scripts can't reach files or processes"
	case "map":
		return "write a comprehension: [f(x) for x in xs]"
	case "filter":
		return "write a comprehension: [x for x in xs if p(x)]"
	case "input":
		return `ask with a question: return elicit("...", Model) from a resolver`
	case "Elicit":
		return "write elicit(message, Model)"
	case "Sample":
		return "write sample(prompt, max_tokens = ...)"
	case "Resolve", "Annotated", "Depends":
		return "write `x: resolve(fn)`"
	case "Field":
		return "write field(T, description = ...)"
	case "BaseModel", "dataclass", "TypedDict", "NamedTuple":
		return "declare records with model(): Stock = model(title = str, copies = int)"
	case "Literal", "Enum":
		return `write enum("a", "b")`
	case "Optional", "Union":
		return "write T | None"
	case "List", "Dict", "Any":
		return "write it in lower case: " + strings.ToLower(name)
	case "Context":
		return "a parameter named ctx is the context"
	case "tuple_", "frozenset":
		return "use tuple(...) or set(...)"
	case "null", "nil", "undefined":
		return "write None"
	case "true":
		return "write True"
	case "false":
		return "write False"
	case "logging", "logger", "console":
		return `write to the client with ctx.log("info", data), to the server's stderr with print(...)`
	case "datetime", "date":
		return "see the module time: time.now()"
	case "requests", "httpx", "urllib":
		return "scripts have no module of that name"
	case "re", "regex":
		return "scripts have no regular expressions; field(str, pattern = ...) checks an argument"
	case "__name__", "__file__", "__doc__":
		return "a script is only ever loaded; declare tools at its top"
	}
	return ""
}

// resolverProblem is one of the resolver's other complaints.
func resolverProblem(e resolve.Error) *engine.Problem {
	p := &engine.Problem{Code: "name", Message: e.Msg, At: engine.Label{Span: engine.Span{Start: e.Pos, End: e.Pos}}}
	switch {
	case strings.Contains(e.Msg, "required parameter may not follow optional"):
		p.Code = "parameter-order"
		p.Help = "move it before the parameters that have a default, or put a * before it"
	case strings.Contains(e.Msg, "duplicate parameter"):
		p.Code = "duplicate-parameter"
		p.Help = "give one of them another name"
	case strings.Contains(e.Msg, "return statement not within a function"):
		p.Help = "a return belongs in a def"
	case strings.Contains(e.Msg, "not in a loop"):
		p.Help = "break and continue belong in a for or while"
	case strings.Contains(e.Msg, "already declared"):
		p.Code = "duplicate-name"
	case strings.Contains(e.Msg, "assigning to"):
		p.Help = "assign to a name, an element or a field"
	}
	return p
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
