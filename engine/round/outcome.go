package round

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
)

// outcomeValue is an outcome as a script sees it: what a parameter annotated
// resolve(fn, outcome = True) holds.
type outcomeValue struct{ engine.Outcome }

var (
	_ starlark.HasAttrs   = (*outcomeValue)(nil)
	_ starlark.Comparable = (*outcomeValue)(nil)
)

func (o *outcomeValue) String() string {
	if o.Action == engine.Accepted {
		return fmt.Sprintf("outcome(action = %q, data = %s)", o.Action, o.Value)
	}
	return fmt.Sprintf("outcome(action = %q)", o.Action)
}
func (o *outcomeValue) Type() string          { return "outcome" }
func (o *outcomeValue) Freeze()               {} // its value is frozen already
func (o *outcomeValue) Truth() starlark.Bool  { return o.Action == engine.Accepted }
func (o *outcomeValue) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: outcome") }
func (o *outcomeValue) AttrNames() []string   { return []string{"action", "data"} }

func (o *outcomeValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "action":
		return starlark.String(o.Action), nil
	case "data":
		return o.Value, nil
	}
	if inner, ok := o.Value.(starlark.HasAttrs); ok {
		if v, err := inner.Attr(name); v != nil && err == nil {
			return nil, fmt.Errorf("an outcome has .action and .data; write .data.%s, or leave out `outcome = True`", name)
		}
	}
	return nil, nil
}

func (o *outcomeValue) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	other, ok := y.(*outcomeValue)
	if !ok {
		return op == syntax.NEQ, nil
	}
	same := o.Action == other.Action
	if same {
		var err error
		if same, err = starlark.EqualDepth(o.Value, other.Value, depth-1); err != nil {
			return false, err
		}
	}
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, fmt.Errorf("outcomes have no order")
}
