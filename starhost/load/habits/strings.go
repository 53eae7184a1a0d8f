package habits

import (
	"strings"

	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// prefixes are those that Python has and Starlark has not. Other names may touch a
// literal: "a" if"b".
var prefixes = map[string]bool{"f": true, "fr": true, "rf": true, "t": true, "tr": true, "rt": true, "u": true, "r": true, "b": true, "rb": true, "br": true}

// string looks at a literal: what stands beside it, and what is done with it.
func (f *finder) string() {
	t := f.cur
	if f.prev.Kind == tokens.String || f.before.Kind == tokens.String && f.prev.Touches(t) && prefixes[strings.ToLower(f.prev.Text)] {
		f.adjacent()
	} else {
		f.run = nil
	}
	if f.peek(0).Is(".") && f.peek(1).Is("format") && f.peek(2).Is("(") {
		f.formatted()
	}
}

// adjacent tells "a" "b", once for all that stand in a row.
func (f *finder) adjacent() {
	if f.run != nil {
		f.run.At.Span.End = f.span(f.cur, f.cur).End
		return
	}
	first := f.prev
	if first.Kind != tokens.String {
		first = f.before
	}
	help := "join them with +"
	if len(f.frames) > 1 {
		help = "join them with +, or put a comma between them"
	}
	f.run = f.report("no-adjacent-strings", first, f.cur, "strings beside one another are not joined", help)
}

// number tells 1_000.
func (f *finder) number() {
	next := f.peek(0)
	if next.Kind != tokens.Name || !f.cur.Touches(next) || next.Text[0] != '_' {
		return
	}
	number := f.cur.Text + next.Text
	help := "leave the underscores out"
	if len(number) < 40 {
		help = "write `" + strings.ReplaceAll(number, "_", "") + "`"
	}
	f.report("no-digit-underscores", f.cur, next, "a number has no underscores", help)
}

// prefix looks at the name that touches a literal, which Starlark does not know
// as a prefix.
func (f *finder) prefix(literal tokens.Token) {
	t := f.cur
	switch prefix := strings.ToLower(t.Text); prefix {
	case "f", "fr", "rf", "t", "tr", "rt":
		help := "write `\"...\".format(...)` or `\"...\" % (...)`"
		if written := unformat(literal.Text); prefix == "f" && written != "" && literal.Line == literal.EndLine {
			help = "write `" + written + "`"
		}
		f.report("no-f-strings", t, literal, "Starlark has no f-strings", help)
	case "u":
		f.report("no-string-prefix", t, t, sprintf("Starlark has no string prefix `%s`", t.Text), "leave it out: all text is Unicode")
	case "r", "b", "rb", "br":
		known := strings.Replace(prefix, "br", "rb", 1)
		f.report("no-string-prefix", t, t, sprintf("Starlark has no string prefix `%s`", t.Text), sprintf("write `%s`", known))
	}
}

// unformat writes an f-string with format(): f"{n} of {x:.2f}" becomes
// "{} of {}".format(n, format(x, ".2f")). It is "" where that is not plain.
func unformat(literal string) string {
	const longest = 60
	quote := literal[:1]
	if len(literal) > longest || len(literal) < 2 || strings.HasPrefix(literal, quote+quote+quote) {
		return ""
	}
	var args []string
	out, rest := "", literal
	for {
		text, field, after, ok := nextField(rest)
		if out += text; !ok {
			break
		}
		arg, conversion := argument(field)
		if arg == "" {
			return ""
		}
		out, rest, args = out+"{"+conversion+"}", after, append(args, arg)
	}
	switch {
	case strings.ContainsAny(strings.NewReplacer("{{", "", "}}", "", "{}", "", "{!r}", "", "{!s}", "").Replace(out), "{}"):
		return ""
	case len(args) == 0:
		return strings.NewReplacer("{{", "{", "}}", "}").Replace(out)
	}
	return sprintf("%s.format(%s)", out, strings.Join(args, ", "))
}

// nextField cuts text at its first replacement field.
func nextField(text string) (before, field, after string, ok bool) {
	for i := 0; i < len(text); i++ {
		if text[i] != '{' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '{' {
			i++
			continue
		}
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			break
		}
		return text[:i], text[i+1 : i+end], text[i+end+1:], true
	}
	return text, "", "", false
}

