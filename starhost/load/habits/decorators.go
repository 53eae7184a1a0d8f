package habits

import (
	"strings"

	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// A decorator is an @ at the beginning of a line, whose function is still to
// come.
type decorator struct {
	at   tokens.Token
	args []tokens.Token // the tokens behind it
}

// collect takes the rest of a decorator's line.
func (d *decorator) collect(t tokens.Token) {
	const most = 200 // an unclosed bracket can make the line endless
	if len(d.args) < most {
		d.args = append(d.args, t)
	}
}

// decorate tells the decorators above the statement that begins, or above the
// end of the file.
func (f *finder) decorate() {
	if f.cur.Text == "@" || len(f.decorators) == 0 {
		return
	}
	var function tokens.Token
	switch {
	case f.cur.Is("def"):
		function = f.peek(0)
	case f.cur.Is("async") && f.peek(0).Is("def"):
		function = f.peek(1)
	}
	for _, d := range f.decorators {
		last := d.at
		if n := len(d.args); n > 0 {
			last = d.args[n-1]
		}
		f.settle(f.problem("no-decorators", d.at, last, "Starlark has no decorators", f.undecorated(d, function)))
	}
	f.decorators = nil
}

// undecorated is what to write instead of a decorator above the function: a call
// below it.
func (f *finder) undecorated(d decorator, function tokens.Token) string {
	name, open := tokens.Token{}, -1
	for i, t := range d.args {
		if t.Is("(") {
			open = i
			break
		}
		if t.Kind == tokens.Name {
			name = t
		}
	}
	if function.Kind != tokens.Name || name.Kind != tokens.Name {
		return "write a call below the function: `tool(f)`"
	}
	args := ""
	if n := len(d.args); open >= 0 && open+2 < n && d.args[n-1].Is(")") {
		args = strings.TrimSuffix(f.text(d.args[open+1], d.args[n-2], "..."), ",")
	}
	switch name.Text {
	case "property", "staticmethod", "classmethod", "override", "dataclass", "setter", "getter", "deleter", "abstractmethod":
		return "leave it out: Starlark has no classes"
	case "tool", "prompt", "completion":
		call := sprintf("%s(%s", name.Text, function.Text)
		if args != "" {
			call += ", " + args
		}
		return sprintf("write `%s)` below the function", call)
	case "resource":
		uri, _, _ := strings.Cut(args, ",")
		if uri == "" {
			uri = "..."
		}
		return sprintf("write `resource(%s, %s)` below the function", uri, function.Text)
	}
	return sprintf("write `%s = %s(%s)` below the function", function.Text, f.text(d.args[0], name, name.Text), function.Text)
}
