package habits

import "github.com/mcpstar/mcpstar/starhost/load/tokens"

// punct looks at an operator, a colon or a comma.
func (f *finder) punct(fr *frame) {
	t := f.cur
	next := f.peek(0)
	if f.prev.Touches(t) && f.doubled() {
		return
	}
	switch t.Text {
	case ",", ";":
		f.separate(fr)
		fr.commas = true
		fr.odd = fr.odd || t.Text == ";"
		if t.Text == ";" && len(f.frames) == 1 {
			f.endStatement()
		}
	case ":":
		f.separate(fr)
		f.colon(fr)
	case "=":
		f.separate(fr)
		fr.odd = true
		if len(f.frames) == 1 && fr.lambdas == 0 {
			f.assignment()
		}
	case "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>=", "->":
		f.separate(fr)
		fr.odd = true
	case "==", "!=", "<=", ">=", ">":
		f.compare(fr)
	case "<":
		if next.Is(">") && t.Touches(next) {
			f.report("no-angle-inequality", t, next, "Starlark has no `<>`", "write `!=`")
		}
		f.compare(fr)
	case "*", "**":
		f.stars(fr)
	case "/", "//":
		f.slash(fr)
	case ".":
		f.ellipsis()
	case "%":
		f.percent()
	default:
		fr.comparison.begin(t)
	}
}

// doubled looks at an operator that touches the one before it, and reports
// whether the two are one operator elsewhere.
func (f *finder) doubled() bool {
	fr, t := f.top(), f.cur
	switch f.prev.Text + t.Text {
	case "&&":
		f.report("no-c-operators", f.prev, t, "Starlark has no `&&`", "write `and`")
		f.separate(fr)
	case "||":
		f.report("no-c-operators", f.prev, t, "Starlark has no `||`", "write `or`")
		f.separate(fr)
	case "++", "--":
		if !f.before.EndsOperand() || f.goesOn(f.peek(0)) {
			return false
		}
		op := t.Text
		f.report("no-c-operators", f.prev, t, sprintf("Starlark has no `%s%s`", op, op),
			sprintf("write `%s %s= 1`", f.text(f.before, f.before, "x"), op))
	case ":=":
		// told at the colon, and among parameters it is a type that is missing,
		// which is not of this room
		return !fr.params
	case "<>":
		// told at the <
	default:
		return false
	}
	return true
}

// goesOn reports whether the token can continue an expression that an operator
// left open.
func (f *finder) goesOn(t tokens.Token) bool {
	_, opens := t.Opens()
	return opens || t.BeginsOperand() || t.Is("not") || t.Is("lambda") || t.Is("+") || t.Is("-") || t.Is("~") || t.Kind == tokens.Illegal
}

// colon looks at a colon.
func (f *finder) colon(fr *frame) {
	atStatement := len(f.frames) == 1
	next := f.peek(0)
	switch {
	case next.Is("=") && f.cur.Touches(next) && !fr.params:
		f.walrus(next, atStatement && !f.stmt.header)
	case fr.lambdas > 0:
		fr.lambdas--
		fr.lambdaBody = true
	case fr.lambdaBody && !fr.params && (fr.closer == ')' || atStatement && !f.stmt.header):
		fr.lambdaBody = false
		f.report("no-lambda-types", f.cur, f.cur, "the parameters of a lambda take no types",
			"leave the types out, or write a def")
	case atStatement && f.stmt.header:
		f.endStatement()
	case atStatement:
		f.variableColon()
	case fr.closer == ')' && fr.call && !fr.params && f.prev.Kind == tokens.Name && (f.before.Is("(") || f.before.Is(",")) && f.goesOn(next):
		f.report("no-colon-arguments", f.cur, f.cur, "an argument's name is not followed by a colon",
			sprintf("write `%s = ...`", f.prev.Text))
	default:
		fr.colons = true
	}
}

// walrus tells :=, alone in its statement or within an expression.
func (f *finder) walrus(equals tokens.Token, alone bool) {
	help := "assign on a line of its own before: `x = ...`"
	if alone {
		help = "write `=`"
	}
	f.report("no-walrus", f.cur, equals, "Starlark has no `:=`", help)
	f.top().odd = true
}

// stars looks at * and **: an operator behind an operand, else a prefix.
func (f *finder) stars(fr *frame) {
	t := f.cur
	if f.prev.EndsOperand() {
		if t.Is("**") {
			f.power()
		}
		return
	}
	first := f.prev.End == 0 || f.prev.Is(",") || f.prev.End == fr.open.End || f.prev.Is("=") || f.prev.Is("for") || f.prev.Is("return") || f.prev.Is("in")
	if !first || fr.lambdas > 0 || fr.closer == ')' && (fr.call || fr.params) || fr.closer == ']' && fr.call {
		return
	}
	fr.odd = true
	if len(f.frames) == 1 {
		if f.stmt.star.End == 0 {
			f.stmt.star = t
		}
		if f.stmt.equals.End != 0 || f.stmt.first.Is("return") || f.stmt.first.Is("for") && !fr.vars {
			f.stmt.star = tokens.Token{}
			f.unpack(t)
		}
		return
	}
	f.unpack(t)
}

