package types

import (
	"strconv"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"go.starlark.net/starlark"
)

// maxListed bounds the mismatches that are told one by one.
const maxListed = 20

// A fit says how well a value fits a member of a union: as it is, by a conversion
// that loses nothing (an int for a float), or read generously ("5" for an int).
type fit int

const (
	lax fit = iota
	strict
	exact
)

// A checker walks one value along one type. It knows where it is, so that a path
// is only written out where something is wrong.
type checker struct {
	root   string
	path   []step
	found  []engine.Mismatch
	hidden int // mismatches beyond maxListed

	spent   weight // of what was looked at so far
	tooMuch bool
	opaque  bool // some of it is not data, and its own Freeze may not end
	quiet   bool // a union tries a member: only yes or no matters
	exactly bool // nothing is read generously: an author's own default

	fit    fit
	fields int // of models that the value sets, or -1: what unions choose by

	thread *starlark.Thread // runs factories; may be nil
	err    error            // what a factory failed with: ends the check
}

func newChecker(path string) checker {
	return checker{root: path, fit: exact, fields: -1}
}

// accept is Accept of every type of this package.
func accept(t shape, v starlark.Value, path string) (starlark.Value, []engine.Mismatch) {
	c := newChecker(path)
	out, ok := t.check(&c, v)
	return c.result(out, ok)
}

// result is what Accept returns: no mismatches, and the value frozen, or no value.
func (c *checker) result(v starlark.Value, ok bool) (starlark.Value, []engine.Mismatch) {
	if c.err != nil {
		c.found = append(c.found, engine.Mismatch{Path: c.at(), Want: "a default", Got: "an error from its factory: " + c.err.Error()})
		return nil, c.found
	}
	if !ok || !c.freeze(v) {
		return nil, c.mismatches()
	}
	return v, nil
}

// freeze freezes what was checked, and reports whether that is possible.
func (c *checker) freeze(v starlark.Value) bool {
	if !c.opaque {
		v.Freeze() // the weight of data is bounded
		return true
	}
	if err := engine.Freeze(v); err != nil {
		c.wrong("a value that can be shared ("+err.Error()+")", v)
		return false
	}
	return true
}

// one accounts for one more value, and reports whether there is room for it.
func (c *checker) one(v starlark.Value) bool {
	c.spent.parts++
	return c.spent.parts <= maxParts || c.spend(weight{}, v)
}

// text accounts for a text.
func (c *checker) text(v starlark.String) bool {
	c.spent.parts++
	c.spent.bytes += len(v)
	return c.spent.parts <= maxParts && c.spent.bytes <= maxText || c.spend(weight{}, v)
}

// spend accounts for all of a weight.
func (c *checker) spend(w weight, v starlark.Value) bool {
	c.spent.parts += min(w.parts, maxParts+1)
	c.spent.bytes += min(w.bytes, maxText+1)
	want := weight{parts: c.spent.parts, bytes: c.spent.bytes}.tooHeavy()
	if want == "" {
		return true
	}
	if !c.tooMuch { // told even when a union only tries: nothing fits any more
		c.tooMuch = true
		c.found = append(c.found, engine.Mismatch{Path: c.at(), Want: want, Got: engine.Describe(v)})
	}
	return false
}

// over reports whether going on is pointless.
func (c *checker) over() bool { return c.quiet || c.tooMuch || c.err != nil }

// lower notes that the value fits no better than f.
func (c *checker) lower(f fit) { c.fit = min(c.fit, f) }

// sets notes that a model takes n of its fields from the value.
func (c *checker) sets(n int) { c.fields = max(c.fields, 0) + n }

// wrong notes that v is not what was wanted here.
func (c *checker) wrong(want string, v starlark.Value) {
	if c.listing() {
		c.found = append(c.found, engine.Mismatch{Path: c.at(), Want: want, Got: engine.Describe(v)})
	}
}

// listing reports whether the next mismatch will be told; if not it only counts.
func (c *checker) listing() bool {
	switch {
	case c.quiet:
		return false
	case len(c.found) >= maxListed:
		c.hidden++
		return false
	}
	return true
}

// mismatches are all that were found. When there are many, the last one says how
// many are not listed.
func (c *checker) mismatches() []engine.Mismatch {
	if c.hidden == 0 {
		return c.found
	}
	return append(c.found, engine.Mismatch{
		Path: c.root, Want: "all of it to fit", Got: strconv.Itoa(c.hidden) + " more problems like these",
	})
}

// A step leads from a value to one of its parts, or to one reading of it.
type step struct {
	kind  stepKind
	name  string
	index int
}

type stepKind uint8

const (
	toMember stepKind = iota
	toElement
	asType // a member of a union
)

func (c *checker) enter(s step) { c.path = append(c.path, s) }
func (c *checker) leave()       { c.path = c.path[:len(c.path)-1] }

// here is the step the checker took last.
func (c *checker) here() *step { return &c.path[len(c.path)-1] }

// at writes out where the checker is: "main.amount.grams", "tags[0]".
func (c *checker) at() string {
	if len(c.path) == 0 {
		return c.root
	}
	var b strings.Builder
	b.WriteString(c.root)
	for _, s := range c.path {
		switch s.kind {
		case toElement:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case asType:
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString("(as " + clip(s.name) + ")")
		default:
			writeMember(&b, s.name)
		}
	}
	return b.String()
}

// writeMember adds a member to a path: .name, or ["a name"] if the name would not
// read well after a dot.
func writeMember(b *strings.Builder, name string) {
	if !plain(name) {
		b.WriteString("[" + starlark.String(clip(name)).String() + "]")
		return
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	b.WriteString(clip(name))
}

func plain(name string) bool {
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r >= 0xa0:
		default:
			return false
		}
	}
	return name != ""
}

// clip cuts a text that an error only mentions.
func clip(s string) string {
	const longest = 60
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}
