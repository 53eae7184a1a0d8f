package dialect

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/engine"
)

// textWord is the word text: text("…") makes a content block, and its methods
// treat text by character, where Starlark's own count bytes. A character is what
// it is in Python, a code point. A byte that is not UTF-8 counts as one.
type textWord struct{}

var (
	_ starlark.Callable = textWord{}
	_ starlark.HasAttrs = textWord{}
)

// Name is "text".
func (textWord) Name() string { return "text" }

// String is what Starlark prints for a builtin.
func (textWord) String() string { return "<built-in function text>" }

// Type is that of a builtin, which text is for a script.
func (textWord) Type() string { return "builtin_function_or_method" }

// Freeze does nothing: there is nothing to change.
func (textWord) Freeze() {}

// Truth is true.
func (textWord) Truth() starlark.Bool { return true }

// Hash is that of the name.
func (textWord) Hash() (uint32, error) { return starlark.String("text").Hash() }

// AttrNames lists the methods.
func (textWord) AttrNames() []string { return []string{"chars", "cut", "len", "lines", "pad"} }

// Attr is the method of that name.
func (textWord) Attr(name string) (starlark.Value, error) {
	switch name {
	case "len":
		return starlark.NewBuiltin("text.len", textLen), nil
	case "cut":
		return starlark.NewBuiltin("text.cut", textCut), nil
	case "pad":
		return starlark.NewBuiltin("text.pad", textPad), nil
	case "lines":
		return starlark.NewBuiltin("text.lines", textLines), nil
	case "chars":
		return starlark.NewBuiltin("text.chars", textChars), nil
	}
	return nil, nil
}

// CallInternal is text(s, annotations =, meta =): a content block of text.
func (w textWord) CallInternal(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v, annotations, meta starlark.Value
	if err := starlark.UnpackArgs(w.Name(), args, kwargs, "s", &v, "annotations?", &annotations, "meta?", &meta); err != nil {
		return nil, err
	}
	s, ok := v.(starlark.String)
	if !ok {
		return nil, fmt.Errorf("%s: got %s, want str: text(str(x))", w.Name(), engine.Describe(v))
	}
	if !utf8.ValidString(string(s)) {
		return nil, fmt.Errorf("%s: the text is not valid UTF-8", w.Name())
	}
	return content.Text(string(s)).Noted(annotations, meta)
}

// len(s) is the number of characters in s.
func textLen(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var s string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "s", &s); err != nil {
		return nil, err
	}
	return starlark.MakeInt(utf8.RuneCountInString(s)), nil
}

// cut(s, n, end="…") is s if it has at most n characters, else the beginning of
// s and end, n characters together. Where end alone has more than n, it is left
// out.
func textCut(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var s string
	var most starlark.Int
	end := "…"
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "s", &s, "n", &most, "end?", &end); err != nil {
		return nil, err
	}
	n := clamp(most, math.MaxInt32)
	if n < 0 {
		return nil, fmt.Errorf("%s: n is %s; want 0 or more", b.Name(), engine.Describe(most))
	}
	short := first(s, n)
	if len(short) == len(s) {
		return starlark.String(s), nil
	}
	room := n - utf8.RuneCountInString(end)
	if room < 0 {
		return starlark.String(short), nil
	}
	return starlark.String(first(s, room) + end), nil
}

// first is the first n characters of s.
func first(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// pad(s, width, align="left", fill=" ") fills s up to width characters. align
// says where s then stands: left, right or center. fill is one character. The
// result has at most 8 MiB.
func textPad(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var s string
	var width starlark.Int
	align, fill := "left", " "
	if err := starlark.UnpackArgs(b.Name(), args, kwargs,
		"s", &s, "width", &width, "align?", &align, "fill?", &fill); err != nil {
		return nil, err
	}
	sign, ok := map[string]byte{"left": '<', "right": '>', "center": '^'}[align]
	if !ok {
		return nil, fmt.Errorf("%s: align is %s; want left, right or center", b.Name(), engine.Describe(starlark.String(align)))
	}
	if utf8.RuneCountInString(fill) != 1 {
		return nil, fmt.Errorf("%s: fill is %s; want one character", b.Name(), engine.Describe(starlark.String(fill)))
	}
	padded, err := aligned(s, clamp(width, maxText+1), sign, fill)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	charge(thread, len(padded))
	return starlark.String(padded), nil
}

// lines(s) is a list of the lines of s, without their ends. A line ends with
// "\n", "\r\n" or "\r"; what follows the last end, if anything, is a line too. At
// most 1,000,000.
func textLines(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var s string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "s", &s); err != nil {
		return nil, err
	}
	var lines []starlark.Value
	for len(s) > 0 {
		if len(lines) == maxItems {
			return nil, fmt.Errorf("%s: more than %d lines", b.Name(), maxItems)
		}
		line, rest := cutLine(s)
		lines, s = append(lines, starlark.String(line)), rest
	}
	charge(thread, len(lines))
	return starlark.NewList(lines), nil
}

func cutLine(s string) (line, rest string) {
	i := strings.IndexAny(s, "\r\n")
	if i < 0 {
		return s, ""
	}
	if strings.HasPrefix(s[i:], "\r\n") {
		return s[:i], s[i+2:]
	}
	return s[:i], s[i+1:]
}

// chars(s) is a list of the characters of s. At most 1,000,000.
func textChars(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var s string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "s", &s); err != nil {
		return nil, err
	}
	n := utf8.RuneCountInString(s)
	if n > maxItems {
		return nil, fmt.Errorf("%s: a text of %d characters, more than %d", b.Name(), n, maxItems)
	}
	chars := make([]starlark.Value, 0, n)
	for len(s) > 0 {
		_, size := utf8.DecodeRuneInString(s)
		chars, s = append(chars, starlark.String(s[:size])), s[size:]
	}
	charge(thread, len(chars))
	return starlark.NewList(chars), nil
}
