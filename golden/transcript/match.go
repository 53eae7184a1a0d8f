package transcript

import "fmt"

// Match compares what was said with what is written. It binds the captures that
// appear for the first time, also when there are differences elsewhere, so that a
// story goes on after its first difference.
//
// The result says where the first difference is, or is "" when there is none.
func Match(written, said *Value, b Bindings) string {
	return match(written, said, b, "")
}

// MatchMember is Match for one member of two objects. It binds nothing.
func MatchMember(written, said *Value, name string, b Bindings) string {
	return match(written.Get(name), said.Get(name), b.clone(), name)
}

func match(written, said *Value, b Bindings, path string) string {
	if written == nil || said == nil {
		if written == said {
			return ""
		}
		return differ(path, written, said)
	}
	if written.Kind == String {
		p, plain, err := parsePattern(written.Text)
		if err == nil && !plain {
			if !p.matches(said, b) {
				return differ(path, written, said)
			}
			return ""
		}
	}
	if written.Kind != said.Kind {
		return differ(path, written, said)
	}
	switch written.Kind {
	case Object:
		return matchObject(written, said, b, path)
	case Array:
		return matchArray(written, said, b, path)
	}
	if written.Text != said.Text {
		return differ(path, written, said)
	}
	return ""
}

func matchObject(written, said *Value, b Bindings, path string) string {
	first := ""
	note := func(text string) {
		if first == "" {
			first = text
		}
	}
	for _, m := range written.Members {
		other := said.Get(m.Name)
		if other == nil {
			note(fmt.Sprintf("%s is gone", join(path, m.Name)))
			continue
		}
		note(match(m.Value, other, b, join(path, m.Name)))
	}
	for _, m := range said.Members {
		if written.Get(m.Name) == nil {
			note(fmt.Sprintf("%s is new: %s", join(path, m.Name), clip(m.Value.line())))
		}
	}
	if first == "" && len(written.Members) != len(said.Members) {
		note(fmt.Sprintf("%s has %s, not %d", orTop(path), counted(len(said.Members), "member"), len(written.Members)))
	}
	if first != "" {
		return first
	}
	for i := range written.Members {
		if written.Members[i].Name != said.Members[i].Name {
			return fmt.Sprintf("%s has another order: %q where %q stood", orTop(path), said.Members[i].Name, written.Members[i].Name)
		}
	}
	return ""
}

func matchArray(written, said *Value, b Bindings, path string) string {
	first := ""
	for i := 0; i < min(len(written.Elements), len(said.Elements)); i++ {
		if d := match(written.Elements[i], said.Elements[i], b, fmt.Sprintf("%s[%d]", path, i)); first == "" {
			first = d
		}
	}
	if first == "" && len(written.Elements) != len(said.Elements) {
		return fmt.Sprintf("%s has %s, not %d", orTop(path), counted(len(said.Elements), "element"), len(written.Elements))
	}
	return first
}

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func orTop(path string) string {
	if path == "" {
		return "the whole"
	}
	return path
}

func differ(path string, written, said *Value) string {
	show := func(v *Value) string {
		if v == nil {
			return "nothing"
		}
		text := v.line()
		if len(text) > 200 {
			return text[:200] + "…"
		}
		return text
	}
	return fmt.Sprintf("%s is %s, not %s", orTop(path), show(said), show(written))
}

// Merge is what was said, written with the placeholders of what stood there
// before wherever they still fit.
func Merge(written, said *Value, b Bindings) *Value {
	if said == nil {
		return nil
	}
	if written != nil && written.Kind == String {
		if p, plain, err := parsePattern(written.Text); err == nil && !plain && p.matches(said, b.clone()) {
			return written
		}
	}
	switch said.Kind {
	case Object:
		out := &Value{Kind: Object}
		for _, m := range said.Members {
			out.Members = append(out.Members, Member{m.Name, Merge(written.Get(m.Name), m.Value, b)})
		}
		return out
	case Array:
		out := &Value{Kind: Array}
		for i, e := range said.Elements {
			var before *Value
			if written != nil && written.Kind == Array && i < len(written.Elements) {
				before = written.Elements[i]
			}
			out.Elements = append(out.Elements, Merge(before, e, b))
		}
		return out
	case String:
		if short := abbreviated(said.Text); short != "" {
			return Text(short)
		}
		return Text(escape(said.Text))
	}
	return said
}

// Fill is what is written with its captures replaced by what they stand for, to
// be sent. A capture that stands for nothing yet stands for its own name from
// now on.
func Fill(written *Value, b Bindings) (*Value, error) {
	if written == nil {
		return nil, nil
	}
	switch written.Kind {
	case Object:
		out := &Value{Kind: Object}
		for _, m := range written.Members {
			v, err := Fill(m.Value, b)
			if err != nil {
				return nil, err
			}
			out.Members = append(out.Members, Member{m.Name, v})
		}
		return out, nil
	case Array:
		out := &Value{Kind: Array}
		for _, e := range written.Elements {
			v, err := Fill(e, b)
			if err != nil {
				return nil, err
			}
			out.Elements = append(out.Elements, v)
		}
		return out, nil
	case String:
		return fillText(written, b)
	}
	return written, nil
}

func fillText(written *Value, b Bindings) (*Value, error) {
	p, plain, err := parsePattern(written.Text)
	if err != nil || plain {
		return written, err
	}
	text := ""
	for _, part := range p.parts {
		switch part.kind {
		case literal:
			text += part.text
		case capture:
			if b[part.text] == nil {
				b[part.text] = Text(part.text)
			}
			if p.whole() != nil {
				return b[part.text], nil
			}
			text += b[part.text].plain()
		default:
			return nil, fmt.Errorf("%s can't be sent: write the value itself, or a ${name} that an answer has bound", quote(written.Text))
		}
	}
	return Text(text), nil
}
