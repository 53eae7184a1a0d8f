package exactjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
)

// A Member is one key of an [Object].
type Member struct {
	Name  string
	Value any
}

// An Object is a JSON object that keeps the order of its keys. Its values may be
// anything that [Append] takes.
type Object []Member

// With is o with one more member.
func (o Object) With(name string, value any) Object {
	return append(o[:len(o):len(o)], Member{Name: name, Value: value})
}

// Get is the value of the member of that name, or nil.
func (o Object) Get(name string) any {
	for _, m := range o {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// MarshalJSON writes o compactly.
func (o Object) MarshalJSON() ([]byte, error) { return Marshal(o) }

// An Encodable is a Starlark value with its own JSON form: what JSON returns is
// written in its place, and may be anything that [Append] takes.
type Encodable interface {
	starlark.Value
	JSON() any
}

// Marshal writes v compactly, with the default limits.
func Marshal(v any) ([]byte, error) { return Append(nil, v, "", Limits{}) }

// MustMarshal is Marshal for values that a program has built itself out of
// strings, numbers and objects, which can't fail.
func MustMarshal(v any) []byte {
	data, err := Marshal(v)
	if err != nil {
		panic("exactjson: " + err.Error())
	}
	return data
}

// Append writes v after dst. v is a Starlark value, or nil, a bool, a string, an
// int, an int64, a float64, a []any, a []string, a json.RawMessage (taken as it
// is) or an [Object]. An indent other than "" puts every member on its own line.
//
// A value that JSON can't hold (a function, NaN, text that is not UTF-8, a key
// that is no string, a cycle) is an error that says where.
func Append(dst []byte, v any, indent string, limits Limits) ([]byte, error) {
	w := writer{out: dst, start: len(dst), indent: indent, limits: limits.orDefault()}
	if err := w.value(v, 0); err != nil {
		if path := w.at(); path != "" {
			return nil, fmt.Errorf("at %s: %w", path, err)
		}
		return nil, err
	}
	return w.out, nil
}

// ErrTooLarge is wrapped by the error for a value whose text is over the limit.
var ErrTooLarge = errors.New("too large")

type writer struct {
	out    []byte
	start  int
	indent string
	limits Limits
	path   []string // where in the value we are, for errors
}

func (w *writer) at() string {
	path := strings.Join(w.path, "")
	if len(path) > 200 {
		path = path[:200] + "…"
	}
	return strings.TrimPrefix(path, ".")
}

func (w *writer) value(v any, depth int) error {
	if len(w.out)-w.start > w.limits.Bytes {
		return fmt.Errorf("more than %d bytes of JSON: %w", w.limits.Bytes, ErrTooLarge)
	}
	if depth > w.limits.Depth {
		return fmt.Errorf("nested deeper than %d (a value that contains itself?)", w.limits.Depth)
	}
	switch v := v.(type) {
	case nil, starlark.NoneType:
		w.out = append(w.out, "null"...)
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case starlark.Bool:
		w.out = strconv.AppendBool(w.out, bool(v))
	case int:
		w.out = strconv.AppendInt(w.out, int64(v), 10)
	case int64:
		w.out = strconv.AppendInt(w.out, v, 10)
	case starlark.Int:
		return w.integer(v)
	case float64:
		return w.float(v)
	case starlark.Float:
		return w.float(float64(v))
	case string:
		return w.text(v)
	case starlark.String:
		return w.text(string(v))
	case starlark.Bytes:
		return w.text(string(v))
	case json.RawMessage:
		w.out = append(w.out, v...)
	case Object:
		return w.object(len(v), func(i int) (string, any) { return v[i].Name, v[i].Value }, depth)
	case []any:
		return w.array(len(v), func(i int) any { return v[i] }, depth)
	case []string:
		return w.array(len(v), func(i int) any { return v[i] }, depth)
	case Encodable:
		return w.value(v.JSON(), depth)
	case startime.Time:
		return w.text(time.Time(v).Format(time.RFC3339Nano))
	case *starlark.Dict:
		return w.dict(v, depth)
	case starlark.Indexable: // list, tuple, range
		if v.Len() > w.limits.Bytes/2 {
			return fmt.Errorf("a %s of %d elements: %w", v.Type(), v.Len(), ErrTooLarge)
		}
		return w.array(v.Len(), func(i int) any { return v.Index(i) }, depth)
	case starlark.Iterable: // set and other collections
		return w.iterable(v, depth)
	case starlark.Value:
		if v.Type() == "builtin_function_or_method" { // the interpreter's word
			return errors.New("a function has no JSON form")
		}
		return fmt.Errorf("a %s has no JSON form", v.Type())
	default:
		return fmt.Errorf("a Go %T has no JSON form", v)
	}
	return nil
}

func (w *writer) integer(v starlark.Int) error {
	if bits := v.BigInt().BitLen(); bits > w.limits.Digits*4 {
		return fmt.Errorf("an int of %d bits: %w", bits, ErrTooLarge)
	}
	w.out = append(w.out, v.String()...)
	return nil
}

// float writes the shortest text that reads back as f, in Python's form: 100.0,
// 1e+22, 1e-07.
func (w *writer) float(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("JSON has no %v", f)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		format = 'e'
	}
	at := len(w.out)
	w.out = strconv.AppendFloat(w.out, f, format, -1, 64)
	if format == 'f' && !strings.Contains(string(w.out[at:]), ".") {
		w.out = append(w.out, ".0"...)
	}
	return nil
}

func (w *writer) text(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("text that is not valid UTF-8: %q", clip(s))
	}
	if len(w.out)-w.start+len(s) > w.limits.Bytes {
		return fmt.Errorf("more than %d bytes of JSON: %w", w.limits.Bytes, ErrTooLarge)
	}
	w.out = appendString(w.out, s)
	return nil
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

const hexDigits = "0123456789abcdef"

// appendString quotes s. Non-ASCII stays as it is; nothing is escaped for HTML.
func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\r':
			out = append(out, '\\', 'r')
		case c == '\t':
			out = append(out, '\\', 't')
		case c < 0x20 || c == 0x7f:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

func (w *writer) dict(d *starlark.Dict, depth int) error {
	items := d.Items()
	for _, item := range items {
		if _, ok := item[0].(starlark.String); !ok {
			return fmt.Errorf("a dict with the key %s; JSON has only text keys: str(key)", clip(item[0].String()))
		}
	}
	return w.object(len(items), func(i int) (string, any) {
		return string(items[i][0].(starlark.String)), items[i][1]
	}, depth)
}

func (w *writer) iterable(v starlark.Iterable, depth int) error {
	iter := v.Iterate()
	defer iter.Done()
	var elems []any
	var elem starlark.Value
	for iter.Next(&elem) {
		elems = append(elems, elem)
	}
	return w.array(len(elems), func(i int) any { return elems[i] }, depth)
}

func (w *writer) array(n int, elem func(int) any, depth int) error {
	w.out = append(w.out, '[')
	for i := range n {
		w.separate(i, depth+1)
		w.path = append(w.path, "["+strconv.Itoa(i)+"]")
		if err := w.value(elem(i), depth+1); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	w.end(n, depth)
	w.out = append(w.out, ']')
	return nil
}

func (w *writer) object(n int, member func(int) (string, any), depth int) error {
	w.out = append(w.out, '{')
	for i := range n {
		name, v := member(i)
		w.separate(i, depth+1)
		w.path = append(w.path, "."+name)
		if err := w.text(name); err != nil {
			return err
		}
		w.out = append(w.out, ':')
		if w.indent != "" {
			w.out = append(w.out, ' ')
		}
		if err := w.value(v, depth+1); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	w.end(n, depth)
	w.out = append(w.out, '}')
	return nil
}

// separate writes what stands before element i.
func (w *writer) separate(i, depth int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
	w.newline(depth)
}

func (w *writer) end(n, depth int) {
	if n > 0 {
		w.newline(depth)
	}
}

func (w *writer) newline(depth int) {
	if w.indent == "" {
		return
	}
	w.out = append(w.out, '\n')
	for range depth {
		w.out = append(w.out, w.indent...)
	}
}
