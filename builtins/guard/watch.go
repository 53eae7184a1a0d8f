package guard

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// checkEvery is after how many elements a loop looks whether its call goes on.
const checkEvery = 64

// A watched is an iterable that a function of Starlark's own goes over. It
// charges each element and comes to an early end when its call does; what the
// function made of it is then dropped.
type watched struct {
	starlark.Iterable
	gate  *Gate
	bytes func(starlark.Value) int // what the function makes of an element; may be nil
	err   *error
}

// A watchedSequence is a watched whose length is known.
type watchedSequence struct{ watched }

// Len is the length of what is watched.
func (w watchedSequence) Len() int { return starlark.Len(w.Iterable) }

// watch watches v, which bytes are made of for each element. A sequence is charged at once,
// because what is made of it is made at once. Other values than iterables come
// back as they are. The error is found in *failed when the function is done.
func (g *Gate) watch(v starlark.Value, bytes int, failed *error) (starlark.Value, error) {
	it, ok := v.(starlark.Iterable)
	if !ok {
		return v, nil
	}
	w := watched{Iterable: it, gate: g, err: failed}
	if n := starlark.Len(v); n >= 0 {
		if bytes > 0 {
			if err := g.charge(int64(n), int64(bytes)); err != nil {
				return nil, err
			}
		}
		if n < checkEvery {
			return v, nil
		}
		return watchedSequence{w}, nil
	}
	if bytes > 0 {
		w.bytes = func(starlark.Value) int { return bytes }
	}
	return w, nil
}

// Iterate watches the iteration.
func (w watched) Iterate() starlark.Iterator {
	return &watchedIterator{Iterator: w.Iterable.Iterate(), w: w}
}

type watchedIterator struct {
	starlark.Iterator
	w     watched
	n     int
	bytes int64 // since the last look
	total int64
}

// Next is false at the end, or when the call has ended.
func (i *watchedIterator) Next(p *starlark.Value) bool {
	if *i.w.err != nil || !i.Iterator.Next(p) {
		return false
	}
	if i.w.bytes != nil {
		i.bytes += int64(i.w.bytes(*p))
	}
	if i.n++; i.n%checkEvery == 0 || i.bytes > 1<<16 {
		i.total += i.bytes
		if i.total > engine.MaxAtOnce {
			i.bytes = i.total // it is one value that all of them go into
		}
		if *i.w.err = i.w.gate.checked(checkEvery, i.bytes); *i.w.err != nil {
			return false
		}
		i.bytes = 0
	}
	return true
}

// checked counts steps and bytes of a loop.
func (g *Gate) checked(steps int, bytes int64) error {
	if err := g.work(steps); err != nil || bytes == 0 {
		return err
	}
	return g.budget.Charge(bytes)
}

// collect is the elements of v, in a slice of their own.
func (g *Gate) collect(v starlark.Iterable) ([]starlark.Value, error) {
	var failed error
	in, err := g.watch(v, slotBytes, &failed)
	if err != nil {
		return nil, err
	}
	var elems []starlark.Value
	if n := starlark.Len(v); n > 0 {
		elems = make([]starlark.Value, 0, n)
	}
	each(in.(starlark.Iterable), func(elem starlark.Value) bool {
		elems = append(elems, elem)
		return true
	})
	return elems, failed
}

// maxArguments is how many arguments *args may give.
const maxArguments = 100_000

// spread bounds the arguments that *x gives.
func (g *Gate) spread(x starlark.Value) (starlark.Value, error) {
	it, ok := x.(starlark.Iterable)
	if !ok {
		return x, nil
	}
	if n := starlark.Len(x); n >= 0 {
		if n > maxArguments {
			return nil, g.budget.Stop(fmt.Sprintf("stopped before a call with %d arguments, more than %d: pass a list", n, maxArguments))
		}
		return x, g.charge(int64(n), 2*slotBytes)
	}
	elems, err := g.collect(it)
	if err == nil && len(elems) > maxArguments {
		err = g.budget.Stop(fmt.Sprintf("stopped before a call with more than %d arguments: pass a list", maxArguments))
	}
	return starlark.Tuple(elems), err
}
