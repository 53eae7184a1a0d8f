package transcript

import (
	"fmt"
	"regexp"
	"strings"
)

// captured are the members that are new in every play, and what their captures
// are called.
var captured = map[string]string{
	"requestState":                           "state",
	"progressToken":                          "progress",
	"elicitationId":                          "elicitation",
	"sessionId":                              "session",
	"io.modelcontextprotocol/subscriptionId": "subscription",
}

// Captures gives names to what is new in every play. The zero value is not ready:
// Bound must be made.
type Captures struct {
	Bound  Bindings
	used   map[string]int
	tokens []*Value // what the client has said itself
}

// Token notes a value that the client has said itself, so that it needs no name.
func (c *Captures) Token(v *Value) {
	if v != nil {
		c.tokens = append(c.tokens, v)
	}
}

// Write is v with captures for what is new in every play. v is how a message is
// written without, raw is what was said.
func (c *Captures) Write(v, raw *Value) *Value {
	if v == nil || v.Kind != raw.Kind || v.Kind == String {
		return v
	}
	out := *v
	out.Members, out.Elements = nil, nil
	for i, m := range v.Members {
		before := raw.Members[i].Value
		if kind, ok := captured[m.Name]; ok && !c.known(m.Value, before) {
			m.Value = Text("${" + c.nameFor(kind, before) + "}")
		} else {
			m.Value = c.Write(m.Value, before)
		}
		out.Members = append(out.Members, m)
	}
	for i, e := range v.Elements {
		out.Elements = append(out.Elements, c.Write(e, raw.Elements[i]))
	}
	return &out
}

var placeholderText = regexp.MustCompile(`(^|[^$])\$\{`)

// known reports whether a member needs no capture: it has one, or the client said
// it.
func (c *Captures) known(v, raw *Value) bool {
	if raw.Kind == Object || raw.Kind == Array {
		return true
	}
	if placeholderText.MatchString(v.Text) && !strings.HasPrefix(v.Text, "${b64:") {
		return true
	}
	for _, token := range c.tokens {
		if token.Equal(raw) && c.Bound.nameOf(raw) == "" {
			return true
		}
	}
	return false
}

// nameFor is the capture for a value: one that is bound to it, or a new one.
func (c *Captures) nameFor(kind string, v *Value) string {
	if name := c.Bound.nameOf(v); name != "" {
		return name
	}
	if c.used == nil {
		c.used = map[string]int{}
	}
	for {
		c.used[kind]++
		name := fmt.Sprintf("%s:%d", kind, c.used[kind])
		if c.Bound[name] == nil {
			c.Bound[name] = v
			return name
		}
	}
}

// Names is v with the captures that are bound to its texts: how a client writes
// what a server has told it.
func (c *Captures) Names(v *Value) *Value {
	if v == nil {
		return nil
	}
	out := *v
	switch v.Kind {
	case String:
		if name := c.Bound.nameOf(v); name != "" {
			return Text("${" + name + "}")
		}
		return Text(escape(v.Text))
	case Object:
		out.Members = nil
		for _, m := range v.Members {
			out.Members = append(out.Members, Member{m.Name, c.Names(m.Value)})
		}
	case Array:
		out.Elements = nil
		for _, e := range v.Elements {
			out.Elements = append(out.Elements, c.Names(e))
		}
	}
	return &out
}
