package types

import (
	"strconv"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"go.starlark.net/starlark"
)

const (
	// maxListed bounds the mismatches that are told one by one.
	maxListed = 20
	// maxParts bounds the values looked at in one check. A script can share one
	// list a million times; a typed copy of it could not.
	maxParts = 4_000_000
	// maxDepth bounds the nesting of a value, as exactjson does.
	maxDepth = 200
)

// fit says how well a value fits a member of a union: without conversion, by one
// that loses nothing (an int for a float), or by reading it generously.
type fit int

const (
	lax fit = iota
	strict
	exact
)

// A checker walks one value along one type. It knows where it is, so that a path
// is only written out when something is wrong there.
type checker struct {
	root   string
	path   []step
	found  []engine.Mismatch
	hidden int // mismatches beyond maxListed

	parts   int
	tooMany bool
	quiet   bool // a union tries a member: only yes or no matters
	exactly bool // no generous reading: an author's own default

	fit    fit
	fields int // model fields set by the value, or -1: as pydantic's smart unions count

	thread *starlark.Thread // runs factories; may be nil
	err    error            // what a factory failed with
}

// A step leads from a value into one of its parts.
type step struct {
	name  string
	index int
	kind  stepKind
}

type stepKind uint8

const (
	intoName stepKind = iota
	intoIndex
	asMember // a member of a union
)

func accept(t shape, v starlark.Value, path string) (starlark.Value, []engine.Mismatch) {
	c := checker{root: path, fit: exact, fields: -1}
	out, ok := t.check(&c, v)
	if ok {
		out.Freeze()
	} else {
		out = nil
	}
	return out, c.mismatches()
}

// count accounts for one more value, and reports whether there is room for it.
func (c *checker) count(v starlark.Value) bool {
	if c.parts++; c.parts > maxParts {
		if !c.tooMany {
			c.tooMany = true
			c.wrong("at most 4,000,000 values in all", v)
		}
		return false
	}
	return true
}

// lower notes that the value fits no better than f.
func (c *checker) lower(f fit) { c.fit = min(c.fit, f) }

// wrong notes that v is not what was wanted here.
func (c *checker) wrong(want string, v starlark.Value) {
	switch {
	case c.quiet:
	case len(c.found) >= maxListed:
		c.hidden++
	default:
		c.found = append(c.found, engine.Mismatch{Path: c.at(), Want: want, Got: engine.Describe(v)})
	}
}

// add notes a mismatch that is complete already.
func (c *checker) add(m engine.Mismatch) {
	switch {
	case c.quiet:
	case len(c.found) >= maxListed:
		c.hidden++
	default:
		c.found = append(c.found, m)
	}
}

// mismatches are all that were found; the last one tells how many are not listed.
func (c *checker) mismatches() []engine.Mismatch {
	if c.hidden == 0 {
		return c.found
	}
	return append(c.found, engine.Mismatch{
		Path: c.root, Want: "all of it to fit", Got: strconv.Itoa(c.hidden) + " more mismatches like these",
	})
}

func (c *checker) enter(s step) { c.path = append(c.path, s) }
func (c *checker) leave()       { c.path = c.path[:len(c.path)-1] }

// at writes out where the checker is: "main.amount.grams", "tags[0]".
func (c *checker) at() string {
	if len(c.path) == 0 {
		return c.root
	}
	var b strings.Builder
	b.WriteString(c.root)
	for _, s := range c.path {
		switch s.kind {
		case intoIndex:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case asMember:
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString("(as " + s.name + ")")
		default:
			writeName(&b, s.name)
		}
	}
	return b.String()
}

// writeName adds a member's name to a path: .name, or ["a name"] if it is not
// one that reads well after a dot.
func writeName(b *strings.Builder, name string) {
	const longest = 40
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "") + "…"
	}
	if !plain(name) {
		b.WriteString("[" + starlark.String(name).String() + "]")
		return
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	b.WriteString(name)
}

func plain(name string) bool {
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-', r > 0x7f:
		default:
			return false
		}
	}
	return name != ""
}

// setFields notes that a model took n of its fields from the value.
func (c *checker) setFields(n int) {
	if n >= 0 {
		c.fields = max(c.fields, 0) + n
	}
}
