package frame

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep a message may nest. The SDK gives up at 1000 in a way that
// ends a connection, so the cap stays below it with room for the rewrite.
const maxDepth = 900

var (
	errSyntax = errors.New("not valid JSON")
	errDeep   = errors.New("nested too deep")
)

// plain marks the bytes that stand for themselves inside a JSON string.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that starts at data[i], or -1.
func skipString(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	for i++; i < len(data); i++ {
		for i+8 <= len(data) && allPlain(data[i:]) {
			i += 8
		}
		if i >= len(data) {
			return -1
		}
		c := data[i]
		if plain[c] {
			continue
		}
		if c == '"' {
			return i + 1
		}
		if c != '\\' || i+1 >= len(data) {
			return -1
		}
		i++
		switch data[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if i+4 >= len(data) || !isHex4(data[i+1:i+5]) {
				return -1
			}
			i += 4
		default:
			return -1
		}
	}
	return -1
}

// allPlain reports whether the first eight bytes all stand for themselves. It looks at
// them together: a byte borrows from its high bit where it is below a space, a quote
// or a backslash. A bit too many only sends the caller the slow way.
func allPlain(data []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	x := binary.LittleEndian.Uint64(data)
	quote, backslash := x^(ones*'"'), x^(ones*'\\')
	return ((x-ones*0x20)&^x|(quote-ones)&^quote|(backslash-ones)&^backslash)&highs == 0
}

