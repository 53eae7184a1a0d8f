package habits

import (
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// A statement is what was read of the statement at hand. One logical line holds
// several when semicolons or the colon of an if, for, while or def separate them.
type statement struct {
	fresh  bool           // no token of it was read
	first  tokens.Token   // its first token
	header bool           // it ends with the colon before a block
	target bool           // so far it could stand to the left of =
	chain  bool           // a = b = c was told
	star   tokens.Token   // before a name that would take the rest of a list
	names  []tokens.Token // of an import

	name, colon            tokens.Token // the end of a variable and the colon of its type
	typeEnd, equals, value tokens.Token // around the first =
}

func (f *finder) newStatement() {
	f.stmt = statement{fresh: true}
	f.frames = append(f.frames[:0], frame{})
}

func (f *finder) beginStatement() {
	f.stmt = statement{first: f.cur, target: true, header: opensBlock(f.cur)}
	f.followClass()
	f.decorate()
	f.statementWord()
}

// followClass takes note of where the body of a class begins and ends.
func (f *finder) followClass() {
	t := f.cur
	switch {
	case t.Is("class"):
		f.class, f.member = t, 0
	case f.class.End == 0 || t.Line == f.class.Line:
	case t.Col <= f.class.Col:
		f.class = tokens.Token{}
	case f.member == 0:
		f.member = t.Col
	}
}

// endStatement tells what only its end decides.
func (f *finder) endStatement() {
	if f.stmt.fresh {
		return
	}
	f.separate(f.top())
	s := &f.stmt
	switch {
	case len(s.names) > 0:
		f.importStatement()
	case s.colon.End != 0:
		f.variableType()
	case s.star.End != 0 && s.equals.End == 0 && !s.first.Is("for"):
		f.unpack(s.star)
	case s.star.End != 0:
		f.report("no-starred-assignment", s.star, s.star, "a starred name can't take the rest of a list",
			"take it apart: `first, rest = xs[0], xs[1:]`")
	}
	f.newStatement()
}

// opensBlock reports whether a statement that begins with the token ends with a
// colon and a block, in Starlark or in Python.
func opensBlock(t tokens.Token) bool {
	if t.Kind != tokens.Name {
		return false
	}
	switch t.Text {
	case "def", "if", "elif", "else", "for", "while", "class", "try", "except", "finally", "with", "async":
		return true
	}
	return false
}

// follow keeps the statement's state at its own level.
func (s *statement) follow(f *finder) {
	t := f.cur
	if len(f.frames) > 1 {
		return
	}
	switch {
	case t.Kind == tokens.Name:
		s.target = s.target && !tokens.Reserved(t.Text) && f.prev.Kind != tokens.Name
	case t.Kind == tokens.Punct:
		_, opens := t.Opens()
		s.target = s.target && (t.Is(".") || opens && !t.Is("(") || t.Closes() || t.Is(":") || t.Is("="))
	default:
		s.target = false
	}
}

// variableType tells x: int = 5.
func (f *finder) variableType() {
	s := &f.stmt
	if f.class.End != 0 && s.first.Col == f.member {
		return // a field, of which the problem of the class speaks
	}
	name := f.text(s.first, s.name, "x")
	if s.equals.End == 0 {
		f.report("no-variable-types", s.colon, f.prev, "a variable takes no type",
			sprintf("leave the line out: the first `%s = ...` makes the variable", name))
		return
	}
	f.report("no-variable-types", s.colon, s.typeEnd, "a variable takes no type",
		sprintf("write `%s = %s`", name, f.text(s.value, f.prev, "...")))
}

// variableColon takes note of a colon at the statement's own level that belongs
// to no block.
func (f *finder) variableColon() {
	s := &f.stmt
	next := f.peek(0)
	variable := s.target && s.first.Kind == tokens.Name && s.colon.End == 0 && s.equals.End == 0
	misspelt := f.prev == s.first && engine.Nearest(s.first.Text, []string{"else", "try", "finally", "default"}) != ""
	if variable && !misspelt && f.prev.EndsOperand() && (next.BeginsOperand() || next.Is("(")) {
		s.colon, s.name = f.cur, f.prev
	}
}

// assignment takes note of an = at the statement's own level, and tells the
// second one.
func (f *finder) assignment() {
	s := &f.stmt
	switch {
	case s.equals.End == 0:
		s.equals, s.typeEnd, s.value = f.cur, f.prev, f.peek(0)
	case !s.chain && !s.header:
		s.chain = true
		first, second := f.text(s.first, s.typeEnd, "a"), f.text(s.value, f.prev, "b")
		f.report("no-chained-assignment", s.first, f.cur, "one statement assigns once",
			sprintf("write `%s = ...`, and then `%s = %s`", second, first, second))
	}
}
