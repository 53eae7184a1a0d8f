package habits

import (
	"strings"

	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// statementWord looks at the word that a statement begins with. The words here
// are names in Starlark, so they are told only where another operand follows,
// which no name can have behind it.
func (f *finder) statementWord() {
	t, next := f.cur, f.peek(0)
	if t.Kind != tokens.Name {
		return
	}
	if t.Is("else") && next.Is("if") {
		f.report("no-else-if", t, next, "else and if are one word", "write `elif`")
	}
	if tokens.Reserved(t.Text) || !f.operandFollows() {
		return
	}
	switch t.Text {
	case "print":
		f.report("no-print-statement", t, t, "print is a function", "write `print(...)`")
	case "assert":
		f.report("no-assert", t, t, "Starlark has no `assert`", "write `if not (...): fail(\"text\")`")
	case "match", "switch":
		f.stmt.header = true
		f.report("no-match", t, t, "Starlark has no `"+t.Text+"`", "write if, elif and else, or look it up in a dict")
	case "elseif", "elsif":
		f.stmt.header = true
		f.report("no-else-if", t, t, "Starlark has no `"+t.Text+"`", "write `elif`")
	case "foreach":
		f.stmt.header = true
		f.report("no-foreach", t, t, "Starlark has no `foreach`", "write `for x in xs:`")
	case "var", "let", "const":
		f.report("no-declarations", t, t, "variables are not declared", "leave the `"+t.Text+"` out")
	case "function", "func", "fn":
		f.stmt.header = true
		f.report("no-function-keyword", t, t, "a function begins with def", sprintf("write `def %s(...):`", next.Text))
	case "throw":
		f.report("no-raise", t, t, "Starlark has no `throw`", failHelp)
	}
}

// operandFollows reports whether an operand follows the name at hand, which is
// certainly wrong. A bracket or a minus is none: they make a call, or a sum.
func (f *finder) operandFollows() bool {
	next := f.peek(0)
	return next.BeginsOperand() || next.Is("lambda") || next.Is("not") && !f.peek(1).Is("in")
}

const failHelp = "end the call with `fail(\"text\")`, an error that the model can read"

// name looks at a name or a reserved word anywhere.
func (f *finder) name() {
	t, next := f.cur, f.peek(0)
	switch {
	case next.Kind == tokens.String && t.Touches(next):
		f.prefix(next)
	case !tokens.Reserved(t.Text):
		if t.Is("new") && next.Kind == tokens.Name && !tokens.Reserved(next.Text) && !f.prev.Is(".") {
			f.report("no-new", t, t, "Starlark has no `new`", sprintf("write `%s(...)`", next.Text))
		}
	case f.asName():
		help := "use another name, such as `" + t.Text + "_`"
		if f.prev.Is(".") {
			help = sprintf("write `getattr(..., %q)`", t.Text)
		} else if fr := f.top(); fr.call && !fr.params && next.Is("=") {
			help = sprintf("hand it over in a dict: `**{%q: ...}`", t.Text)
		}
		f.report("reserved-word", t, t, "`"+t.Text+"` is a word of the language and can't be a name", help)
	default:
		f.reserved(next)
	}
}

// asName reports whether the reserved word at hand stands where only a name can.
func (f *finder) asName() bool {
	fr, next := f.top(), f.peek(0)
	first := f.prev.End == fr.open.End && fr.closer != 0 || f.prev.Is(",")
	switch {
	case f.prev.Is("."), f.prev.Is("def"):
		return true
	case fr.params && fr.lambdas == 0 && (first || f.prev.Is("*") || f.prev.Is("**")):
		return true
	case fr.closer == ')' && first && next.Is("="):
		return true
	case f.prev.Is("for") && (next.Is("in") || next.Is(",")):
		return true
	}
	return f.stmt.first == f.cur && next.Is("=")
}

// reserved looks at a word of Python that Starlark keeps and does not use.
func (f *finder) reserved(next tokens.Token) {
	t := f.cur
	begins := f.stmt.first == t || f.stmt.first.Is("async") && f.prev == f.stmt.first
	switch t.Text {
	case "try":
		f.report("no-try", t, t, "Starlark has no `try`", "call the function with `r = attempt(fn, ...)`, which gives r.ok, r.value and r.error")
	case "except":
		f.report("no-try", t, t, "Starlark has no `except`", "look at r.error of what `r = attempt(fn, ...)` gave")
	case "finally":
		f.report("no-try", t, t, "Starlark has no `finally`", "write its statements below `r = attempt(fn, ...)`, which always goes on")
	case "raise":
		f.raise(next)
	case "class":
		name := "Name"
		if next.Kind == tokens.Name {
			name = next.Text
		}
		f.report("no-class", t, t, "Starlark has no classes", sprintf("for data write `%s = model(field = str)`, and functions for what it does", name))
	case "import", "from":
		if begins {
			f.stmt.names = append(f.stmt.names, t)
		} else if !f.prev.Is("yield") && !f.stmt.first.Is("raise") && len(f.stmt.names) == 0 {
			f.keeps()
		}
	case "async":
		f.report("no-async", t, t, "Starlark has no `async`", "leave it out: what takes time waits by itself")
	case "await":
		f.report("no-async", t, t, "Starlark has no `await`", "leave it out: a call waits by itself")
	case "with":
		f.report("no-with", t, t, "Starlark has no `with`", "write its statements below one another")
	case "yield":
		f.report("no-yield", t, t, "Starlark has no `yield`", "collect a list and return it")
	case "global", "nonlocal":
		f.report("no-global", t, t, "Starlark has no `"+t.Text+"`", "return the new value; what changes from call to call is kept in `store.memory()`")
	case "del":
		f.report("no-del", t, t, "Starlark has no `del`", "write `d.pop(key)` for a dict, `xs.pop(i)` for a list")
	case "is":
		f.is(next)
	case "as":
		if !f.stmt.first.Is("with") && !f.stmt.first.Is("except") && !f.stmt.first.Is("async") && len(f.stmt.names) == 0 {
			f.keeps()
		}
	}
}

// keeps tells a reserved word that stands where no habit puts it.
func (f *finder) keeps() {
	f.report("reserved-word", f.cur, f.cur, "`"+f.cur.Text+"` is a word that the language keeps for itself", "use another name")
}

// raise tells raise, with the text it was given where that is plain.
func (f *finder) raise(next tokens.Token) {
	help := failHelp
	if text := f.peek(2); next.Kind == tokens.Name && f.peek(1).Is("(") && text.Kind == tokens.String && f.peek(3).Is(")") {
		help = sprintf("write `fail(%s)`", f.text(text, text, `"text"`))
	}
	f.report("no-raise", f.cur, f.cur, "Starlark has no `raise`", help)
}

// is tells is and is not.
func (f *finder) is(next tokens.Token) {
	switch {
	case !f.prev.EndsOperand():
		f.keeps()
	case next.Is("not"):
		f.report("no-is", f.cur, next, "Starlark has no `is not`", "write `!=`")
	default:
		f.report("no-is", f.cur, f.cur, "Starlark has no `is`", "write `==`")
	}
}

// importStatement tells an import once its names are known.
func (f *finder) importStatement() {
	names := f.stmt.names
	first, last := names[0], names[len(names)-1]
	var module, imported []string
	from, list := first.Is("from"), &module
	for i, t := range names[1:] {
		switch {
		case t.Is("import"):
			list = &imported
		case t.Kind == tokens.Name && !names[i].Is("as") && !t.Is("as"):
			*list = append(*list, t.Text)
		case t.Is(",") && !from:
			list = new([]string) // only the first of several modules is named
		}
	}
	f.report("no-import", first, last, "Starlark has no `import`", importHelp(module, imported, from))
}

func importHelp(module, imported []string, from bool) string {
	root := ""
	if len(module) > 0 {
		root = module[0]
	}
	switch root {
	case "json", "math", "time", "random", "uuid":
		if from && len(imported) > 0 {
			return sprintf("%s is always there; leave the line out and write `%s.%s`", root, root, imported[0])
		}
		return root + " is always there; leave the line out"
	case "typing", "dataclasses", "pydantic", "enum", "__future__", "abc", "asyncio", "mcp", "fastmcp":
		return "leave the line out: types, model(...), tool(...) and the others are always there"
	case "os", "sys", "io", "pathlib", "shutil", "subprocess", "socket":
		return "scripts can't reach files or processes"
	case "logging":
		return "write `print(...)`, or `ctx.log(level, data)` to tell the client"
	case "datetime":
		return "write `time.now()`: time is always there"
	}
	path, name := "lib", "name"
	if len(module) > 0 {
		path, name = strings.Join(module, "/"), module[len(module)-1]
	}
	if len(imported) > 0 {
		name = strings.Join(imported, `", "`)
	}
	return sprintf(`a file of your own is loaded with load("%s.star", "%s")`, path, name)
}
