package guard

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// A Gate is what rewritten operations are handed to. Its left-hand operators are
// the guards: for x + y a script runs (GATE - x) + y, where GATE - x gives a value
// that does the guarded addition with whatever stands right of it. That is
// several times cheaper than the call of a function, it gives the guards their
// thread, and every error comes from where it came from before.
//
// There is one for each thread; [Enter] gets it. No script can name it.
type Gate struct {
	thread *starlark.Thread
	budget *engine.Budget
	slot   pending // the operation that waits for its right operand
}

// What the operators of a gate do. Pair, Compare and Assign take the left operand
// of a guarded operation: the next operator does it. Where the right operand is
// more than a name or a constant, its evaluation may need the gate too: then the
// operation needs a value of its own, and the Apart forms make one. The others
// look at a value and give it back.
//
// None of them is +: the compiler joins what stands in a row of them if it is
// written out, GATE + "a" + "b" to GATE + "ab".
const (
	Pair         = syntax.MINUS // x OP y
	PairApart    = syntax.PIPE  // the same
	Assign       = syntax.LTLT  // x OP= y
	AssignApart  = syntax.AMP   // the same
	Compare      = syntax.STAR  // x == y, x in y; the operator is CarrierOf
	CompareApart = syntax.CIRCUMFLEX
	Made         = syntax.SLASH      // a value that was made: charge it, bound an int
	Method       = syntax.SLASHSLASH // x.name: if it is a method, guard it
	Shared       = syntax.PERCENT    // a tuple: bound how much it holds
	Spread       = syntax.GTGT       // *args of a call
)

// CarrierOf is the operator that stands for a comparison behind [Compare],
// because comparisons themselves ask no user-defined value.
func CarrierOf(op syntax.Token) (carrier syntax.Token, ok bool) {
	for i, c := range comparisons {
		if c == op {
			return carriers[i], true
		}
	}
	return 0, false
}

// The operators in both lists belong together. They are never changed.
var (
	comparisons = [...]syntax.Token{syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE, syntax.IN, syntax.NOT_IN}
	carriers    = [...]syntax.Token{syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE}
)

const gateKey = "mcpstar.gate"

// GateOf is the gate of a thread.
func GateOf(thread *starlark.Thread) *Gate {
	budget := engine.BudgetOf(thread)
	if g, ok := thread.Local(gateKey).(*Gate); ok && g.budget == budget {
		return g
	}
	g := &Gate{thread: thread, budget: budget}
	g.slot.gate = g
	thread.SetLocal(gateKey, g)
	return g
}

var (
	_ starlark.HasBinary = (*Gate)(nil)
	_ starlark.HasBinary = (*pending)(nil)
)

// Binary is a guard: see [Pair] and the others.
func (g *Gate) Binary(op syntax.Token, x starlark.Value, side starlark.Side) (starlark.Value, error) {
	if side != starlark.Left {
		return nil, nil
	}
	switch op {
	case Pair:
		g.slot.x, g.slot.kind = x, pairs
		return &g.slot, nil
	case Compare:
		g.slot.x, g.slot.kind = x, compares
		return &g.slot, nil
	case Assign:
		g.slot.x, g.slot.kind = x, assigns
		return &g.slot, nil
	case PairApart:
		return &pending{gate: g, x: x, kind: pairs}, nil
	case CompareApart:
		return &pending{gate: g, x: x, kind: compares}, nil
	case AssignApart:
		return &pending{gate: g, x: x, kind: assigns}, nil
	case Made:
		return x, g.made(x)
	case Method:
		return g.method(x), nil
	case Shared:
		return x, g.shared(x)
	case Spread:
		return g.spread(x)
	}
	return nil, nil
}

// A pending is an operation that has its left operand.
type pending struct {
	gate *Gate
	x    starlark.Value
	kind pendingKind
}

type pendingKind int8

const (
	pairs pendingKind = iota
	assigns
	compares
)

// Binary does the operation.
func (p *pending) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if side != starlark.Left {
		return nil, nil
	}
	x := p.x
	p.x = nil
	switch p.kind {
	case pairs:
		if z := ofInts(op, x, y); z != nil {
			return z, nil
		}
		return p.gate.binary(op, x, y)
	case assigns:
		return p.gate.assign(op, x, y)
	}
	for i, c := range carriers {
		if c == op {
			return p.gate.compare(comparisons[i], x, y)
		}
	}
	return nil, fmt.Errorf("unknown comparison %s", op)
}

// String is the same for every gate; with the four below a Gate is a value.
func (g *Gate) String() string       { return "gate" }
func (g *Gate) Type() string         { return "gate" }
func (g *Gate) Freeze()              {}
func (g *Gate) Truth() starlark.Bool { return true }
func (g *Gate) Hash() (uint32, error) {
	return 0, fmt.Errorf("unhashable: %s", g.Type())
}

func (p *pending) String() string       { return "pending" }
func (p *pending) Type() string         { return "pending" }
func (p *pending) Freeze()              {}
func (p *pending) Truth() starlark.Bool { return true }
func (p *pending) Hash() (uint32, error) {
	return 0, fmt.Errorf("unhashable: %s", p.Type())
}