// unpack tells [*a, *b] and {**a}.
func (f *finder) unpack(star tokens.Token) {
	if star.Is("**") {
		f.report("no-unpacking", star, star, "a dict can't be unpacked between braces", "join them with |: `a | b`")
		return
	}
	f.report("no-unpacking", star, star, "a list can't be unpacked here", "join lists with +: `a + b`")
}

// power tells 2 ** 3.
func (f *finder) power() {
	right, after := f.peek(0), f.peek(1)
	if right.Is("=") && f.cur.Touches(right) {
		x := f.text(f.prev, f.prev, "x")
		f.report("no-power", f.cur, right, "Starlark has no `**=`", sprintf("write `%s = pow(%s, ...)`", x, x))
		return
	}
	help := "write `pow(a, b)`"
	_, more := after.Opens()
	simple := func(t tokens.Token) bool { return t.Kind == tokens.Name || t.Kind == tokens.Number }
	if simple(f.prev) && simple(right) && !f.before.Is(".") && !after.Is(".") && !more {
		help = sprintf("write `pow(%s, %s)`", f.prev.Text, right.Text)
	}
	f.report("no-power", f.cur, f.cur, "Starlark has no `**`", help)
}

// slash tells comments of C, and the / that ends positional parameters.
func (f *finder) slash(fr *frame) {
	t, next := f.cur, f.peek(0)
	comment := t.Is("//") && f.prev.End == 0 || t.Is("/") && t.Touches(next) && (next.Is("*") || next.Is("**"))
	switch {
	case comment:
		f.report("no-slash-comments", t, t, "a comment begins with #", "write `#`")
		f.skip = true
	case t.Is("/") && fr.params && f.prev.Is(",") && (next.Is(",") || next.Is(")")):
		f.report("no-positional-only", t, t, "parameters can't be made positional only", "leave the / out")
	}
}

// ellipsis tells three dots.
func (f *finder) ellipsis() {
	a, b := f.peek(0), f.peek(1)
	if !a.Is(".") || !b.Is(".") || !f.cur.Touches(a) || !a.Touches(b) {
		return
	}
	help := "write `None`"
	switch {
	case f.stmt.first == f.cur, f.prev.Is(":") && len(f.frames) == 1:
		help = "write `pass`"
	case f.top().closer == ']':
		help = "leave it out"
	}
	f.report("no-ellipsis", f.cur, b, "Starlark has no `...`", help)
}

// illegal looks at a rune that Starlark does not know.
func (f *finder) illegal() {
	t, next := f.cur, f.peek(0)
	_, opens := next.Opens()
	switch t.Text {
	case "!":
		if !f.prev.EndsOperand() && (opens || next.BeginsOperand() || next.Text == "!") {
			f.report("no-c-operators", t, t, "Starlark has no `!`", "write `not`")
		}
	case "?":
		f.question(next)
	case "“", "”", "„", "‘", "’", "«", "»":
		f.oddCharacter("curly quotes begin no text", "write straight ones: `\"...\"`")
	case "\u00a0", "\u202f", "\u2007":
		f.oddCharacter("this is a no-break space", "write a plain one")
	case "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff":
		f.oddCharacter("this is a character that can't be seen", "delete it, or write the line anew")
	case "@":
		if f.stmt.first == t && len(f.decorators) < mostProblems {
			f.decorators = append(f.decorators, decorator{at: t})
		}
	}
}

// oddCharacter tells what word processors and web pages put into code, once a line.
// It is certain even where what follows is taken for a text without an end.
func (f *finder) oddCharacter(message, help string) {
	if !f.odd {
		f.settle(f.problem("odd-character", f.cur, f.cur, message, help))
	}
	f.odd = true
}

// question tells the operators of other languages that have a question mark.
func (f *finder) question(next tokens.Token) {
	t := f.cur
	switch touches := t.Touches(next); {
	case f.prev.Text == "?" && f.prev.Touches(t):
		// told at the first
	case next.Text == "?" && touches:
		f.report("no-ternary", t, next, "Starlark has no `??`", "write `a if a != None else b`")
	case next.Is(".") && touches:
		f.report("no-ternary", t, next, "Starlark has no `?.`", "write `x.name if x != None else None`")
	case f.prev.EndsOperand() && f.goesOn(next):
		f.report("no-ternary", t, t, "Starlark has no `? :`", "write `a if condition else b`")
	}
}
