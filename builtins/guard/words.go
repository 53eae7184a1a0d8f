package guard

import (
	"fmt"
	"sort"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Names that rewritten scripts use and that nobody can write.
const (
	// Enter is the function that gives the [Gate] of the running thread.
	Enter = "gate·enter"
	// Local is the variable that a function keeps its gate in.
	Local = "gate·"
)

// maxDigits is how long a text int() reads.
const maxDigits = 10_000

// Hidden are the names that rewritten scripts use, beside their words.
func Hidden() starlark.StringDict {
	return starlark.StringDict{Enter: starlark.NewBuiltin(Enter, enter)}
}

// Words are Starlark's own functions, those in guarded form that need it.
func Words() starlark.StringDict {
	words := starlark.StringDict{}
	for name, v := range starlark.Universe {
		if b, ok := v.(*starlark.Builtin); ok {
			words[name] = b
		}
	}
	for name, guard := range map[string]guardFunc{
		"all":       iterating(0),
		"any":       iterating(0),
		"bytes":     toBytes,
		"dict":      (*Gate).filling,
		"enumerate": rowsOf(4 * slotBytes),
		"getattr":   getattr,
		"int":       toInt,
		"list":      iterating(slotBytes),
		"max":       extreme(syntax.GT),
		"min":       extreme(syntax.LT),
		"repr":      toText,
		"reversed":  iterating(slotBytes),
		"set":       (*Gate).filling,
		"sorted":    sorted,
		"str":       toText,
		"tuple":     toTuple,
		"zip":       zip,
	} {
		native := starlark.Universe[name].(*starlark.Builtin)
		words[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return guard(GateOf(thread), native, args, kwargs)
		})
	}
	return words
}

func enter(thread *starlark.Thread, _ *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return GateOf(thread), nil
}

// iterating guards a function that goes over its argument and makes bytes of
// each element.
func iterating(bytes int) guardFunc {
	return func(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return g.watching(b, args, kwargs, bytes)
	}
}

// rowsOf guards a function that makes a list of tuples.
func rowsOf(bytes int) guardFunc {
	return func(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > 1 { // start is no iterable
			args = append(starlark.Tuple(nil), args...)
		}
		v, err := g.watching(b, args, kwargs, bytes)
		if err != nil {
			return nil, err
		}
		return v, g.sharedRows(v.(*starlark.List))
	}
}

// zip makes as many rows as its shortest argument has elements.
func zip(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	rows := -1
	for _, arg := range args {
		if n := starlark.Len(arg); n >= 0 && (rows < 0 || n < rows) {
			rows = n
		}
	}
	bytes := 0
	if rows < 0 {
		bytes = slotBytes * (2 + len(args))
	} else if err := g.charge(int64(rows), int64(slotBytes*(2+len(args)))); err != nil {
		return nil, err
	}
	v, err := g.watching(b, args, kwargs, bytes)
	if err != nil {
		return nil, err
	}
	return v, g.sharedRows(v.(*starlark.List))
}

func toTuple(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 1 {
		if t, ok := args[0].(starlark.Tuple); ok && len(kwargs) == 0 {
			return t, nil
		}
	}
	v, err := g.watching(b, args, kwargs, slotBytes)
	if err != nil {
		return nil, err
	}
	return v, g.shared(v)
}

func toBytes(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 1 {
		if n, unit := extent(args[0]); unit == 1 {
			if err := g.charge(n, 1); err != nil {
				return nil, err
			}
			return g.native(b, args, kwargs)
		}
	}
	return g.watching(b, args, kwargs, 1)
}

func toText(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) == 1 {
		if _, ok := args[0].(starlark.String); !ok || b.Name() == "repr" {
			n, err := g.printed(args[0])
			if err != nil {
				return nil, err
			}
			if err := g.charge(int64(n), 1); err != nil {
				return nil, err
			}
		}
	}
	return g.native(b, args, kwargs)
}

func toInt(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	for _, arg := range args {
		if s, ok := arg.(starlark.String); ok && len(s) > maxDigits {
			return nil, fmt.Errorf("%s: a text of %d characters, more than %d", b.Name(), len(s), maxDigits)
		}
	}
	for _, kw := range kwargs {
		if s, ok := kw[1].(starlark.String); ok && len(s) > maxDigits {
			return nil, fmt.Errorf("%s: a text of %d characters, more than %d", b.Name(), len(s), maxDigits)
		}
	}
	return g.native(b, args, kwargs)
}

