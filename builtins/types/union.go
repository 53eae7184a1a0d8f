package types

import (
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// A union is A | B: at least two members, none of them a union, none twice.
type union struct {
	common
	members  []shape
	rest     []shape // the members without None
	nullable bool    // None is a member
}

// unionOf is x | y, flattened and without repetitions: one type if they are the same.
func unionOf(x, y shape) (starlark.Value, error) {
	u := &union{}
	u.self = u
	for _, t := range []shape{x, y} {
		if inner, ok := unwrap(t).(*union); ok {
			for _, m := range inner.members {
				u.add(m)
			}
		} else {
			u.add(t)
		}
	}
	if len(u.members) == 1 {
		return u.members[0], nil
	}
	return u, u.measure().tooLarge()
}

func (u *union) add(t shape) {
	for _, m := range u.members {
		if m.same(t) {
			return
		}
	}
	u.members = append(u.members, t)
	if noneType.same(t) {
		u.nullable = true
	} else {
		u.rest = append(u.rest, t)
	}
}

func (u *union) TypeName() string {
	names := make([]string, len(u.members))
	for i, m := range u.members {
		names[i] = m.TypeName()
	}
	return strings.Join(names, " | ")
}

// check chooses the member that fits best, as the reference does: one that takes
// the value as it is, else the one whose models take more of its fields, else the
// one that converts least, else the first. When none fits, what is wrong with each
// of them is told.
func (u *union) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	if _, none := v.(starlark.NoneType); none && u.nullable {
		return v, c.one(v)
	}
	if len(u.rest) == 1 {
		return u.rest[0].check(c, v)
	}
	if best, found := choose(c, u.rest, v); found || c.over() {
		return best, found
	}
	for _, m := range u.rest {
		c.enter(step{kind: asType, name: m.TypeName()})
		m.check(c, v)
		c.leave()
	}
	return nil, false
}

// choose tries all members in silence.
func choose(c *checker, members []shape, v starlark.Value) (best starlark.Value, found bool) {
	quiet, outerFit, outerFields := c.quiet, c.fit, c.fields
	bestFit, bestFields := lax, -1
	c.quiet = true
	for _, m := range members {
		c.fit, c.fields = exact, -1
		out, ok := m.check(c, v)
		if c.err != nil || c.tooMuch {
			break
		}
		if !ok {
			continue
		}
		better := c.fit > bestFit
		if c.fields >= 0 && bestFields >= 0 && c.fields != bestFields {
			better = c.fields > bestFields
		}
		if !found || better {
			best, found, bestFit, bestFields = out, true, c.fit, c.fields
		}
		if c.fit == exact && c.fields < 0 {
			break
		}
	}
	c.quiet, c.fit, c.fields = quiet, outerFit, outerFields
	if found {
		c.lower(bestFit)
		if bestFields >= 0 {
			c.sets(bestFields)
		}
	}
	return best, found
}

func (u *union) render(s side) exactjson.Object {
	return (&Limits{}).arms(u, s, u.nullable)
}

func (u *union) measure() measure { return around(u.members...) }

func (u *union) same(other engine.Type) bool {
	o, ok := unwrap(other).(*union)
	if !ok || len(o.members) != len(u.members) {
		return false
	}
	for i, m := range u.members {
		if !m.same(o.members[i]) {
			return false
		}
	}
	return true
}

func (u *union) has(c *checker, v starlark.Value) bool {
	for _, m := range u.members {
		if m.has(c, v) {
			return true
		}
	}
	return false
}
