package guard

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const (
	// maxBits bounds the ints that scripts make, about 300,000 digits: arithmetic
	// with them takes milliseconds.
	maxBits = 1 << 20
	// slotBytes is what an element of a list or tuple takes, and entryBytes one of
	// a dict or set.
	slotBytes  = 16
	entryBytes = 80
)

// binary is x OP y.
func (g *Gate) binary(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if err := g.beforeBinary(op, x, y); err != nil {
		return nil, err
	}
	z, err := starlark.Binary(op, x, y)
	if t, ok := z.(starlark.Tuple); ok {
		return z, g.shared(t)
	}
	return z, err
}

// ofInts is x OP y for what loops do most, with ints of 64 bits, and nil for
// everything else.
func ofInts(op syntax.Token, x, y starlark.Value) starlark.Value {
	a, ok := x.(starlark.Int)
	if !ok {
		return nil
	}
	b, ok := y.(starlark.Int)
	if !ok {
		return nil
	}
	switch op {
	case syntax.PLUS:
		return a.Add(b)
	case syntax.STAR:
		if _, small := a.Int64(); !small {
			return nil
		}
		if _, small := b.Int64(); !small {
			return nil
		}
		return a.Mul(b)
	case syntax.PERCENT:
		if b.Sign() == 0 {
			return nil
		}
		return a.Mod(b)
	}
	return nil
}

// beforeBinary charges what x OP y is about to make.
func (g *Gate) beforeBinary(op syntax.Token, x, y starlark.Value) error {
	switch x := x.(type) {
	case starlark.Int:
		switch y := y.(type) {
		case starlark.Int:
			return g.beforeInts(op, x, y)
		case starlark.Float:
			return nil
		}
		if op == syntax.STAR {
			return g.repeat(y, x)
		}
		return nil
	case starlark.Float:
		return nil
	case starlark.String:
		if op == syntax.PERCENT {
			return g.beforeFormat(string(x), y)
		}
	case *starlark.Dict:
		return g.beforeUnion(x, y)
	case *starlark.Set:
		return g.beforeUnion(x, y)
	}
	switch op {
	case syntax.STAR:
		if n, ok := y.(starlark.Int); ok {
			return g.repeat(x, n)
		}
	case syntax.PLUS:
		if n, unit := extent(x); unit > 0 {
			m, _ := extent(y)
			return g.charge(n+m, unit)
		}
	}
	return nil
}

// beforeInts bounds what big ints multiply to.
func (g *Gate) beforeInts(op syntax.Token, x, y starlark.Int) error {
	if op != syntax.STAR {
		return nil
	}
	if _, small := x.Int64(); small {
		if _, small := y.Int64(); small {
			return nil
		}
	}
	return g.bits(bitsOf(x) + bitsOf(y))
}

func bitsOf(i starlark.Int) int {
	if _, small := i.Int64(); small {
		return 64
	}
	return i.BigInt().BitLen()
}

// bits refuses an int that is too long to go on with.
func (g *Gate) bits(n int) error {
	if n > maxBits {
		return g.budget.Stop(fmt.Sprintf("stopped at an int of more than %d bits: is so large a number meant? (a modulus keeps it small: pow(a, b, m))", maxBits))
	}
	if n > 1<<10 {
		return g.budget.Charge(int64(n / 8))
	}
	return nil
}

// number bounds a number that arithmetic gave.
func (g *Gate) number(i starlark.Int) error {
	if _, small := i.Int64(); small {
		return nil
	}
	return g.bits(i.BigInt().BitLen())
}

// repeat charges v * n.
func (g *Gate) repeat(v starlark.Value, n starlark.Int) error {
	size, unit := extent(v)
	if unit == 0 || size == 0 || n.Sign() <= 0 {
		return nil
	}
	times, ok := n.Int64()
	if !ok || times > 1<<40/size {
		times = 1 << 40 / size // more than anybody may have
	}
	return g.charge(size*times, unit)
}

// extent is the length of a text, list or tuple and the bytes a unit of it takes;
// 0 for other values.
func extent(v starlark.Value) (n, unit int64) {
	switch v := v.(type) {
	case starlark.String:
		return int64(len(v)), 1
	case starlark.Bytes:
		return int64(len(v)), 1
	case *starlark.List:
		return int64(v.Len()), slotBytes
	case starlark.Tuple:
		return int64(len(v)), slotBytes
	}
	return 0, 0
}

// charge counts n units of bytes. Little things are left to the count of steps.
func (g *Gate) charge(n, unit int64) error {
	if n*unit < 64 {
		return nil
	}
	return g.budget.Charge(n * unit)
}

// made charges a value that was made of others and is no larger than they are.
func (g *Gate) made(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.Int:
		return g.number(v)
	case starlark.Float:
		return nil
	case *starlark.Set:
		return g.charge(int64(v.Len()), entryBytes)
	}
	n, unit := extent(v)
	return g.charge(n, unit)
}

// beforeUnion charges x | y of dicts and sets, and the other operations on sets.
func (g *Gate) beforeUnion(x, y starlark.Value) error {
	n, m := starlark.Len(x), starlark.Len(y)
	if m < 0 {
		return nil // an error
	}
	if err := g.charge(int64(n+m), entryBytes); err != nil {
		return err
	}
	if err := g.uncrowded(x); err != nil {
		return err
	}
	return g.uncrowded(y)
}

// assign is x OP= y, which changes a list or a dict in its place.
func (g *Gate) assign(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch x := x.(type) {
	case *starlark.List:
		if more, ok := y.(starlark.Iterable); ok && op == syntax.PLUS {
			return x, g.extend(x, more)
		}
	case *starlark.Dict:
		if more, ok := y.(*starlark.Dict); ok && op == syntax.PIPE {
			return x, g.merge(x, more)
		}
	}
	return g.binary(op, x, y)
}

// extend is x += more.
func (g *Gate) extend(x *starlark.List, more starlark.Iterable) error {
	if x.Len() > 0 {
		if err := x.SetIndex(0, x.Index(0)); err != nil { // is it frozen, or under a loop?
			return applying("+=", err)
		}
	} else if err := x.Clear(); err != nil {
		return applying("+=", err)
	}
	elems, err := g.collect(more)
	if err != nil {
		return err
	}
	for _, elem := range elems {
		if err := x.Append(elem); err != nil {
			return err
		}
	}
	return nil
}

// merge is x |= more.
func (g *Gate) merge(x, more *starlark.Dict) error {
	if _, _, err := x.Delete(g); err != nil && !strings.HasPrefix(err.Error(), "unhashable") {
		return applying("|=", err)
	}
	if err := g.beforeUnion(x, more); err != nil {
		return err
	}
	for _, item := range more.Items() {
		if err := x.SetKey(item[0], item[1]); err != nil {
			return err
		}
	}
	return nil
}

// applying gives the error of a change that was refused the words of another one:
// "cannot VERB frozen list" becomes "cannot apply += to frozen list".
func applying(op string, err error) error {
	for _, what := range []string{"frozen ", "list during", "hash table during"} {
		if i := strings.Index(err.Error(), what); i >= 0 {
			return fmt.Errorf("cannot apply %s to %s", op, err.Error()[i:])
		}
	}
	return err
}