func isHex4(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

func skipDigits(data []byte, i int) int {
	for i < len(data) && data[i] >= '0' && data[i] <= '9' {
		i++
	}
	return i
}

// skipNumber returns the index after the number that starts at data[i], or -1.
func skipNumber(data []byte, i int) int {
	if i < len(data) && data[i] == '-' {
		i++
	}
	whole := skipDigits(data, i)
	if whole == i || data[i] == '0' && whole > i+1 {
		return -1
	}
	i = whole
	if i < len(data) && data[i] == '.' {
		end := skipDigits(data, i+1)
		if end == i+1 {
			return -1
		}
		i = end
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		end := skipDigits(data, i)
		if end == i {
			return -1
		}
		i = end
	}
	return i
}

// skipScalar returns the index after the string, number or literal at data[i], or -1.
func skipScalar(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	literal := ""
	switch data[i] {
	case '"':
		return skipString(data, i)
	case 't':
		literal = "true"
	case 'f':
		literal = "false"
	case 'n':
		literal = "null"
	default:
		return skipNumber(data, i)
	}
	if len(data)-i < len(literal) || string(data[i:i+len(literal)]) != literal {
		return -1
	}
	return i + len(literal)
}

// A walker skips one value without recursion and without memory of its own: one
// bit a level says whether it is inside an object or an array.
type walker struct {
	data    []byte
	i       int
	depth   int
	objects [maxDepth/64 + 1]uint64
}

func (w *walker) push(object bool) {
	w.objects[w.depth/64] &^= 1 << (w.depth % 64)
	if object {
		w.objects[w.depth/64] |= 1 << (w.depth % 64)
	}
	w.depth++
}

func (w *walker) inObject() bool {
	at := w.depth - 1
	return w.objects[at/64]>>(at%64)&1 == 1
}

// key moves over a member's name and colon.
func (w *walker) key() bool {
	end := skipString(w.data, w.i)
	if end < 0 {
		return false
	}
	w.i = skipSpace(w.data, end)
	if w.i >= len(w.data) || w.data[w.i] != ':' {
		return false
	}
	w.i = skipSpace(w.data, w.i+1)
	return true
}

// open moves into the array or object at w.i. It reports whether that is empty, in
// which case it is over already.
func (w *walker) open() (empty bool, err error) {
	if w.depth >= maxDepth {
		return false, errDeep
	}
	object := w.data[w.i] == '{'
	w.push(object)
	w.i = skipSpace(w.data, w.i+1)
	if w.i < len(w.data) && w.data[w.i] == closing(object) {
		w.i++
		w.depth--
		return true, nil
	}
	if object && !w.key() {
		return false, errSyntax
	}
	return false, nil
}

func closing(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}

// rest moves over what follows a value, up to the next value or to where depth is
// base. It reports whether there is a next value.
func (w *walker) rest(base int) (more bool, err error) {
	for w.depth > base {
		w.i = skipSpace(w.data, w.i)
		if w.i >= len(w.data) {
			return false, errSyntax
		}
		object := w.inObject()
		switch w.data[w.i] {
		case ',':
			w.i = skipSpace(w.data, w.i+1)
			if object && !w.key() {
				return false, errSyntax
			}
			return true, nil
		case closing(object):
			w.i++
			w.depth--
		default:
			return false, errSyntax
		}
	}
	return false, nil
}

// skipValue returns the index after the value at data[i], which lies depth levels
// deep in its message.
func skipValue(data []byte, i, depth int) (int, error) {
	if i < len(data) && data[i] != '{' && data[i] != '[' {
		if end := skipScalar(data, i); end >= 0 {
			return end, nil
		}
		return i, errSyntax
	}
	w := walker{data: data, i: i, depth: depth}
	for {
		if w.i < len(data) && (data[w.i] == '{' || data[w.i] == '[') {
			empty, err := w.open()
			if err != nil {
				return w.i, err
			}
			if !empty {
				continue
			}
		} else if w.i = skipScalar(data, w.i); w.i < 0 {
			return i, errSyntax
		}
		if more, err := w.rest(depth); err != nil || !more {
			return w.i, err
		}
	}
}

// A member of a JSON object. Key is decoded; value is the raw text.
type member struct {
	key, value []byte
}

// members walks over the members of one object:
//
//	ms := membersOf(data, i, depth)
//	for ms.next() { ms.member ... }
//	ms.err, ms.at
//
// A caller that takes a value apart itself uses nextKey, and then skip or took.
type members struct {
	member
	err error // after the walk: why it ended early

	data  []byte
	at    int // where to go on; after a walk without error, the byte after the object
	depth int // of the values
	start int // of the value, after nextKey
	begun bool
	over  bool
	known []byte // a part of data that is a value: no need to look into it again
}

// membersOf expects a { at data[i]. The object lies depth levels deep.
func membersOf(data []byte, i, depth int) members {
	return members{data: data, at: i + 1, depth: depth + 1}
}

// next moves to the next member, and reports whether there is one.
func (m *members) next() bool { return m.nextKey() && m.skip() }

// nextKey moves to the next member's key, and reports whether there is one.
func (m *members) nextKey() bool {
	if m.err != nil || m.over {
		return false
	}
	i := skipSpace(m.data, m.at)
	switch {
	case i >= len(m.data):
		return m.fail(errSyntax)
	case m.data[i] == '}':
		m.at, m.over = i+1, true
		return false
	case m.begun && m.data[i] != ',':
		return m.fail(errSyntax)
	case m.begun:
		i = skipSpace(m.data, i+1)
	}
	m.begun = true
	end := skipString(m.data, i)
	if end < 0 {
		return m.fail(errSyntax)
	}
	m.key = decodeKey(m.data[i:end])
	i = skipSpace(m.data, end)
	if i >= len(m.data) || m.data[i] != ':' {
		return m.fail(errSyntax)
	}
	m.start = skipSpace(m.data, i+1)
	return true
}

// skip moves over the value.
func (m *members) skip() bool {
	if len(m.known) > 0 && m.start < len(m.data) && &m.data[m.start] == &m.known[0] {
		return m.took(m.start+len(m.known), nil)
	}
	return m.took(skipValue(m.data, m.start, m.depth))
}

// took says that the value ends before end, or what is wrong with it.
func (m *members) took(end int, err error) bool {
	if err != nil {
		return m.fail(err)
	}
	m.value, m.at = m.data[m.start:end], end
	return true
}

// atObject reports whether the value is an object.
func (m *members) atObject() bool { return m.start < len(m.data) && m.data[m.start] == '{' }

func (m *members) fail(err error) bool {
	m.err = err
	return false
}

// decodeKey is the text of a quoted key.
func decodeKey(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	for _, c := range inner {
		if c == '\\' {
			text, _ := unquote(quoted)
			return []byte(text)
		}
	}
	return inner
}

// unquote is the text of a valid JSON string. exact is false when the text can't
// say what the string says: half of a surrogate pair becomes U+FFFD.
func unquote(quoted []byte) (text string, exact bool) {
	text = string(quoted[1 : len(quoted)-1])
	if strings.IndexByte(text, '\\') < 0 {
		return text, true
	}
	if err := json.Unmarshal(quoted, &text); err != nil {
		return "", false
	}
	return text, !strings.ContainsRune(text, utf8.RuneError)
}

const hexDigits = "0123456789abcdef"

// appendQuoted writes text as a JSON string, on one line and with no escapes that
// JSON doesn't need.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if plain[c] {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }
func isNull(raw []byte) bool   { return string(raw) == "null" }
func isNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}
