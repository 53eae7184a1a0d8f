package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A Kind is what a JSON value is.
type Kind byte

// The kinds of JSON values. Literal is true, false and null.
const (
	Object Kind = iota + 1
	Array
	String
	Number
	Literal
)

// A Value is a JSON value as it was written: members in order, repeated ones
// too, and numbers in their own spelling.
type Value struct {
	Kind Kind
	// Text is the string that a String stands for; of Numbers and Literals the
	// text as written.
	Text string
	// Members are those of an Object, Elements those of an Array.
	Members  []Member
	Elements []*Value
}

// A Member is a member of an object.
type Member struct {
	Name  string
	Value *Value
}

// Get is the first member of that name, or nil. v may be nil.
func (v *Value) Get(name string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Without is the object without the members of that name.
func (v *Value) Without(name string) *Value {
	out := &Value{Kind: Object}
	for _, m := range v.Members {
		if m.Name != name {
			out.Members = append(out.Members, m)
		}
	}
	return out
}

// With is the object with a member set: in its place if it is there, else last.
func (v *Value) With(name string, value *Value) *Value {
	out := &Value{Kind: Object}
	found := false
	if v != nil {
		for _, m := range v.Members {
			if m.Name == name {
				m.Value, found = value, true
			}
			out.Members = append(out.Members, m)
		}
	}
	if !found {
		out.Members = append(out.Members, Member{name, value})
	}
	return out
}

// Text is a string value.
func Text(s string) *Value { return &Value{Kind: String, Text: s} }

// ParseJSON reads exactly one JSON value.
func ParseJSON(text []byte) (*Value, error) {
	v, n, err := parsePrefix(text)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(text[n:])) > 0 {
		return nil, errors.New("text after the JSON value")
	}
	return v, nil
}

// parsePrefix reads the JSON value that text begins with, and says how long it is.
func parsePrefix(text []byte) (*Value, int, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return nil, 0, fmt.Errorf("no JSON: %w", err)
	}
	if !utf8.Valid(raw) {
		return nil, 0, errors.New("no JSON: not UTF-8")
	}
	n := int(dec.InputOffset())
	dec = json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := readValue(dec)
	return v, n, err
}

func readValue(dec *json.Decoder) (*Value, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case string:
		return Text(token), nil
	case json.Number:
		return &Value{Kind: Number, Text: string(token)}, nil
	case json.Delim:
		if token == '[' {
			return readArray(dec)
		}
		return readObject(dec)
	case nil:
		return &Value{Kind: Literal, Text: "null"}, nil
	}
	return &Value{Kind: Literal, Text: fmt.Sprint(token)}, nil
}

func readArray(dec *json.Decoder) (*Value, error) {
	v := &Value{Kind: Array}
	for dec.More() {
		element, err := readValue(dec)
		if err != nil {
			return nil, err
		}
		v.Elements = append(v.Elements, element)
	}
	_, err := dec.Token() // the closing bracket
	return v, err
}

func readObject(dec *json.Decoder) (*Value, error) {
	v := &Value{Kind: Object}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		value, err := readValue(dec)
		if err != nil {
			return nil, err
		}
		v.Members = append(v.Members, Member{key.(string), value})
	}
	_, err := dec.Token() // the closing brace
	return v, err
}

// quote is s as a JSON string: non-ASCII as it is, nothing escaped for HTML.
func quote(s string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings can't fail
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

// Compact is v on one line without spaces, as it goes over the wire.
func (v *Value) Compact() []byte { return v.appendTo(nil, ",", ":") }

// line is v on one line as transcripts show it.
func (v *Value) line() string { return string(v.appendTo(nil, ", ", ": ")) }

func (v *Value) appendTo(out []byte, comma, colon string) []byte {
	switch v.Kind {
	case Object:
		out = append(out, '{')
		for i, m := range v.Members {
			if i > 0 {
				out = append(out, comma...)
			}
			out = append(append(out, quote(m.Name)...), colon...)
			out = m.Value.appendTo(out, comma, colon)
		}
		return append(out, '}')
	case Array:
		out = append(out, '[')
		for i, e := range v.Elements {
			if i > 0 {
				out = append(out, comma...)
			}
			out = e.appendTo(out, comma, colon)
		}
		return append(out, ']')
	case String:
		return append(out, quote(v.Text)...)
	}
	return append(out, v.Text...)
}

// Equal reports whether two values are the same to the last digit and in the
// same order.
func (v *Value) Equal(w *Value) bool {
	return v != nil && w != nil && bytes.Equal(v.Compact(), w.Compact())
}
