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
	nullable bool // None is a member
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
	u.nullable = u.nullable || noneType.same(t)
}

// others are the members without None.
func (u *union) others() []shape {
	if !u.nullable {
		return u.members
	}
	var out []shape
	for _, m := range u.members {
		if !noneType.same(m) {
			out = append(out, m)
		}
	}
	return out
}

func (u *union) TypeName() string {
	names := make([]string, len(u.members))
	for i, m := range u.members {
		names[i] = m.TypeName()
	}
	return strings.Join(names, " | ")
}

// check chooses the member that fits best: one that takes the value as it is,
// else one that sets more fields, else the first that converts it.
func (u *union) check(c *checker, v starlark.Value) (starlark.Value, bool) {
	if _, none := v.(starlark.NoneType); none && u.nullable {
		return v, c.count(v)
	}
	members := u.others()
	if len(members) == 1 {
		return members[0].check(c, v)
	}
	best, found := u.choose(c, members, v)
	if found {
		return best, true
	}
	if c.quiet || c.tooMany || c.err != nil {
		return nil, false
	}
	for _, m := range members {
		c.enter(step{kind: asMember, name: m.TypeName()})
		m.check(c, v)
		c.leave()
	}
	return nil, false
}

func (u *union) choose(c *checker, members []shape, v starlark.Value) (best starlark.Value, found bool) {
	outer := *c
	c.quiet = true
	bestFit, bestFields := lax, -1
	for _, m := range members {
		c.fit, c.fields = exact, -1
		out, ok := m.check(c, v)
		if !ok {
			continue
		}
		better := !found || c.fit > bestFit
		if found && c.fields >= 0 && bestFields >= 0 && c.fields != bestFields {
			better = c.fields > bestFields
		}
		if better {
			best, found, bestFit, bestFields = out, true, c.fit, c.fields
		}
		if c.fit == exact && c.fields < 0 {
			break
		}
	}
	c.quiet, c.fit, c.fields = outer.quiet, outer.fit, outer.fields
	if found {
		c.lower(bestFit)
		c.setFields(bestFields)
	}
	return best, found
}

func (u *union) render(s side) exactjson.Object {
	any := make([]any, len(u.members))
	for i, m := range u.members {
		any[i] = m.render(s)
	}
	return exactjson.Object{{Name: "anyOf", Value: any}}
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

func (u *union) has(v starlark.Value) bool {
	for _, m := range u.members {
		if m.has(v) {
			return true
		}
	}
	return false
}
