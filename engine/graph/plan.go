package graph

import "github.com/mcpstar/mcpstar/engine"

// A Plan is the compiled graph of one tool, prompt or resource. It is immutable
// and safe for concurrent use.
type Plan struct {
	// Kind is what it is the plan of, as messages say it: "tool".
	Kind string
	// Tool is the body, whose inputs are the tool's parameters.
	Tool *Node
	// Resolvers are all resolvers the tool can reach, dependencies first, in
	// the order in which a walk meets them.
	Resolvers []*Node
	// Arguments are the names of the parameters that the model fills, in order.
	Arguments []string
}

// A Node is a function with all of its inputs known.
type Node struct {
	Func *Func
	// Key is the wire key: what names the resolver's question on the wire.
	// Empty for the tool's body.
	Key string
	// Index is the node's place in [Plan.Resolvers]; -1 for the tool's body.
	Index  int
	Inputs []Input
}

// An InputKind says where an input comes from.
type InputKind int

const (
	FromArgument InputKind = iota // the tool's own argument
	FromContext                   // ctx
	FromResolver                  // another resolver's outcome
)

// An Input is how one parameter is filled.
type Input struct {
	Param       string
	Kind        InputKind
	Argument    int   // index into [Plan.Arguments]
	Resolver    *Node // for FromResolver
	Outcome     bool  // hand over the whole outcome
	KeywordOnly bool
}

// ContextParam is the name that makes a parameter the call's context.
const ContextParam = "ctx"

// span is where to point for a parameter's type, or at its name without one.
func (p *Param) typeOrName() engine.Span {
	if p.TypeSpan.Start.IsValid() && p.TypeSpan.Start.Line > 0 {
		return p.TypeSpan
	}
	return p.Span
}
