package questions

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// An author who expects a question to wait for its answer uses it as if it were
// the answer. Starlark offers no hook for `if q:` and `for x in q`, and `x in q`
// is False without a word; every other use ends here, with what to write instead.
var (
	_ starlark.HasSetField = (*question)(nil)
	_ starlark.HasSetKey   = (*question)(nil)
	_ starlark.HasBinary   = (*question)(nil)
	_ starlark.HasUnary    = (*question)(nil)
	_ starlark.Comparable  = (*question)(nil)
	_ starlark.Callable    = (*question)(nil)
)

// misused says that q has no answer yet. use is what the script tried.
func (q *question) misused(use string) error {
	place := ""
	if q.pos.IsValid() {
		place = fmt.Sprintf(", made at %s,", q.pos)
	}
	return fmt.Errorf("%s: %s%s does not wait for its answer; "+
		"return it from a resolver, and take the answer as a parameter of the function that needs it: "+
		"answer: resolve(that_resolver)", use, q.text, place)
}

// Attr refuses to read a field of the answer off the question.
func (q *question) Attr(name string) (starlark.Value, error) {
	return nil, q.misused("a question has no ." + name)
}

// AttrNames is empty: a question has no attributes.
func (q *question) AttrNames() []string { return nil }

// SetField refuses q.name = v.
func (q *question) SetField(name string, _ starlark.Value) error {
	return q.misused("a question has no ." + name)
}

// Get refuses q[key].
func (q *question) Get(starlark.Value) (starlark.Value, bool, error) {
	return nil, false, q.misused("a question has no elements")
}

// SetKey refuses q[key] = v.
func (q *question) SetKey(_, _ starlark.Value) error {
	return q.misused("a question has no elements")
}

// Binary refuses arithmetic.
func (q *question) Binary(op syntax.Token, _ starlark.Value, _ starlark.Side) (starlark.Value, error) {
	return nil, q.misused(fmt.Sprintf("a question can't be used with %s", op))
}

// Unary refuses -q.
func (q *question) Unary(op syntax.Token) (starlark.Value, error) {
	return nil, q.misused(fmt.Sprintf("a question can't be used with %s", op))
}

// CompareSameType refuses to compare questions with each other. (A comparison
// with anything else never gets here: Starlark says False by itself.)
func (q *question) CompareSameType(syntax.Token, starlark.Value, int) (bool, error) {
	return false, q.misused("questions can't be compared")
}

// Hash refuses a question as the key of a dict.
func (q *question) Hash() (uint32, error) {
	return 0, q.misused("a question can't be a key")
}

// Name is the word, for the interpreter's own messages.
func (q *question) Name() string { return q.word }

// CallInternal refuses q().
func (q *question) CallInternal(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	return nil, q.misused("a question can't be called")
}
