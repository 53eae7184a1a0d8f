package types

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// Titled is the title of a name: "long_winded_name" is "Long Winded Name". It is
// Python's title(), which also lowers what follows a capital.
func Titled(name string) string {
	var b strings.Builder
	after := false // a letter
	for _, r := range name {
		switch {
		case r == '_':
			b.WriteByte(' ')
		case after:
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToTitle(r))
		}
		after = unicode.IsLetter(r)
	}
	return strings.TrimSpace(b.String())
}

// set is o with the member, in place of one of that name.
func set(o exactjson.Object, name string, value any) exactjson.Object {
	for i := range o {
		if o[i].Name == name {
			o = slices.Clone(o)
			o[i].Value = value
			return o
		}
	}
	return o.With(name, value)
}

// concat is x and y in a new object.
func concat(x, y exactjson.Object) exactjson.Object { return slices.Concat(x, y) }

// sorted is o in the order of the names, as the reference has it: a schema reads
// the same however it was put together.
func sorted(o exactjson.Object) exactjson.Object {
	o = slices.Clone(o)
	slices.SortStableFunc(o, func(a, b exactjson.Member) int { return cmp.Compare(a.Name, b.Name) })
	return o
}
