package clock

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// maxShuffled is how many elements random.shuffle takes.
const maxShuffled = 1_000_000

// int(lo, hi) is a random int from lo to hi, both included. Both are of 64 bits.
func randomInt(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var lo, hi int64arg
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "lo", &lo, "hi", &hi); err != nil {
		return nil, err
	}
	if lo > hi {
		return nil, fmt.Errorf("%s: lo is %d and hi is %d; lo must not be the larger", b.Name(), lo, hi)
	}
	random := engine.ScopeOf(thread).Random
	span := uint64(hi) - uint64(lo) + 1
	if span == 0 { // all of 64 bits
		return starlark.MakeInt64(int64(random.Uint64())), nil
	}
	return starlark.MakeInt64(int64(uint64(lo) + random.Uint64N(span))), nil
}

// float() is a random float from 0.0 up to, not including, 1.0.
func randomFloat(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	return starlark.Float(engine.ScopeOf(thread).Random.Float64()), nil
}

// choice(seq) is a random element of a list, tuple or range, or a random
// character of a str. An empty one is an error.
func choice(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var seq starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "seq", &seq); err != nil {
		return nil, err
	}
	length := -1
	switch seq := seq.(type) {
	case starlark.String:
		length = utf8.RuneCountInString(string(seq))
	case starlark.Indexable:
		length = seq.Len()
	}
	switch {
	case length < 0:
		return nil, fmt.Errorf("%s: got %s; want a list, a tuple, a range or a str: list(x)", b.Name(), engine.Describe(seq))
	case length == 0:
		return nil, fmt.Errorf("%s: there is nothing to choose from: the %s is empty", b.Name(), seq.Type())
	}
	i := engine.ScopeOf(thread).Random.IntN(length)
	if s, ok := seq.(starlark.String); ok {
		return character(string(s), i), nil
	}
	return seq.(starlark.Indexable).Index(i), nil
}

// character is the n-th character of s.
func character(s string, n int) starlark.Value {
	for range n {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	_, size := utf8.DecodeRuneInString(s)
	return starlark.String(s[:size])
}

// shuffle(seq) is a new list of the elements in random order; unlike in Python
// seq itself stays as it is. At most 1,000,000 elements.
func shuffle(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var seq starlark.Iterable
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "seq", &seq); err != nil {
		return nil, err
	}
	var elems []starlark.Value
	iter := seq.Iterate()
	defer iter.Done()
	var elem starlark.Value
	for iter.Next(&elem) {
		if len(elems) == maxShuffled {
			return nil, fmt.Errorf("%s: more than %d elements", b.Name(), maxShuffled)
		}
		elems = append(elems, elem)
	}
	engine.ScopeOf(thread).Random.Shuffle(len(elems), func(i, j int) { elems[i], elems[j] = elems[j], elems[i] })
	return starlark.NewList(elems), nil
}

// uuid() is a new random UUID (version 4) as text. It is for naming things: who
// has seen some of them may be able to guess the next.
func uuid(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	var id [16]byte
	random := engine.ScopeOf(thread).Random
	binary.BigEndian.PutUint64(id[:8], random.Uint64())
	binary.BigEndian.PutUint64(id[8:], random.Uint64())
	id[6] = id[6]&0x0f | 0x40 // version 4
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	text := hex.EncodeToString(id[:])
	return starlark.String(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]), nil
}
