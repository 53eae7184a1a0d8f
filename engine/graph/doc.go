// Package graph turns what an author declared (a tool, and the resolvers that
// its parameters name) into a plan that can be run, and refuses what can't work:
// unknown parameters, cycles, wire keys that clash.
//
// A plan is a picture of the graph, not a schedule: engine/round walks it depth
// first, parameters from left to right, dependencies before their consumers.
// That walk is the one order in which everything visible happens.
//
// Start reading at [Func], which is what goes in, and [Plan], which comes out.
package graph