func getattr(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	v, err := g.native(b, args, kwargs)
	if err != nil {
		return nil, err
	}
	return g.method(v), nil
}

// sorted(iterable, key=None, reverse=False), whose comparisons end with the call.
func sorted(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var iterable starlark.Iterable
	var key starlark.Callable
	var reverse bool
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "iterable", &iterable, "key?", &key, "reverse?", &reverse); err != nil {
		return nil, err
	}
	values, err := g.collect(iterable)
	if err != nil {
		return nil, err
	}
	s := &sorting{gate: g, values: values, keys: values}
	if key != nil {
		if s.keys, err = g.keys(key, values); err != nil {
			return nil, err
		}
		s.apart = true
	}
	if reverse {
		sort.Stable(sort.Reverse(s))
	} else {
		sort.Stable(s)
	}
	if s.err != nil {
		return nil, s.err
	}
	return starlark.NewList(values), nil
}

// keys calls a key function with each value.
func (g *Gate) keys(key starlark.Callable, values []starlark.Value) ([]starlark.Value, error) {
	if err := g.charge(int64(len(values)), slotBytes); err != nil {
		return nil, err
	}
	keys := make([]starlark.Value, len(values))
	for i, v := range values {
		k, err := starlark.Call(g.thread, key, starlark.Tuple{v}, nil)
		if err != nil {
			return nil, err // it has its own backtrace
		}
		keys[i] = k
	}
	return keys, nil
}

// sorting sorts values by keys, which are the values themselves unless apart.
type sorting struct {
	gate         *Gate
	values, keys []starlark.Value
	apart        bool
	compared     int
	err          error
}

func (s *sorting) Len() int { return len(s.values) }

func (s *sorting) Swap(i, j int) {
	s.values[i], s.values[j] = s.values[j], s.values[i]
	if s.apart {
		s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	}
}

func (s *sorting) Less(i, j int) bool {
	if s.err != nil {
		return false // let it come to its end
	}
	if s.compared++; s.compared%checkEvery == 0 {
		if s.err = s.gate.work(checkEvery / 4); s.err != nil {
			return false
		}
	}
	less, err := s.gate.ordered(syntax.LT, s.keys[i], s.keys[j])
	s.err = err
	return less
}

// extreme is max and min.
func extreme(op syntax.Token) guardFunc {
	return func(g *Gate, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 0 {
			return nil, fmt.Errorf("%s requires at least one positional argument", b.Name())
		}
		var key starlark.Callable
		if err := starlark.UnpackArgs(b.Name(), nil, kwargs, "key?", &key); err != nil {
			return nil, err
		}
		var from starlark.Value = args
		if len(args) == 1 {
			from = args[0]
		}
		elems, ok := from.(starlark.Iterable)
		if !ok {
			return nil, fmt.Errorf("%s: %s value is not iterable", b.Name(), from.Type())
		}
		best := &best{gate: g, op: op, key: key, name: b.Name()}
		each(elems, best.look)
		if best.err == nil && best.value == nil {
			return nil, fmt.Errorf("%s: argument is an empty sequence", b.Name())
		}
		return best.value, best.err
	}
}

// best is the greatest or smallest element so far.
type best struct {
	gate       *Gate
	op         syntax.Token
	key        starlark.Callable
	name       string
	value, by  starlark.Value
	considered int
	err        error
}

func (x *best) look(v starlark.Value) bool {
	if x.considered++; x.considered%checkEvery == 0 {
		if x.err = x.gate.work(checkEvery); x.err != nil {
			return false
		}
	}
	by := v
	if x.key != nil {
		if by, x.err = starlark.Call(x.gate.thread, x.key, starlark.Tuple{v}, nil); x.err != nil {
			return false
		}
	}
	if x.value == nil {
		x.value, x.by = v, by
		return true
	}
	better, err := x.gate.ordered(x.op, by, x.by)
	if err != nil {
		if x.err = x.gate.budget.Charge(0); x.err == nil {
			x.err = fmt.Errorf("%s: %w", x.name, err)
		}
		return false
	}
	if better {
		x.value, x.by = v, by
	}
	return true
}
