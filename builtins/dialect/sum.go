package dialect

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// sum(iterable, start=0) adds up the elements, from left to right.
//
// Floats are summed with the compensation of Python 3.12, so ten times 0.1 is
// 1.0. True counts as 1. Lists and tuples are joined when start is one. Strings
// are refused: "".join(list). At most 1,000,000 elements (of lists and tuples:
// in the result), ints of at most 100,000 bits, and 8 MiB of ints over 64 bits.
func sum(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var elems starlark.Iterable
	var start starlark.Value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "iterable", &elems, "start?", &start); err != nil {
		return nil, err
	}
	total, err := adderFrom(start)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	if n := starlark.Len(elems); n > maxItems { // don't begin with range(10**12)
		return nil, fmt.Errorf("%s: %d elements, more than %d", b.Name(), n, maxItems)
	}
	iter := elems.Iterate()
	defer iter.Done()
	var elem starlark.Value
	for n := 1; iter.Next(&elem); n++ {
		if n > maxItems {
			return nil, fmt.Errorf("%s: more than %d elements", b.Name(), maxItems)
		}
		if total, err = total.add(elem); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		charge(thread, 1)
	}
	return total.result(), nil
}

// An adder is a sum so far. add gives the adder to go on with, which is another
// one when the kind of the sum changes: from int to float.
type adder interface {
	add(starlark.Value) (adder, error)
	result() starlark.Value
}

func adderFrom(start starlark.Value) (adder, error) {
	switch start := start.(type) {
	case starlark.String, starlark.Bytes:
		return nil, errors.New(`text is not summed; join it: "".join(list)`)
	case starlark.Int, starlark.Bool:
		return new(intSum).add(start)
	case starlark.Float:
		return &floatSum{total: float64(start)}, nil
	case *starlark.List:
		s := &listSum{}
		return s, s.extend(start)
	case starlark.Tuple:
		s := &listSum{tuple: true}
		return s, s.extend(start)
	}
	return &anySum{total: start}, nil
}

// An intSum adds in place: a new big int for each element would be slow.
type intSum struct {
	total big.Int
	elem  big.Int // scratch
	large int     // bytes of elements beyond 64 bits so far
}

func (s *intSum) add(v starlark.Value) (adder, error) {
	if b, ok := v.(starlark.Bool); ok {
		v = truth(b)
	}
	i, ok := v.(starlark.Int)
	if !ok {
		return s.change(v)
	}
	if small, ok := i.Int64(); ok {
		s.total.Add(&s.total, s.elem.SetInt64(small))
		return s, nil
	}
	if err := checkBits(i); err != nil {
		return nil, err
	}
	elem := i.BigInt()
	if s.large += elem.BitLen() / 8; s.large > maxText {
		return nil, fmt.Errorf("more than %d bytes of ints", maxText)
	}
	s.total.Add(&s.total, elem)
	return s, nil
}

// change goes on with a sum that is no longer an int.
func (s *intSum) change(v starlark.Value) (adder, error) {
	switch v := v.(type) {
	case starlark.Float:
		f, err := number{s.result()}.float()
		return &floatSum{total: f + float64(v)}, err
	case starlark.String, starlark.Bytes:
		return nil, errors.New(`text is not summed; join it: "".join(list)`)
	case *starlark.List, starlark.Tuple:
		return nil, fmt.Errorf("a %s is not added to a number; to join lists, give start: sum(lists, [])", v.Type())
	}
	return (&anySum{total: s.result()}).add(v)
}

func (s *intSum) result() starlark.Value { return starlark.MakeBigInt(&s.total) }

// A floatSum keeps what rounding lost and adds it in the end (Neumaier).
type floatSum struct{ total, lost float64 }

func (s *floatSum) add(v starlark.Value) (adder, error) {
	switch v := v.(type) {
	case starlark.Float:
		s.compensate(float64(v))
		return s, nil
	case starlark.Int, starlark.Bool:
		var n number
		if err := n.Unpack(v); err != nil {
			return nil, err
		}
		f, err := n.float()
		s.total += f
		return s, err
	}
	return (&anySum{total: s.result()}).add(v)
}

func (s *floatSum) compensate(x float64) {
	t := s.total + x
	if math.Abs(s.total) >= math.Abs(x) {
		s.lost += (s.total - t) + x
	} else {
		s.lost += (x - t) + s.total
	}
	s.total = t
}

func (s *floatSum) result() starlark.Value {
	if s.lost != 0 && !math.IsInf(s.lost, 0) && !math.IsNaN(s.lost) {
		return starlark.Float(s.total + s.lost)
	}
	return starlark.Float(s.total) // keeps the sign of -0.0, and infinity
}

// A listSum joins lists, or tuples.
type listSum struct {
	tuple bool
	elems []starlark.Value
}

func (s *listSum) add(v starlark.Value) (adder, error) {
	switch v := v.(type) {
	case *starlark.List:
		if !s.tuple {
			return s, s.extend(v)
		}
	case starlark.Tuple:
		if s.tuple {
			return s, s.extend(v)
		}
	}
	return nil, fmt.Errorf("%s is not added to a %s", engine.Describe(v), s.result().Type())
}

func (s *listSum) extend(v starlark.Indexable) error {
	if len(s.elems)+v.Len() > maxItems {
		return fmt.Errorf("more than %d elements in the result", maxItems)
	}
	for i := range v.Len() {
		s.elems = append(s.elems, v.Index(i))
	}
	return nil
}

func (s *listSum) result() starlark.Value {
	if s.tuple {
		return starlark.Tuple(s.elems)
	}
	return starlark.NewList(s.elems)
}

// An anySum adds what knows itself how to add: durations.
type anySum struct{ total starlark.Value }

func (s *anySum) add(v starlark.Value) (adder, error) {
	total, err := starlark.Binary(syntax.PLUS, s.total, v)
	return &anySum{total: total}, err
}

func (s *anySum) result() starlark.Value { return s.total }
