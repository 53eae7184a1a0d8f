package exactjson

import (
	"errors"

	"go.starlark.net/starlark"
)

// A crowd notices keys that were chosen to land in one place of the hash table of
// a dict. Starlark hashes short strings with a function that is no secret, so
// that somebody who wants to can make an object of 4 MB take many minutes to read.
//
// The zero crowd is ready to use.
type crowd struct{ places []int }

// add is called with each key before it enters dict.
func (c *crowd) add(dict *starlark.Dict, key starlark.String) error {
	const (
		harmless = 512     // keys: as slow as it gets with so few is no matter
		places   = 1 << 12 // and as many are told apart
	)
	if dict.Len() < harmless {
		return nil
	}
	if _, known, err := dict.Get(key); known || err != nil {
		return err
	}
	if c.places == nil {
		c.places = make([]int, places)
		for _, k := range dict.Keys() {
			c.places[place(k)%places]++
		}
	}
	at := place(key) % places
	c.places[at]++
	// Keys that were not chosen share a place with a few dozen others, and with
	// more than four times their share never.
	if c.places[at] > 200+4*dict.Len()/places {
		return errors.New("an object whose keys were chosen to collide")
	}
	return nil
}

// place is the hash by which a dict files k, which is a string.
func place(k starlark.Value) uint32 {
	h, _ := k.Hash() // strings always have one
	return h
}
