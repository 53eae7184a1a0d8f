package engine

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// A Type says which values a parameter, a field or a result may hold.
//
// Types are Starlark values, because scripts write them as annotations:
// str, list[int], Stock | None. Implementations are immutable and safe for
// concurrent use.
type Type interface {
	starlark.Value

	// TypeName is the type as an author writes it.
	TypeName() string

	// Accept checks v, and converts it where the type is lenient ("5" for an
	// int, a dict for a model). It never changes v. path names v in mismatches
	// ("stock.copies", "tags[0]"); an empty path is the value itself.
	//
	// All mismatches are returned, not just the first; the value is only
	// meaningful when there is none.
	Accept(v starlark.Value, path string) (starlark.Value, []Mismatch)
}

// A Mismatch is one way in which a value does not fit its type.
type Mismatch struct {
	Path string // where, dotted: "stock.copies", "tags[0]"; empty for the value itself
	Want string // what was expected: "an integer", "at most 12"
	Got  string // what came, short: `"x" (str)`, "None", "nothing"
}

// String is one line that a model or an author can act on.
func (m Mismatch) String() string {
	if m.Path == "" {
		return fmt.Sprintf("expected %s, got %s", m.Want, m.Got)
	}
	return fmt.Sprintf("%s: expected %s, got %s", m.Path, m.Want, m.Got)
}

// MismatchText joins mismatches into one line, for errors inside a script.
func MismatchText(ms []Mismatch) string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.String()
	}
	return strings.Join(lines, "; ")
}

// Describe says what a value is, short enough for an error: `"x" (str)`,
// `5 (int)`, "None", "a list of 3". Long text is cut.
func Describe(v starlark.Value) string {
	const longest = 60
	switch v := v.(type) {
	case nil:
		return "nothing"
	case starlark.NoneType:
		return "None"
	case starlark.String:
		if len(v) > longest {
			cut := strings.ToValidUTF8(string(v[:longest]), "")
			return fmt.Sprintf("%s… (str of %d bytes)", starlark.String(cut).String(), len(v))
		}
		return v.String() + " (str)"
	case starlark.Bool, starlark.Float:
		return fmt.Sprintf("%s (%s)", v.String(), v.Type())
	case starlark.Int:
		// A decimal takes quadratic time: a huge one is not written out.
		if bits := v.BigInt().BitLen(); bits > 256 {
			return fmt.Sprintf("an int of %d bits", bits)
		}
		return v.String() + " (int)"
	case starlark.Sequence:
		return fmt.Sprintf("a %s of %d", v.Type(), v.Len())
	}
	return "a " + v.Type()
}
