// Package gates puts the guards of builtins/guard into scripts: it gives a copy
// of a file's syntax tree in which every operation that the interpreter could not
// stop goes by a gate first.
//
//	def blow(n):               def blow(n):
//	    return [0] * n             GATE = ENTER()
//	                               return (GATE - [0]) * n
//
// The names in capitals are written with a character that no name of a script can
// have. What is added has the place of what it guards, so errors point where they
// pointed before; the author's tree is left as it is, for reports.
//
// Guards cost, so there is none where it is certain that nothing can grow:
// operations whose operands are surely numbers, a comparison with a constant. What
// is surely a number is found in numbers.go, for names too.
//
// The package may use Starlark's syntax tree and the names of builtins/guard; it
// runs nothing. Start reading at [Rewrite].
package gates
