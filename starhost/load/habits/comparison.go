package habits

import (
	"strings"

	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// A comparison is what stands between two separators of one bracket. Starlark
// takes no more than one operator in it.
type comparison struct {
	first     tokens.Token // its first token
	operators []tokens.Token
}

func (c *comparison) begin(t tokens.Token) {
	if c.first.End == 0 {
		c.first = t
	}
}

// extend makes one operator of not in.
func (c *comparison) extend(in tokens.Token) {
	if n := len(c.operators); n > 0 {
		o := &c.operators[n-1]
		o.End, o.EndLine, o.EndCol = in.End, in.EndLine, in.EndCol
	}
}

// compare takes note of a comparison's operator. A bracket that was never opened ends
// an operand, but begins no comparison.
func (f *finder) compare(fr *frame) {
	const most = 8 // more are not written out
	if f.prev.EndsOperand() && fr.comparison.first.End != 0 && len(fr.comparison.operators) < most {
		fr.comparison.operators = append(fr.comparison.operators, f.cur)
	}
}

// separate ends the comparison at hand before the token at hand.
func (f *finder) separate(fr *frame) {
	c := &fr.comparison
	if len(c.operators) > 1 && c.first.Start < f.prev.End {
		f.report("no-chained-comparison", c.first, f.prev, "a comparison can't be chained", f.unchained(c))
	}
	c.first, c.operators = tokens.Token{}, c.operators[:0]
}

// unchained writes a < b < c as a < b and b < c.
func (f *finder) unchained(c *comparison) string {
	whole := f.text(c.first, f.prev, "")
	if whole == "" {
		return "write two comparisons: `a < b and b < c`"
	}
	var parts []string
	left := c.first.Start
	for i, op := range c.operators {
		end := f.prev.End
		if i+1 < len(c.operators) {
			end = c.operators[i+1].Start
		}
		parts = append(parts, strings.TrimSpace(f.src[left:end]))
		left = op.End
	}
	return "write `" + strings.Join(parts, " and ") + "`"
}
