package types

import (
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// Without is t without the arms that drop reports, and whether there were any. The
// rest is nil when nothing is left. A type that is no union is one arm.
func Without(t engine.Type, drop func(engine.Type) bool) (rest engine.Type, found bool) {
	u, ok := unwrap(shapeOf(t)).(*union)
	if !ok {
		if drop(bare(t)) {
			return nil, true
		}
		return t, false
	}
	var kept shape
	for _, m := range u.members {
		switch {
		case drop(bare(m)):
			found = true
		case kept == nil:
			kept = m
		default:
			// It was part of a union that was made, so a smaller one can be.
			both, _ := unionOf(kept, m)
			kept, _ = both.(shape)
		}
	}
	if !found {
		return t, false
	}
	if kept == nil {
		return nil, true
	}
	return kept, true
}

// bare is a type as the package that made it knows it.
func bare(t engine.Type) engine.Type {
	if f, ok := t.(*foreign); ok {
		return f.outsider
	}
	return t
}

// TakesText reports whether some text can be converted to the type: what comes from
// a URI, or as a prompt's argument, is text. Lists and objects written as JSON don't
// count.
func TakesText(t engine.Type) bool {
	switch t := unwrap(shapeOf(t)).(type) {
	case *scalar:
		return t != noneType
	case *anything, *foreign:
		return true
	case *enum:
		return !t.integers()
	case *union:
		for _, m := range t.members {
			if TakesText(m) {
				return true
			}
		}
		return false
	case *listOf, *dictOf, *Model:
		return false
	case *rawSchema:
		kind := t.object.Get("type")
		return kind == nil || says(t.object, "type", "string")
	}
	return true
}

// TakesTexts reports whether the type is a list of what takes text: what a variable
// of several values in a URI gives.
func TakesTexts(t engine.Type) bool {
	switch t := unwrap(shapeOf(t)).(type) {
	case *listOf:
		return t.elem == nil || TakesText(t.elem)
	case *anything:
		return true
	}
	return false
}

// TextChoices are the texts that a type leaves to choose from, or nil when it leaves
// any.
func TextChoices(t engine.Type) []string {
	rest, _ := Without(t, func(arm engine.Type) bool { return unwrap(shapeOf(arm)).same(noneType) })
	if rest == nil {
		return nil
	}
	e, ok := unwrap(shapeOf(rest)).(*enum)
	if !ok {
		return nil
	}
	var texts []string
	for _, ch := range e.choices {
		if s, ok := ch.value.(starlark.String); ok {
			texts = append(texts, string(s))
		}
	}
	return texts
}
