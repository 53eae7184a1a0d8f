package habits

import "github.com/mcpstar/mcpstar/starhost/load/tokens"

// A frame is an open bracket, or the statement itself.
type frame struct {
	open       tokens.Token
	closer     byte         // 0 for the statement
	call       bool         // behind an operand: a call, an index or a slice
	params     bool         // the parameters of a def
	colons     bool         // there are colons that belong to no lambda
	commas     bool         // there are several elements
	odd        bool         // there is what no set holds, so that it is none
	lambdas    int          // those whose colon is still to come
	lambdaBody bool         // behind the colon of a lambda
	loop       tokens.Token // the first for
	vars       bool         // between for and in
	comparison comparison
}

func (f *finder) top() *frame { return &f.frames[len(f.frames)-1] }

// structure follows brackets, and what separates within them.
func (f *finder) structure() {
	t := f.cur
	if _, opens := t.Opens(); opens {
		f.top().comparison.begin(t)
		f.push()
		return
	}
	if t.Closes() {
		f.pop()
		return
	}
	switch fr := f.top(); {
	case t.Kind == tokens.Name && tokens.Reserved(t.Text):
		f.keyword(fr)
	case t.Kind == tokens.Punct:
		f.punct(fr)
	default:
		fr.comparison.begin(t)
	}
}

// deepest is how many brackets the parser lets nest. Behind more of them nothing
// is looked at.
const deepest = 1000

func (f *finder) push() {
	if len(f.frames) > deepest {
		f.skip = true
		return
	}
	closer, _ := f.cur.Opens()
	f.frames = append(f.frames, frame{
		open:   f.cur,
		closer: closer,
		call:   f.prev.EndsOperand(),
		params: f.cur.Is("(") && f.before.Is("def") && f.prev.Kind == tokens.Name,
	})
}

// pop closes the bracket that belongs to the token at hand, and what was left
// open within it. Without one it does nothing; the parser says so.
func (f *finder) pop() {
	for i := len(f.frames) - 1; i > 0; i-- {
		if f.frames[i].closer != f.cur.Text[0] {
			continue
		}
		f.frames = f.frames[:i+1]
		f.separate(f.top())
		f.closed(f.top())
		f.frames = f.frames[:i]
		return
	}
}

// closed looks at a whole bracket.
func (f *finder) closed(fr *frame) {
	inner := f.text(tokens.Token{Start: fr.open.End, Line: fr.open.EndLine}, tokens.Token{End: f.cur.Start, EndLine: f.cur.Line}, "...")
	switch {
	case fr.closer == ')' && fr.loop.End != 0 && !fr.params:
		if fr.commas {
			inner = "..."
		}
		f.report("no-generators", fr.open, f.cur, "a for between parentheses makes no generator",
			sprintf("make it a list with brackets: `([%s])`", inner))
	case fr.closer == '}' && !fr.colons && !fr.call && !fr.odd && f.prev.End != fr.open.End:
		f.report("no-set-literals", fr.open, f.cur, "braces without colons make no set",
			sprintf("write `set([%s])`", inner))
	}
}

// keyword follows the reserved words.
func (f *finder) keyword(fr *frame) {
	switch f.cur.Text {
	case "in":
		switch {
		case fr.vars:
			fr.vars = false
			f.iterable()
			f.separate(fr)
		case f.prev.Is("not"):
			fr.comparison.extend(f.cur)
		default:
			f.compare(fr)
		}
		return
	case "not":
		if f.prev.EndsOperand() && f.peek(0).Is("in") {
			f.compare(fr)
			return
		}
	case "for":
		if fr.loop.End == 0 {
			fr.loop = f.cur
		}
		fr.vars = true
	case "lambda":
		fr.lambdas++
	case "if", "else", "and", "or", "async", "await", "is":
	default:
		fr.odd = true
	}
	f.separate(fr)
}

// iterable tells a loop over something that can't be looped over.
func (f *finder) iterable() {
	x, after := f.peek(0), f.peek(1)
	if !(after.Is(":") || after.Closes() || after.Is("if") || after.Is("for") || after.Kind == tokens.Newline) {
		return
	}
	switch {
	case x.Kind == tokens.String && x.Text[0] != 'b':
		f.report("no-text-iteration", x, x, "a text can't be looped over",
			sprintf("write `for ... in text.chars(%s)`", f.text(x, x, "...")))
	case x.Kind == tokens.Number:
		f.report("no-number-iteration", x, x, "a number can't be looped over",
			sprintf("write `for ... in range(%s)`", f.text(x, x, "n")))
	}
}
