package types

import (
	"errors"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// check validates a copy of v, and then looks for the places where it is wrong.
func (n *rawNode) check(c *checker, v starlark.Value, copied any) bool {
	if err := n.resolved.Validate(copied); err != nil {
		if !c.quiet {
			n.locate(c, v, copied, err)
		}
		return false
	}
	return n.checkFormats(c, v)
}

// locate tells what is wrong with v as deep inside as it can be told.
func (n *rawNode) locate(c *checker, v starlark.Value, copied any, err error) {
	found := false
	c.enter(step{})
	switch v := v.(type) {
	case *starlark.Dict:
		found = n.locateIn(c, v, copied.(map[string]any))
	case *starlark.List:
		if n.items == nil {
			break
		}
		for i := range v.Len() {
			*c.here() = step{kind: toElement, index: i}
			if !n.items.check(c, v.Index(i), copied.([]any)[i]) {
				found = true
			}
		}
	}
	c.leave()
	if !found {
		c.wrong(n.want(err), v)
	}
}

func (n *rawNode) locateIn(c *checker, v *starlark.Dict, copied map[string]any) (found bool) {
	known := make(map[string]int, len(n.properties))
	for name := range n.properties {
		known[name] = 0
	}
	for k, e := range v.Entries() {
		name, _ := starlark.AsString(k)
		c.here().name = name
		if below := n.below(name); below != nil && !below.check(c, e, copied[name]) {
			found = true
		}
	}
	for _, name := range n.required() {
		if _, ok := copied[name]; !ok {
			c.here().name = name
			c.missing(name, n.wanted(name), known, v)
			found = true
		}
	}
	return found
}

// wanted is the type of a property in words.
func (n *rawNode) wanted(name string) string {
	if p := n.properties[name]; p != nil && p.object.Get("type") != nil {
		return jsonTypeWords(p.object.Get("type"))
	}
	return "a value"
}

func (n *rawNode) checkFormats(c *checker, v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.String:
		name, _ := n.object.Get("format").(starlark.String)
		if f, ok := formatNamed(string(name)); ok && !f.fits(string(v)) {
			c.wrong(f.want, v)
			return false
		}
	case *starlark.Dict:
		ok := true
		c.enter(step{})
		for k, e := range v.Entries() {
			name, _ := starlark.AsString(k)
			c.here().name = name
			if below := n.below(name); below != nil && !below.checkFormats(c, e) {
				ok = false
			}
		}
		c.leave()
		return ok
	case *starlark.List:
		if n.items == nil {
			return true
		}
		ok := true
		c.enter(step{kind: toElement})
		for i := range v.Len() {
			c.here().index = i
			if !n.items.checkFormats(c, v.Index(i)) {
				ok = false
			}
		}
		c.leave()
		return ok
	}
	return true
}

// want says in words what the keyword asks for that err is about.
func (n *rawNode) want(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	keyword, _, _ := strings.Cut(err.Error(), ":")
	value := n.object.Get(keyword)
	switch {
	case strings.HasPrefix(err.Error(), "unexpected additional properties"):
		return "no other properties than " + clip(n.propertyNames())
	case value == nil:
		return "a value that fits its schema"
	}
	shown := clip(shownValue(value))
	switch keyword {
	case "type":
		return jsonTypeWords(value)
	case "const":
		return shown
	case "uniqueItems":
		return "elements that all differ"
	}
	for _, k := range rawWords {
		if k[0] == keyword {
			return k[1] + shown + k[2]
		}
	}
	return "a value that fits its schema (" + keyword + " " + shown + ")"
}

// rawWords are what keywords ask for, in words before and after their values.
var rawWords = [...][3]string{
	{"enum", "one of ", ""},
	{"minimum", "at least ", ""},
	{"maximum", "at most ", ""},
	{"exclusiveMinimum", "more than ", ""},
	{"exclusiveMaximum", "less than ", ""},
	{"multipleOf", "a multiple of ", ""},
	{"pattern", "text that matches ", ""},
	{"minLength", "at least ", " characters"},
	{"maxLength", "at most ", " characters"},
	{"minItems", "at least ", " elements"},
	{"maxItems", "at most ", " elements"},
	{"minProperties", "at least ", " members"},
	{"maxProperties", "at most ", " members"},
}

func (n *rawNode) propertyNames() string {
	properties, _ := n.object.Get("properties").(exactjson.Object)
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

func shownValue(v any) string {
	if s, ok := v.(starlark.String); ok {
		return string(s)
	}
	data, err := exactjson.Marshal(v)
	if err != nil {
		return "…"
	}
	return strings.Trim(strings.ReplaceAll(string(data), ",", ", "), "[]")
}

func jsonTypeWords(v any) string {
	names := starlark.Tuple{}
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			names = append(names, v.Index(i))
		}
	case starlark.Value:
		names = append(names, v)
	}
	words := make([]string, len(names))
	for i, t := range names {
		name, _ := starlark.AsString(t)
		switch name {
		case "integer", "object", "array":
			words[i] = "an " + name
		case "null":
			words[i] = name
		default:
			words[i] = "a " + name
		}
	}
	return strings.Join(words, " or ")
}
