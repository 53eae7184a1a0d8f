package guard

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

const (
	// maxWork is how much one step may walk over, in values: some tens of
	// milliseconds.
	maxWork = 4_000_000
	// maxHashed is how much a tuple may hold, counting shared parts each time: a
	// key is hashed again and again.
	maxHashed = 1_000_000
	// maxNested is how deep tuples nest. Hashing and comparing recurse.
	maxNested = 1_000
	// maxPrinted is how much text one value is printed as.
	maxPrinted = 16 << 20
	// textUnit is how many bytes of text cost as much to look at as a value.
	textUnit = 64
)

// A weighed is a value that knows how many values it holds, shared ones each
// time. Those of other packages that hold values should say so.
type weighed interface{ Parts() int }

// effort is what it takes to walk over v, down to the depth that comparisons go
// to, and at most most+1.
func effort(v starlark.Value, most int) int {
	w := walkover{left: most}
	w.walk(v, starlark.CompareLimit+1)
	return most - w.left
}

type walkover struct{ left int }

// walk reports whether there is something left.
func (w *walkover) walk(v starlark.Value, depth int) bool {
	w.left--
	if depth == 0 {
		return w.left >= 0
	}
	switch v := v.(type) {
	case starlark.String:
		w.left -= len(v) / textUnit
	case starlark.Bytes:
		w.left -= len(v) / textUnit
	case starlark.Int:
		w.left -= bitsOf(v) / 8 / textUnit
	case *starlark.List:
		for i := 0; i < v.Len() && w.left >= 0; i++ {
			w.walk(v.Index(i), depth-1)
		}
	case starlark.Tuple:
		for i := 0; i < len(v) && w.left >= 0; i++ {
			w.walk(v[i], depth-1)
		}
	case *starlark.Dict:
		for k, e := range v.Entries() {
			if !w.walk(k, depth-1) || !w.walk(e, depth-1) {
				break
			}
		}
	case *starlark.Set:
		for e := range v.Elements() {
			if !w.walk(e, depth-1) {
				break
			}
		}
	case weighed:
		w.left -= v.Parts()
	}
	return w.left >= 0
}

// shared bounds a tuple that has just been made. Whatever hashes it walks over
// the parts that it shares again for each way that leads to them.
func (g *Gate) shared(v starlark.Value) error {
	t, ok := v.(starlark.Tuple)
	if !ok {
		return nil
	}
	work := 0
	for _, elem := range t {
		switch elem := elem.(type) {
		case starlark.String:
			work += len(elem) / textUnit
		case starlark.Tuple, weighed:
			return g.sharedDeep(t)
		}
	}
	if work+len(t) > maxWork {
		return g.tooShared()
	}
	return nil
}

func (g *Gate) sharedDeep(t starlark.Tuple) error {
	left := maxHashed
	if !hashable(t, maxNested, &left) {
		return g.tooShared()
	}
	return g.work((maxHashed - left) / textUnit)
}

func (g *Gate) tooShared() error {
	return g.budget.Stop(fmt.Sprintf("stopped at a tuple that holds more than %d values, shared ones counted each time, or is nested deeper than %d: use a list", maxHashed, maxNested))
}

// hashable walks as hashing does.
func hashable(t starlark.Tuple, depth int, left *int) bool {
	if *left -= len(t); *left < 0 || depth == 0 {
		return false
	}
	for _, elem := range t {
		switch elem := elem.(type) {
		case starlark.Tuple:
			if !hashable(elem, depth-1, left) {
				return false
			}
		case starlark.String:
			*left -= len(elem) / textUnit
		case weighed:
			*left -= elem.Parts()
		}
	}
	return *left >= 0
}

// sharedRows is shared for the tuples in a list that a builtin made.
func (g *Gate) sharedRows(rows *starlark.List) error {
	for i := range rows.Len() {
		if err := g.shared(rows.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// printed is at least about how long v is when it is printed. More than anybody
// wants to read stops the call.
func (g *Gate) printed(v starlark.Value) (int, error) {
	switch v := v.(type) {
	case starlark.String:
		return len(v), nil
	case starlark.Bytes:
		return len(v), nil
	case starlark.Int:
		return bitsOf(v)/3 + 2, nil
	case starlark.Float, starlark.Bool, starlark.NoneType:
		return 24, nil
	}
	size := 0
	err := engine.Unfold(v, 1_000_000, func(v starlark.Value) error {
		switch v := v.(type) {
		case starlark.String:
			size += len(v) + 4
		case starlark.Bytes:
			size += len(v) + 4
		case starlark.Int:
			size += bitsOf(v)/3 + 2
		default:
			size += 8
		}
		if size > maxPrinted {
			return fmt.Errorf("a value of more than %s as text", engine.Size(maxPrinted))
		}
		return nil
	})
	if err != nil {
		return 0, g.budget.Stop("stopped before it printed " + err.Error() + "; print a part of it")
	}
	return size, g.work(size / textUnit)
}

// work counts what is done at once as steps of the script, so that the limit on
// steps ends a script that does it in a loop.
func (g *Gate) work(steps int) error {
	return g.budget.Work(steps)
}

// uncrowded refuses a dict or set whose keys were chosen to land in one place of
// its table: copying it would take time that grows with its square.
func (g *Gate) uncrowded(v starlark.Value) error {
	const (
		harmless = 2048
		places   = 1 << 12
	)
	n := starlark.Len(v)
	keys, ok := v.(starlark.Iterable)
	if n < harmless || !ok {
		return nil
	}
	counts := make([]int, places)
	err := error(nil)
	each(keys, func(key starlark.Value) bool {
		h, _ := key.Hash() // it is a key
		at := h % places
		if counts[at]++; counts[at] > 200+4*n/places {
			err = g.budget.Stop("stopped at a dict or set whose keys were chosen to collide")
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return g.work(n / textUnit)
}

// each calls do with the elements of v until it returns false.
func each(v starlark.Iterable, do func(starlark.Value) bool) {
	iter := v.Iterate()
	defer iter.Done()
	var elem starlark.Value
	for iter.Next(&elem) {
		if !do(elem) {
			return
		}
	}
}
