package types

import (
	"fmt"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A Schemed type shows itself as a JSON Schema. Every type of this package is
// one; a type of another package that is not is shown as {}, "anything".
type Schemed interface {
	engine.Type
	// Schema is the type as JSON Schema, without a title of its own unless the
	// type is named. The caller does not change it.
	Schema() exactjson.Object
}

// A shape is a type that this package knows how to build upon.
type shape interface {
	Schemed
	// check accepts v at the checker's path: the converted value and true, or
	// false after the checker was told why not.
	check(c *checker, v starlark.Value) (starlark.Value, bool)
	// render is the JSON Schema of the type on one side.
	render(s side) exactjson.Object
	// measure tells how large the type is, written out.
	measure() measure
	// same reports whether the other type accepts and shows the same.
	same(other engine.Type) bool
	// has reports whether v, as it is, is a value of the type: isinstance. The
	// checker only bounds how much is looked at.
	has(c *checker, v starlark.Value) bool
}

// A side says for whom a schema is rendered. What a client sends may leave an
// optional member out, so there null is not part of its type; what a client
// receives always has it.
type side int

const (
	input side = iota
	output
)

// A measure is the size of a type when models are written out where they are
// used. Types are trees that share their branches, so a few lines of script can
// describe a schema that fills a disk.
type measure struct {
	nodes int // schemas in it
	depth int
	bytes int // of the texts in it, about
}

const (
	maxTypeNodes = 10_000
	maxTypeDepth = 64
	maxTypeBytes = 1 << 20
)

// leaf is the measure of a type without parts.
var leaf = measure{nodes: 1, depth: 1}

// with is m with one more part in it.
func (m measure) with(part measure) measure {
	return measure{
		nodes: min(m.nodes+part.nodes, maxTypeNodes+1),
		depth: max(m.depth, part.depth+1),
		bytes: min(m.bytes+part.bytes, maxTypeBytes+1),
	}
}

// around is the measure of a type that is made of parts.
func around(parts ...shape) measure {
	m := leaf
	for _, p := range parts {
		m = m.with(p.measure())
	}
	return m
}

// tooLarge refuses a type that could not be shown or checked in reasonable time.
func (m measure) tooLarge() error {
	switch {
	case m.depth > maxTypeDepth:
		return fmt.Errorf("types can be nested at most %d deep", maxTypeDepth)
	case m.nodes > maxTypeNodes:
		return fmt.Errorf("this type has more than %d parts when its models are written out; make it smaller, or take a dict", maxTypeNodes)
	case m.bytes > maxTypeBytes:
		return fmt.Errorf("this type has more than %d bytes of text when its models are written out; make it smaller", maxTypeBytes)
	}
	return nil
}

// Same reports whether two types are the same type: written alike, and of the
// same models. Two models are the same only if they are one.
func Same(a, b engine.Type) bool { return shapeOf(a).same(b) }

// shapeOf is t as a shape, wrapped if it comes from another package.
func shapeOf(t engine.Type) shape {
	if s, ok := t.(shape); ok {
		return s
	}
	return &foreign{t}
}

// foreign lets a type of another package stand inside ours.
type foreign struct{ outsider }

type outsider = engine.Type

func (f *foreign) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	path := ""
	if !c.quiet {
		path = c.at()
	}
	out, wrong := f.Accept(v, path)
	for _, m := range wrong {
		if c.listing() {
			c.found = append(c.found, m)
		}
	}
	c.opaque = true
	return out, len(wrong) == 0 && c.one(v)
}

func (f *foreign) Schema() exactjson.Object { return f.render(input) }

func (f *foreign) render(side) exactjson.Object {
	if s, ok := f.outsider.(interface{ Schema() exactjson.Object }); ok {
		return s.Schema()
	}
	return exactjson.Object{}
}

func (f *foreign) measure() measure { return leaf }

func (f *foreign) same(other engine.Type) bool {
	if o, ok := other.(*foreign); ok {
		other = o.outsider
	}
	return f.outsider == other
}

func (f *foreign) has(_ *checker, v starlark.Value) bool {
	_, wrong := f.Accept(v, "")
	return len(wrong) == 0
}

// common is what every type of this package does alike as a Starlark value.
type common struct{ self shape }

func (k *common) String() string        { return k.self.TypeName() }
func (k *common) Type() string          { return "type" }
func (k *common) Freeze()               {}
func (k *common) Truth() starlark.Bool  { return starlark.True }
func (k *common) Hash() (uint32, error) { return starlark.String(k.self.TypeName()).Hash() }

func (k *common) Accept(v starlark.Value, path string) (starlark.Value, []engine.Mismatch) {
	return accept(k.self, v, path)
}

func (k *common) Schema() exactjson.Object { return k.self.render(input) }

// Attr has nothing to give, and says what was probably meant.
func (k *common) Attr(name string) (starlark.Value, error) { return nil, noAttribute(k.self, name) }
func (k *common) AttrNames() []string                      { return nil }

// Get is the index T[...], which only list and dict have.
func (k *common) Get(starlark.Value) (starlark.Value, bool, error) {
	return nil, false, noIndex(k.self)
}

func (k *common) Binary(op syntax.Token, y starlark.Value, s starlark.Side) (starlark.Value, error) {
	if op != syntax.PIPE {
		return nil, nil
	}
	other, err := AsType(y)
	if err != nil {
		return nil, err
	}
	if s == starlark.Right {
		return unionOf(shapeOf(other), k.self)
	}
	return unionOf(k.self, shapeOf(other))
}

func (k *common) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	other, isType := y.(engine.Type)
	switch op {
	case syntax.EQL:
		return isType && k.self.same(other), nil
	case syntax.NEQ:
		return !isType || !k.self.same(other), nil
	}
	return false, fmt.Errorf("types have no order: %s %s %s", k.self.TypeName(), op, y.Type())
}

// unwrap is t without what only gives it a name that can be called.
func unwrap(t engine.Type) shape {
	switch t := t.(type) {
	case *word:
		return t.ownShape
	case shape:
		return t
	}
	return shapeOf(t)
}
