package guard

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// compare is x OP y for a comparison, in and not in among them.
func (g *Gate) compare(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if op == syntax.IN || op == syntax.NOT_IN {
		if err := g.beforeSearch(x, y); err != nil {
			return nil, err
		}
		return starlark.Binary(op, x, y)
	}
	ok, err := g.ordered(op, x, y)
	return starlark.Bool(ok), err
}

// ordered is x OP y for ==, < and the like.
func (g *Gate) ordered(op syntax.Token, x, y starlark.Value) (bool, error) {
	if container(x) && container(y) && !quick(op, x, y) {
		if err := g.beforeCompare(x, y); err != nil {
			return false, err
		}
	}
	return starlark.Compare(op, x, y)
}

// container reports whether comparing v may walk over other values.
func container(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Int, starlark.String, starlark.Float, starlark.Bool, starlark.NoneType, starlark.Bytes:
		return false
	}
	return true
}

// quick reports whether containers are told apart by their length.
func quick(op syntax.Token, x, y starlark.Value) bool {
	return (op == syntax.EQL || op == syntax.NEQ) && starlark.Len(x) != starlark.Len(y)
}

// beforeCompare bounds what a comparison walks over, which is no more than the
// smaller of two values.
func (g *Gate) beforeCompare(x, y starlark.Value) error {
	work := effort(x, maxWork)
	if work > maxWork {
		work = effort(y, maxWork)
	}
	if work > maxWork {
		return g.budget.Stop(fmt.Sprintf("stopped before it compared values that hold more than %d values, shared ones counted each time", maxWork))
	}
	return g.work(work / textUnit)
}

// beforeSearch bounds x in y.
func (g *Gate) beforeSearch(x, y starlark.Value) error {
	switch y.(type) {
	case *starlark.List, starlark.Tuple:
		return g.beforeFind(x, starlark.Len(y))
	}
	return nil // hashing is bounded by shared, and looking for text is fast
}

// beforeFind bounds comparing x with n values.
func (g *Gate) beforeFind(x starlark.Value, n int) error {
	if n == 0 {
		return nil
	}
	work := effort(x, maxWork)
	if work > maxWork || work > 1 && work > 10*maxWork/n {
		return g.budget.Stop(fmt.Sprintf("stopped before it looked for so large a value among %d; use a dict or a set", n))
	}
	return g.work(n * work / textUnit)
}
