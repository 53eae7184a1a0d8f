package store

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/clock"
	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/builtins/dialect"
	"github.com/mcpstar/mcpstar/builtins/internal/startest"
	"github.com/mcpstar/mcpstar/engine"
)

func TestScripts(t *testing.T) {
	words := starlark.StringDict{
		"struct":     starlark.NewBuiltin("struct", starlarkstruct.Make),
		"question":   question{},
		"stock_type": stock{},
	}
	for _, family := range []starlark.StringDict{Words(), clock.Words(), content.Words(), dialect.Words()} {
		for name, v := range family {
			words[name] = v
		}
	}
	startest.Run(t, "testdata/*.star", words)
}

// question is as little of a question as a store looks at.
type question struct{ starlark.NoneType }

func (question) Word() string                                   { return "elicit" }
func (question) Pos() syntax.Position                           { return syntax.Position{} }
func (question) Method() string                                 { return "elicitation/create" }
func (question) Params(engine.Revision) json.RawMessage         { return nil }
func (question) Rendering() json.RawMessage                     { return nil }
func (question) Needs() engine.Capability                       { return engine.Capability{} }
func (question) Accept(json.RawMessage) (engine.Outcome, error) { return engine.Outcome{}, nil }
func (question) Answers() engine.Type                           { return nil }

// stock is a type that can be called, as a model can.
type stock struct{ *starlark.Builtin }

func (stock) TypeName() string { return "Stock" }
func (stock) Accept(v starlark.Value, _ string) (starlark.Value, []engine.Mismatch) {
	return v, nil
}

// Each of these calls one method of the store s, as a tool of a frozen file does.
const shop = `
s = store.memory()

def count(worker):
    for i in range(200):
        s.add("count")
        s.put("last", {"worker": worker, "items": [i]})
        s.get("last")["items"][0]
        s.keys()

def claim(worker):
    return [i for i in range(50) if s.compare_and_set("slot %d" % i, None, worker)]

def draw(worker):
    for _ in range(100):
        while True:
            balance = s.get("balance", 1000)
            if s.compare_and_set("balance", balance if s.get("balance") != None else None, balance - 1):
                break

def remove(worker):
    return [i for i in range(50) if s.delete("slot %d" % i)]
`

func TestMethodsAreAtomicForThreadsThatShareAStore(t *testing.T) {
	const workers = 4
	globals, err := startest.Exec(new(starlark.Thread), "shop.star", shop, Words())
	require.NoError(t, err)
	each := func(name string) []starlark.Value {
		results := make([]starlark.Value, workers)
		errs := make([]error, workers)
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				results[w], errs[w] = starlark.Call(new(starlark.Thread), globals[name], starlark.Tuple{starlark.MakeInt(w)}, nil)
			})
		}
		wg.Wait()
		for _, err := range errs {
			require.NoError(t, err, name)
		}
		return results
	}
	s := globals["s"].(*Memory)

	each("count")
	require.Equal(t, starlark.MakeInt(200*workers), s.get("count"))

	each("draw")
	require.Equal(t, starlark.MakeInt(1000-100*workers), s.get("balance"))

	for _, name := range []string{"claim", "remove"} { // each slot by one worker
		var slots []starlark.Value
		for _, list := range each(name) {
			for i := range list.(*starlark.List).Len() {
				slots = append(slots, list.(*starlark.List).Index(i))
			}
		}
		require.Len(t, slots, 50, name)
		require.Len(t, unique(slots), 50, name)
	}
}

func unique(values []starlark.Value) map[string]bool {
	seen := map[string]bool{}
	for _, v := range values {
		seen[v.String()] = true
	}
	return seen
}

func TestDeletedEntriesNoLongerCount(t *testing.T) {
	m := NewMemory()
	for i := range 10 {
		e, err := keep("k", starlark.String(fmt.Sprint(i)))
		require.NoError(t, err)
		require.NoError(t, m.put("k", e))
	}
	require.Positive(t, m.bytes)
	require.True(t, m.delete("k"))
	require.Zero(t, m.bytes)
	require.False(t, m.delete("k"))
	require.Zero(t, m.bytes)
}
