package round

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// replaced is the node that runs in the place of n: n itself, or one with the
// function that [Call.Replace] gives for it. That takes any of n's parameters, by
// name, and what it does not take is not computed for it.
func (r *run) replaced(n *graph.Node) (*graph.Node, error) {
	if r.Replace == nil {
		return n, nil
	}
	with := r.Replace(n.Key)
	if with == nil {
		return n, nil
	}
	fn := *n.Func
	fn.Call = with
	out := &graph.Node{Func: &fn, Key: n.Key, Index: n.Index}
	scripted, ok := with.(*starlark.Function)
	if !ok {
		return out, nil
	}
	for i := range scripted.NumParams() {
		name, _ := scripted.Param(i)
		in := input(n, name)
		if in == nil {
			return nil, &engine.Failure{Text: fmt.Sprintf(
				"what replaces %s() takes %q, which is not a parameter of %s(%s)", fn.Name, name, fn.Name, strings.Join(inputNames(n), ", "))}
		}
		named := *in
		named.KeywordOnly = true
		out.Inputs = append(out.Inputs, named)
	}
	return out, nil
}

func input(n *graph.Node, name string) *graph.Input {
	for i := range n.Inputs {
		if n.Inputs[i].Param == name {
			return &n.Inputs[i]
		}
	}
	return nil
}

func inputNames(n *graph.Node) []string {
	var names []string
	for _, in := range n.Inputs {
		names = append(names, in.Param)
	}
	return names
}