// argument writes the field of an f-string as an argument of format(), and gives
// the conversion that stays in the text. It is "" where that is not plain: where
// the field holds another, or where its colon may be another's.
func argument(field string) (value, conversion string) {
	value, spec, formatted := strings.Cut(field, ":")
	value = strings.TrimSpace(value)
	if !formatted && (strings.HasSuffix(value, "!r") || strings.HasSuffix(value, "!s")) {
		value, conversion = strings.TrimSpace(value[:len(value)-2]), value[len(value)-2:]
	}
	switch {
	case value == "", strings.HasSuffix(value, "="), strings.ContainsAny(value, "{}!\\"), strings.Contains(value, "lambda"):
		return "", ""
	case formatted && strings.ContainsAny(value, "[(\"'"), strings.ContainsAny(spec, "{}\"'\\"):
		return "", ""
	case formatted && spec != "":
		return sprintf("format(%s, %q)", value, spec), ""
	}
	return value, conversion
}

// formatted tells "{:.2f}".format(x).
func (f *finder) formatted() {
	rest := f.cur.Text
	for {
		_, field, after, ok := nextField(rest)
		if !ok {
			return
		}
		rest = after
		name, spec, _ := strings.Cut(field, ":")
		name, _, _ = strings.Cut(name, "!")
		switch {
		case strings.ContainsAny(name, "\"' \\\r\n{"):
			return // a brace that should have been doubled
		case spec != "":
			f.report("no-format-specs", f.cur, f.cur, sprintf("`{%s}` can't say how to format", field),
				sprintf("write `{%s}` in its place, and `format(x, %q)` for the value", name, spec))
			return
		case strings.ContainsAny(name, ".["):
			f.report("no-format-specs", f.cur, f.cur, sprintf("`{%s}` can't look into a value", field),
				"write `{}` in its place, and the whole expression as the value")
			return
		}
	}
}

// percent tells "%.2f" % x.
func (f *finder) percent() {
	if f.prev.Kind != tokens.String || f.prev.Text[0] == 'b' {
		return
	}
	rest := f.prev.Text
	for {
		_, after, ok := strings.Cut(rest, "%")
		if !ok || after == "" {
			return
		}
		if rest = after[1:]; after[0] == '%' {
			continue
		}
		written, spec := conversion(after)
		if spec == "" {
			rest = after
			continue
		}
		f.report("no-format-specs", f.prev, f.prev, sprintf("`%%%s` can't say how wide or how exact", written),
			sprintf("write `%%s` in its place, and `format(x, %q)` for the value", spec))
		return
	}
}

// conversion reads what stands behind a %. spec is how format() says the same,
// "" where the conversion is plain or none at all.
func conversion(text string) (written, spec string) {
	end := 0
	if strings.HasPrefix(text, "(") {
		const longest = 100 // a search to the end for each would be quadratic
		end = strings.IndexByte(text[:min(len(text), longest)], ')') + 1
	}
	take := func(set string) string {
		start := end
		for end < len(text) && strings.IndexByte(set, text[end]) >= 0 {
			end++
		}
		return text[start:end]
	}
	flags, width := take("#0- +"), take("0123456789")
	precision := ""
	if strings.HasPrefix(text[end:], ".") {
		end++
		precision = "." + take("0123456789")
	}
	if end == len(text) || strings.IndexByte("diouxXeEfFgGcrs", text[end]) < 0 || flags+width+precision == "" {
		return "", ""
	}
	kind := text[end : end+1]
	text = text[:end+1]
	switch {
	case strings.Contains(flags, "-"):
		spec = "<"
	case strings.Contains("crs", kind) && width != "":
		spec = ">"
	}
	if sign := strings.IndexAny(flags, "+ "); sign >= 0 {
		spec += flags[sign : sign+1]
	}
	if strings.Contains(flags, "#") {
		spec += "#"
	}
	if strings.Contains(flags, "0") && !strings.Contains(flags, "-") {
		spec += "0"
	}
	spec += width + precision
	if strings.Contains("eEfFgGxXo", kind) {
		spec += kind
	} else if strings.Contains("diu", kind) && precision == "" {
		spec += "d"
	}
	return text, spec
}
